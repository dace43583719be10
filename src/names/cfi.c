/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CFI gives the canonical frame address (CFA), and where registers were saved, as DWARF
 * expressions. Those of functions are a register plus a constant, or what lies there in memory;
 * others, such as linkers write for their tables of jumps, which are on no stack, have no rule.
 *
 * The registers' numbers are those of x86-64. Files of other machines have no rules.
 */
#include "names/cfi.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <errno.h>
#include <libelf.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "names/sections.h"

#define REGISTER_BP 6
#define REGISTER_SP 7
#define REGISTER_IP 16

struct cfi {
	Elf *elf;
	Dwarf_CFI *eh_frame; /* NULL: none */
	bool is_go;          /* what has no unwind tables there keeps rbp for frames */
	uint16_t machine;
	struct segments segments;
};

/* ---- terms ---- */

enum base {
	BASE_CFA,
	BASE_BP,
	BASE_SP,
	/* Where a register is that was not saved: */
	BASE_UNCHANGED,
	BASE_UNDEFINED,
};

struct term {
	enum base base;
	bool is_loaded; /* what lies at base + n, not the sum itself */
	uint64_t n;
};

static bool term_is(const struct term *term, enum base base, bool is_loaded, int64_t n)
{
	return term->base == base && term->is_loaded == is_loaded && term->n == (uint64_t)n;
}

/* The term that @operation pushes. Returns false if it is not one that pushes, or not known. */
static bool term_pushed(const Dwarf_Op *operation, struct term *term)
{
	uint64_t number = operation->atom - DW_OP_breg0, n = operation->number;

	if (operation->atom == DW_OP_call_frame_cfa) {
		*term = (struct term){ .base = BASE_CFA };
		return true;
	}
	if (operation->atom == DW_OP_bregx) {
		number = operation->number;
		n = operation->number2;
	}
	if (number != REGISTER_BP && number != REGISTER_SP)
		return false;
	*term = (struct term){ .base = number == REGISTER_BP ? BASE_BP : BASE_SP, .n = n };
	return true;
}

/*
 * Computes the expression @operations. The result is what was pushed last, so nothing else is kept.
 * Returns false if it is no term.
 */
static bool expression_read(const Dwarf_Op *operations, size_t count, struct term *result)
{
	bool is_known = false;
	size_t i;

	for (i = 0; i < count; i++) {
		if (term_pushed(&operations[i], result))
			is_known = true;
		else if (!is_known || result->is_loaded)
			return false;
		else if (operations[i].atom == DW_OP_plus_uconst)
			result->n += operations[i].number;
		else if (operations[i].atom == DW_OP_deref && result->base != BASE_CFA)
			result->is_loaded = true;
		else
			return false;
	}
	return is_known;
}

/* ---- frames ---- */

static bool cfa_read(Dwarf_Frame *frame, struct term *cfa)
{
	Dwarf_Op *operations;
	size_t count;

	return !dwarf_frame_cfa(frame, &operations, &count) &&
	       expression_read(operations, count, cfa);
}

/* Where the caller's value of register @number was saved. */
static bool register_read(Dwarf_Frame *frame, int number, struct term *place)
{
	Dwarf_Op room[3], *operations;
	size_t count;

	if (dwarf_frame_register(frame, number, room, &operations, &count))
		return false;
	if (count)
		return expression_read(operations, count, place);
	*place = (struct term){ .base = operations ? BASE_UNDEFINED : BASE_UNCHANGED };
	return true;
}

/* A signal's frame, as glibc's __restore_rt describes it. */
static bool is_ucontext(const struct term *cfa, const struct term *ip, const struct term *bp)
{
	return term_is(cfa, BASE_SP, true, UNWIND_UCONTEXT_SP) &&
	       term_is(ip, BASE_SP, false, UNWIND_UCONTEXT_IP) &&
	       term_is(bp, BASE_SP, false, UNWIND_UCONTEXT_BP);
}

/* Returns false if a rule cannot express it. */
static bool cfa_set(struct unwind_rule *rule, const struct term *cfa)
{
	int64_t offset = (int64_t)cfa->n;

	if (offset < INT32_MIN || offset > INT32_MAX)
		return false;
	rule->offset = (int32_t)offset;
	if (cfa->base == BASE_SP && !cfa->is_loaded)
		rule->cfa = UNWIND_SP;
	else if (cfa->base == BASE_BP)
		rule->cfa = cfa->is_loaded ? UNWIND_BP_AT : UNWIND_BP;
	else
		return false;
	return true;
}

static bool bp_set(struct unwind_rule *rule, const struct term *bp)
{
	int64_t offset = (int64_t)bp->n;

	if (bp->is_loaded || offset < INT16_MIN || offset > INT16_MAX)
		return false;
	rule->bp = (int16_t)offset;
	switch (bp->base) {
	case BASE_UNCHANGED:
	case BASE_UNDEFINED: rule->bp_by = UNWIND_BP_SAME; return true;
	case BASE_CFA: rule->bp_by = UNWIND_BP_CFA; return true;
	case BASE_BP: rule->bp_by = UNWIND_BP_OWN; return true;
	default: return false;
	}
}

static struct unwind_rule rule_of(Dwarf_Frame *frame)
{
	const struct unwind_rule none = { .cfa = UNWIND_NONE };
	struct unwind_rule rule = none;
	struct term cfa, ip, bp;
	bool is_signal = false;

	if (dwarf_frame_info(frame, NULL, NULL, &is_signal) != REGISTER_IP ||
	    !register_read(frame, REGISTER_IP, &ip))
		return none;
	if (ip.base == BASE_UNDEFINED)
		return (struct unwind_rule){ .cfa = UNWIND_END };
	if (!cfa_read(frame, &cfa) || !register_read(frame, REGISTER_BP, &bp))
		return none;
	if (is_signal && is_ucontext(&cfa, &ip, &bp))
		return (struct unwind_rule){ .cfa = UNWIND_SIGNAL };
	if (is_signal)
		return none;
	if (!term_is(&ip, BASE_CFA, false, -8) || !cfa_set(&rule, &cfa) || !bp_set(&rule, &bp))
		return none;
	return rule;
}

/* ---- files ---- */

struct cfi *cfi_open(int fd)
{
	struct cfi *cfi = calloc(1, sizeof(*cfi));
	struct sections file;

	if (!cfi || elf_version(EV_CURRENT) == EV_NONE || sections_open(&file, fd))
		goto none;
	segments_read(&file, &cfi->segments);
	cfi->machine = file.ehdr.e_machine;
	cfi->is_go = sections_of_name(&file, ".gopclntab") ||
		     sections_of_name(&file, ".data.rel.ro.gopclntab");
	sections_close(&file);
	cfi->elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	if (!cfi->elf || elf_kind(cfi->elf) != ELF_K_ELF)
		goto none;
	cfi->eh_frame = dwarf_getcfi_elf(cfi->elf);
	return cfi;
none:
	cfi_close(cfi);
	return NULL;
}

void cfi_close(struct cfi *cfi)
{
	if (!cfi)
		return;
	if (cfi->eh_frame)
		dwarf_cfi_end(cfi->eh_frame);
	elf_end(cfi->elf);
	free(cfi);
}

int cfi_find(struct cfi *cfi, uint64_t offset, bool after_call, struct unwind_rule *rule)
{
	Dwarf_Frame *frame = NULL;
	uint64_t address;

	*rule = (struct unwind_rule){ .cfa = UNWIND_NONE };
	if ((after_call && !offset) ||
	    segments_address(&cfi->segments, offset - after_call, &address))
		return -ENOENT;
	if (cfi->machine == EM_X86_64 && cfi->eh_frame &&
	    !dwarf_cfi_addrframe(cfi->eh_frame, address, &frame))
		*rule = rule_of(frame);
	else if (cfi->machine == EM_X86_64 && cfi->is_go && after_call)
		*rule = (struct unwind_rule){
			.cfa = UNWIND_CHAIN, .offset = 16, .bp_by = UNWIND_BP_CFA, .bp = -16
		};
	free(frame);
	return 0;
}
