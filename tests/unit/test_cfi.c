/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How to unwind stacks: the rules that are found in this program's file, for code whose call frame
 * information is written out below; directly, and through the resolver. test_unwind.c walks by such
 * rules.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "names/cfi.h"
#include "names/resolver.h"
#include "self_file.h"
#include "util/util.h"
#include "run_tests.h"

#define WAIT_MS 30000

static struct cfi *cfi_of_self(void)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	struct cfi *cfi = cfi_open(fd);

	ck_assert_ptr_nonnull(cfi);
	return cfi; /* the descriptor stays open as long as the test runs */
}

#if defined(__x86_64__)

static void expect_rule(struct cfi *cfi, uint64_t offset, bool after_call,
			const struct unwind_rule *expected, const char *what)
{
	struct unwind_rule rule;

	ck_assert_int_eq(cfi_find(cfi, offset, after_call, &rule), 0);
	ck_assert_msg(rule.cfa == expected->cfa && rule.offset == expected->offset &&
			      rule.bp_by == expected->bp_by && rule.bp == expected->bp,
		      "%s (%s): cfa %u, offset %d, bp_by %u, bp %d", what,
		      after_call ? "after a call" : "exact", rule.cfa, rule.offset, rule.bp_by,
		      rule.bp);
}

/* ---- rules ---- */

/* DW_CFA_def_cfa_expression, and DW_CFA_expression of rbp and rip; what follows is the length. */
#define CFA ".cfi_escape 0x0f,"
#define BP  ".cfi_escape 0x10,6,"
#define IP  ".cfi_escape 0x10,16,"
/* What ld writes for PLT entries: rsp + 8 + ((rip & 15) >= 11) * 8 */
#define PLT CFA "11,0x77,8,0x80,0,0x3f,0x1a,0x3b,0x2a,0x33,0x24,0x22\n"
/* As in glibc's __restore_rt: *(rsp + 160), rsp + 168, rsp + 120 */
#define RESTORE CFA "4,0x77,0xa0,1,0x06\n" IP "3,0x77,0xa8,1\n" BP "3,0x77,0xf8,0\n"

/* Directives that describe one instruction, and the rule that they make. */
#define SAMPLES(X) \
	X("", UNWIND_SP, 8, UNWIND_BP_SAME, 0) \
	X(".cfi_undefined rip\n", UNWIND_END, 0, 0, 0) \
	X(".cfi_def_cfa_offset 16\n.cfi_offset rbp,-16\n", UNWIND_SP, 16, UNWIND_BP_CFA, -16) \
	X(".cfi_def_cfa rbp,16\n.cfi_offset rbp,-16\n", UNWIND_BP, 16, UNWIND_BP_CFA, -16) \
	X(".cfi_undefined rbp\n", UNWIND_SP, 8, UNWIND_BP_SAME, 0) \
	X(".cfi_def_cfa_offset 0x7fffffff\n", UNWIND_SP, INT32_MAX, UNWIND_BP_SAME, 0) \
	X(".cfi_escape 0x0e,0x80,0x80,0x80,0x80,8\n", UNWIND_NONE, 0, 0, 0) \
	X(".cfi_offset rbp,-32768\n", UNWIND_SP, 8, UNWIND_BP_CFA, -32768) \
	X(".cfi_offset rbp,-32776\n", UNWIND_NONE, 0, 0, 0) \
	X(".cfi_def_cfa rbx,24\n", UNWIND_NONE, 0, 0, 0) \
	X(".cfi_register rbp,rax\n", UNWIND_NONE, 0, 0, 0) \
	X(".cfi_register rip,rax\n", UNWIND_NONE, 0, 0, 0) \
	X(".cfi_same_value rip\n", UNWIND_NONE, 0, 0, 0) \
	X(".cfi_offset rip,-16\n", UNWIND_NONE, 0, 0, 0) \
	/* functions that align their stack: *(rbp - 8), and rbp at rbp */ \
	X(CFA "3,0x76,0x78,0x06\n" BP "2,0x76,0\n", UNWIND_BP_AT, -8, UNWIND_BP_OWN, 0) \
	X(CFA "3,0x76,0x78,0x06\n" BP "3,0x76,0,0x06\n", UNWIND_NONE, 0, 0, 0) \
	X(CFA "4,0x76,0x78,0x06,0x06\n", UNWIND_NONE, 0, 0, 0) \
	X(CFA "5,0x76,0x78,0x06,0x23,8\n", UNWIND_NONE, 0, 0, 0) \
	X(CFA "3,0x77,8,0x06\n", UNWIND_NONE, 0, 0, 0) \
	/* the entries of a PLT; rsp + 24 - 8, rsp + rbp */ \
	X(".balign 16\n" PLT, UNWIND_NONE, 0, 0, 0) \
	X(CFA "4,0x77,24,0x38,0x1c\n", UNWIND_NONE, 0, 0, 0) \
	X(CFA "5,0x77,8,0x76,0,0x22\n", UNWIND_NONE, 0, 0, 0) \
	/* a constant, nothing, one operation too few */ \
	X(CFA "1,0x38\n", UNWIND_NONE, 0, 0, 0) \
	X(CFA "0\n", UNWIND_NONE, 0, 0, 0) \
	X(CFA "3,0x77,8,0x22\n", UNWIND_NONE, 0, 0, 0) \
	/* signals' frames, and what only looks like them */ \
	X(".cfi_signal_frame\n" RESTORE, UNWIND_SIGNAL, 0, 0, 0) \
	X(RESTORE, UNWIND_NONE, 0, 0, 0) \
	X(".cfi_signal_frame\n" RESTORE BP "3,0x77,0xf0,0\n", UNWIND_NONE, 0, 0, 0) \
	X(".cfi_signal_frame\n" RESTORE IP "3,0x77,0xa0,1\n", UNWIND_NONE, 0, 0, 0) \
	X(".cfi_signal_frame\n", UNWIND_NONE, 0, 0, 0)

#define SAMPLE_CODE(directives, ...) \
	".cfi_startproc\n" directives "1: nop\n.cfi_endproc\n" \
	".pushsection .data.rel.ro,\"aw\",@progbits\n.quad 1b\n.popsection\n"
#define SAMPLE_ROW(directives, by, n, saved, at) \
	{ directives, { .cfa = (by), .offset = (n), .bp_by = (saved), .bp = (at) } },

/* The last has nothing in .eh_frame. */
__asm__(".pushsection .data.rel.ro,\"aw\",@progbits\n.balign 8\nsample_addresses:\n.popsection\n"
	".text\n" SAMPLES(SAMPLE_CODE) /* */
	"bare_code: nop\nnop\n");

#define IN_ASM __attribute__((visibility("hidden")))

extern const uint64_t sample_addresses[] IN_ASM;
extern const char bare_code[] IN_ASM;

static const struct {
	const char *directives;
	struct unwind_rule rule;
} samples[] = { SAMPLES(SAMPLE_ROW) };

static const struct unwind_rule none = { .cfa = UNWIND_NONE };

TEST(rules_are_found)
{
	struct cfi *cfi = cfi_of_self();
	uint64_t offset;
	size_t i;

	for (i = 0; i < ARRAY_LEN(samples); i++) {
		offset = offset_of((void *)sample_addresses[i]);
		expect_rule(cfi, offset, false, &samples[i].rule, samples[i].directives);
		/* A call that does not return may be the last instruction. */
		expect_rule(cfi, offset + 1, true, &samples[i].rule, samples[i].directives);
	}
	cfi_close(cfi);
}

TEST(code_without_rules)
{
	struct cfi *cfi = cfi_of_self();
	struct unwind_rule rule;

	expect_rule(cfi, offset_of(bare_code), false, &none, "bare");
	expect_rule(cfi, offset_of(bare_code) + 1, true, &none, "bare");
	ck_assert_int_eq(cfi_find(cfi, 0, false, &rule), -ENOENT);
	ck_assert_int_eq(cfi_find(cfi, 0, true, &rule), -ENOENT);
	ck_assert_int_eq(cfi_find(cfi, UINT64_MAX, false, &rule), -ENOENT);
	ck_assert_int_eq(cfi_find(cfi, UINT64_MAX, true, &rule), -ENOENT);
	ck_assert_uint_eq(rule.cfa, UNWIND_NONE);
	cfi_close(cfi);
	ck_assert_ptr_null(cfi_open(-1));
	ck_assert_ptr_null(cfi_open(file_of("nothing", 7)));
	cfi_close(NULL);
}

/* This program without section headers, as if stripped; the caller frees it. */
static char *stripped(void)
{
	Elf64_Ehdr *ehdr;
	char *bare;

	self_read();
	bare = malloc(self_size);
	memcpy(bare, self, self_size);
	ehdr = (Elf64_Ehdr *)(void *)bare;
	ehdr->e_shoff = ehdr->e_shnum = ehdr->e_shstrndx = 0;
	return bare;
}

TEST(stripped_files_have_rules)
{
	char *bare = stripped();
	int fd = file_of(bare, self_size);
	struct cfi *cfi = cfi_open(fd);
	size_t i;

	for (i = 0; i < ARRAY_LEN(samples); i++)
		expect_rule(cfi, offset_of((void *)sample_addresses[i]), false, &samples[i].rule,
			    samples[i].directives);
	expect_rule(cfi, offset_of(bare_code), false, &none, "nothing");
	cfi_close(cfi);
	close(fd);
	free(bare);
}

TEST(other_machines_have_no_rules)
{
	char *other = stripped();
	struct cfi *cfi;
	int fd;

	((Elf64_Ehdr *)(void *)other)->e_machine = EM_AARCH64;
	fd = file_of(other, self_size);
	cfi = cfi_open(fd);
	expect_rule(cfi, offset_of((void *)sample_addresses[0]), false, &none, "AArch64");
	cfi_close(cfi);
	close(fd);
	free(other);
}

/* ---- through the resolver ---- */

struct told {
	unsigned int count, known;
	uint64_t cookie;
	struct unwind_rule rule;
	unsigned int line;
};

static void tell(void *context, const struct resolver_reply *reply)
{
	struct told *told = context;

	told->count++;
	told->known += reply->rule != NULL;
	told->cookie = reply->cookie;
	told->rule = reply->rule ? *reply->rule : none;
	told->line = reply->line;
}

/* Asks and waits: true if there is a rule. */
static bool ask(struct resolver *resolver, uint32_t file, uint64_t offset, bool after_call,
		struct told *told)
{
	static uint64_t cookie = 1000;

	memset(told, 0, sizeof(*told));
	if (!resolver_ask_rule(resolver, file, offset, after_call, ++cookie))
		return false;
	resolver_answers(resolver, WAIT_MS, WAIT_MS, tell, told);
	ck_assert_uint_eq(told->count, 1);
	ck_assert_uint_eq(told->cookie, cookie);
	return told->known == 1;
}

TEST(the_resolver_finds_the_same)
{
	struct resolver *resolver = resolver_new(RESOLVER_RULES, 128ull << 20, NULL);
	struct told told;
	uint32_t file;
	uint64_t offset;
	char *children, path[64], *name;
	size_t i;
	int fd;

	self_read();
	fd = file_of(self, self_size);
	file = resolver_add(resolver, fd, -1, "self");
	close(fd);
	for (i = 0; i < ARRAY_LEN(samples); i++) {
		offset = offset_of((void *)sample_addresses[i]);
		ck_assert(ask(resolver, file, offset, false, &told));
		ck_assert_mem_eq(&told.rule, &samples[i].rule, sizeof(told.rule));
		ck_assert(ask(resolver, file, offset + 1, true, &told));
		ck_assert_mem_eq(&told.rule, &samples[i].rule, sizeof(told.rule));
	}
	ck_assert(!ask(resolver, file, 0, false, &told));
	ck_assert(!ask(resolver, file, UINT64_MAX, true, &told));
	ck_assert(!ask(resolver, file + 1, 0, true, &told));
	/* Lines of the same file, between rules. */
	memset(&told, 0, sizeof(told));
	offset = offset_of((void *)expect_rule);
	ck_assert(resolver_ask_rule(resolver, file, offset, false, 1));
	ck_assert(resolver_ask(resolver, file, offset, 2));
	resolver_answers(resolver, WAIT_MS, WAIT_MS, tell, &told);
	ck_assert_uint_eq(told.count, 2);
	ck_assert_uint_eq(told.known, 1);
	ck_assert_uint_ne(told.line, 0);
	ck_assert_uint_eq(resolver_lost(resolver), 0);
	children = file_read("/proc/thread-self/children", 256, NULL);
	ck_assert_ptr_nonnull(children);
	snprintf(path, sizeof(path), "/proc/%d/comm", atoi(children));
	name = file_read(path, 64, NULL);
	ck_assert_str_eq(name, "cutop-rows\n");
	free(name);
	free(children);
	resolver_free(resolver);
}

/* A file that shrinks ends the process; the rules of others are not lost with it. */
TEST(a_reader_that_dies_is_replaced)
{
	struct resolver *resolver = resolver_new(RESOLVER_RULES, 128ull << 20, NULL);
	uint64_t offset = offset_of((void *)expect_rule);
	uint32_t bad, good;
	struct told told;
	int fd, good_fd, i;

	self_read();
	fd = file_of(self, self_size);
	good_fd = file_of(self, self_size);
	good = resolver_add(resolver, good_fd, -1, "good");
	bad = resolver_add(resolver, fd, -1, "bad");
	ck_assert(ask(resolver, bad, offset, false, &told));
	ck_assert_int_eq(ftruncate(fd, 0), 0);
	memset(&told, 0, sizeof(told));
	for (i = 0; i < 1000; i++)
		ck_assert(resolver_ask_rule(resolver, i == 500 ? bad : good,
					    i == 500 ? offset_of((void *)stripped) : offset, false,
					    (uint64_t)i));
	resolver_answers(resolver, WAIT_MS, WAIT_MS, tell, &told);
	ck_assert_uint_eq(told.count, 1000);
	ck_assert_uint_eq(told.known, 999);
	ck_assert_uint_eq(told.cookie, 999);
	ck_assert(!ask(resolver, bad, offset, false, &told));
	ck_assert_uint_eq(resolver_lost(resolver), 0);
	ck_assert(ask(resolver, good, offset, false, &told));
	close(fd);
	close(good_fd);
	resolver_free(resolver);
}

#else

TEST(this_machine_has_no_rules)
{
	struct cfi *cfi = cfi_of_self();
	struct unwind_rule rule;

	ck_assert_int_eq(cfi_find(cfi, offset_of((void *)cfi_of_self), false, &rule), 0);
	ck_assert_uint_eq(rule.cfa, UNWIND_NONE);
	cfi_close(cfi);
}

#endif
