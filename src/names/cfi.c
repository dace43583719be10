/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CFI gives the canonical frame address (CFA), and where registers were saved, as DWARF
 * expressions. Those that compilers write come down to a register plus a constant, or to what lies
 * there in memory, so they are computed with such terms in the place of numbers; an expression that
 * does not come down to one has no rule.
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

#define OPERATIONS_MAX 32 /* of an expression; PLT entries have the longest, 12 */
#define STACK_MAX      8
#define PAGE_MIN       4096

struct cfi {
	Elf *elf;
	Dwarf_CFI *eh_frame; /* NULL: none */
	/* .debug_frame is opened when an address is not in .eh_frame. */
	bool debug_frame_tried;
	int fd, debug_fd;
	Elf *debug_elf;
	Dwarf *dwarf;
	Dwarf_CFI *debug_frame; /* belongs to @dwarf */
	uint16_t machine;
	struct segments segments;
};

/* ---- terms ---- */

enum base {
	BASE_NONE, /* a constant */
	BASE_CFA,
	BASE_BP,
	BASE_SP,
	BASE_IP, /* @n includes the file's own address, which the loader moves by whole pages */
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

static bool term_of_register(uint64_t number, uint64_t n, uint64_t address, struct term *term)
{
	*term = (struct term){ .n = n };
	switch (number) {
	case REGISTER_BP: term->base = BASE_BP; return true;
	case REGISTER_SP: term->base = BASE_SP; return true;
	case REGISTER_IP:
		term->base = BASE_IP;
		term->n += address;
		return true;
	default: return false;
	}
}

/* The term that @operation pushes. Returns false if it is not one that pushes, or not known. */
static bool term_pushed(const Dwarf_Op *operation, uint64_t address, struct term *term)
{
	uint8_t atom = operation->atom;

	*term = (struct term){ .n = operation->number };
	if (atom >= DW_OP_breg0 && atom <= DW_OP_breg31)
		return term_of_register(atom - DW_OP_breg0, operation->number, address, term);
	if (atom >= DW_OP_lit0 && atom <= DW_OP_lit31) {
		term->n = atom - DW_OP_lit0;
		return true;
	}
	switch (atom) {
	case DW_OP_bregx:
		return term_of_register(operation->number, operation->number2, address, term);
	case DW_OP_call_frame_cfa: *term = (struct term){ .base = BASE_CFA }; return true;
	case DW_OP_const1u:
	case DW_OP_const1s:
	case DW_OP_const2u:
	case DW_OP_const2s:
	case DW_OP_const4u:
	case DW_OP_const4s:
	case DW_OP_const8u:
	case DW_OP_const8s:
	case DW_OP_constu:
	case DW_OP_consts: return true;
	default: return false;
	}
}

/* Changes the term on top of the stack. Returns false if @operation does not do only that. */
static bool term_change(const Dwarf_Op *operation, struct term *top)
{
	if (top->is_loaded)
		return false;
	switch (operation->atom) {
	case DW_OP_plus_uconst: top->n += operation->number; return true;
	case DW_OP_deref:
		top->is_loaded = top->base == BASE_BP || top->base == BASE_SP;
		return top->is_loaded;
	default: return false;
	}
}

/* Computes with two constants. */
static bool constants_combine(uint8_t atom, uint64_t *left, uint64_t right)
{
	switch (atom) {
	case DW_OP_and: *left &= right; return true;
	case DW_OP_mul: *left *= right; return true;
	case DW_OP_ge: *left = (int64_t)*left >= (int64_t)right; return true;
	case DW_OP_gt: *left = (int64_t)*left > (int64_t)right; return true;
	case DW_OP_shl: *left = right < 64 ? *left << right : 0; return true;
	default: return false;
	}
}

/* Replaces @left by what @atom makes of it and @right. Returns false if that is no term. */
static bool terms_combine(uint8_t atom, struct term *left, const struct term *right)
{
	if (left->is_loaded || right->is_loaded)
		return false;
	if (atom == DW_OP_plus && (!left->base || !right->base)) {
		left->base = left->base ? left->base : right->base;
		left->n += right->n;
		return true;
	}
	if (right->base)
		return false;
	if (atom == DW_OP_minus) {
		left->n -= right->n;
		return true;
	}
	/* Where in its page an instruction lies is known, wherever the file is loaded. */
	if (atom == DW_OP_and && left->base == BASE_IP && right->n < PAGE_MIN)
		left->base = BASE_NONE;
	return !left->base && constants_combine(atom, &left->n, right->n);
}

/*
 * Computes the expression @operations where the instruction pointer is @address. Returns false if
 * the result is no term.
 */
static bool expression_read(const Dwarf_Op *operations, size_t count, uint64_t address,
			    struct term *result)
{
	struct term stack[STACK_MAX];
	size_t depth = 0, i;

	if (count > OPERATIONS_MAX)
		return false;
	for (i = 0; i < count; i++) {
		struct term pushed;

		if (term_pushed(&operations[i], address, &pushed)) {
			if (depth == STACK_MAX)
				return false;
			stack[depth++] = pushed;
		} else if (depth && term_change(&operations[i], &stack[depth - 1])) {
			continue;
		} else if (depth >= 2 && terms_combine(operations[i].atom, &stack[depth - 2],
						       &stack[depth - 1])) {
			depth--;
		} else {
			return false;
		}
	}
	if (!depth)
		return false;
	*result = stack[depth - 1];
	return true;
}

/* ---- frames ---- */

static bool cfa_read(Dwarf_Frame *frame, uint64_t address, struct term *cfa)
{
	Dwarf_Op *operations;
	size_t count;

	return !dwarf_frame_cfa(frame, &operations, &count) &&
	       expression_read(operations, count, address, cfa);
}

/* Where the caller's value of register @number was saved. */
static bool register_read(Dwarf_Frame *frame, int number, uint64_t address, struct term *place)
{
	Dwarf_Op room[3], *operations;
	size_t count;

	if (dwarf_frame_register(frame, number, room, &operations, &count))
		return false;
	if (count)
		return expression_read(operations, count, address, place);
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

static struct unwind_rule rule_of(Dwarf_Frame *frame, uint64_t address)
{
	const struct unwind_rule none = { .cfa = UNWIND_NONE };
	struct unwind_rule rule = none;
	struct term cfa, ip, bp;
	bool is_signal = false;

	if (dwarf_frame_info(frame, NULL, NULL, &is_signal) != REGISTER_IP ||
	    !register_read(frame, REGISTER_IP, address, &ip))
		return none;
	if (ip.base == BASE_UNDEFINED)
		return (struct unwind_rule){ .cfa = UNWIND_END };
	if (!cfa_read(frame, address, &cfa) || !register_read(frame, REGISTER_BP, address, &bp))
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

/*
 * libdw decompresses all debug sections as it opens them, which may take seconds. So a file is not
 * opened for nothing, and not if they are compressed.
 */
static bool has_debug_frame(int fd)
{
	const Elf64_Shdr *section;
	struct sections file;
	bool found;

	if (fd < 0 || sections_open(&file, fd))
		return false;
	section = sections_of_name(&file, ".debug_frame");
	found = section && section->sh_type == SHT_PROGBITS &&
		!(section->sh_flags & SHF_COMPRESSED);
	sections_close(&file);
	return found;
}

/* .debug_frame is in the file itself, or in its debug file. */
static void debug_frame_open(struct cfi *cfi)
{
	Elf *elf = cfi->elf;

	cfi->debug_frame_tried = true;
	if (!has_debug_frame(cfi->fd)) {
		if (!has_debug_frame(cfi->debug_fd))
			return;
		elf = cfi->debug_elf = elf_begin(cfi->debug_fd, ELF_C_READ_MMAP, NULL);
	}
	cfi->dwarf = elf ? dwarf_begin_elf(elf, DWARF_C_READ, NULL) : NULL;
	cfi->debug_frame = cfi->dwarf ? dwarf_getcfi(cfi->dwarf) : NULL;
}

struct cfi *cfi_open(int fd, int debug_fd)
{
	struct cfi *cfi = calloc(1, sizeof(*cfi));
	struct sections file;

	if (!cfi || elf_version(EV_CURRENT) == EV_NONE || sections_open(&file, fd))
		goto none;
	segments_read(&file, &cfi->segments);
	cfi->machine = file.ehdr.e_machine;
	sections_close(&file);
	cfi->fd = fd;
	cfi->debug_fd = debug_fd;
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
	dwarf_end(cfi->dwarf);
	elf_end(cfi->debug_elf);
	elf_end(cfi->elf);
	free(cfi);
}

/* The frame at @address, which the caller frees; or NULL. */
static Dwarf_Frame *frame_find(struct cfi *cfi, uint64_t address)
{
	Dwarf_Frame *frame = NULL;

	if (cfi->eh_frame && !dwarf_cfi_addrframe(cfi->eh_frame, address, &frame))
		return frame;
	if (!cfi->debug_frame_tried)
		debug_frame_open(cfi);
	if (cfi->debug_frame && !dwarf_cfi_addrframe(cfi->debug_frame, address, &frame))
		return frame;
	return NULL;
}

int cfi_find(struct cfi *cfi, uint64_t offset, bool after_call, struct unwind_rule *rule)
{
	Dwarf_Frame *frame = NULL;
	uint64_t address;

	*rule = (struct unwind_rule){ .cfa = UNWIND_NONE };
	if ((after_call && !offset) ||
	    segments_address(&cfi->segments, offset - after_call, &address))
		return -ENOENT;
	if (cfi->machine == EM_X86_64)
		frame = frame_find(cfi, address);
	if (frame)
		*rule = rule_of(frame, address + after_call);
	free(frame);
	return 0;
}
