/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the probe of a function goes: each rule for a later instruction, and what broken or hostile
 * files say.
 */
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cuda/calls.h"
#include "probe/forms.h"
#include "probe/points.h"
#include "probe_tests.h"

#if defined(__x86_64__)
#define MACHINE EM_X86_64
#else
#define MACHINE EM_AARCH64
#endif

/* Every sample of a form is of that form. */
TEST(test_samples)
{
	int form;

	for (form = 0; form < FORM_COUNT; form++) {
		const struct form_sample *sample = &form_samples[form];
		const unsigned char *code = (const unsigned char *)sample->code + sample->at;

		ck_assert_ptr_nonnull(form_names[form]);
		ck_assert_msg((int)form_of(code, sample->size - sample->at) == form, "%s",
			      form_names[form]);
		ck_assert_uint_le(sample->size, 64);
	}
	ck_assert_int_eq((int)form_of((const unsigned char *)"", 0), FORM_OTHER);
}

/* ---- files ---- */

#define CODE_AT     0x1000
#define CODE_ROOM   0x30000
#define SYMBOLS_MAX 8

struct file {
	unsigned char code[CODE_ROOM];
	size_t code_size;
	Elf64_Sym symbols[SYMBOLS_MAX];
	size_t symbol_count;
	char names[512];
	size_t names_size;
};

static struct file file;
static struct forms forms;
static struct elf_functions found;

static void setup(void)
{
	memset(&file, 0, sizeof(file));
	file.symbol_count = 1;
	file.names_size = 1;
	forms_default(&forms);
	free(found.list);
	memset(&found, 0, sizeof(found));
}

static void teardown(void)
{
	free(found.list);
}

FIXTURE(setup, teardown);

static void symbol_add(const char *name, uint64_t at, uint64_t size, int type)
{
	file.symbols[file.symbol_count++] = (Elf64_Sym){
		.st_name = (Elf64_Word)file.names_size,
		.st_info = ELF64_ST_INFO(STB_GLOBAL, type),
		.st_shndx = 1,
		.st_value = CODE_AT + at,
		.st_size = size,
	};
	strcpy(file.names + file.names_size, name);
	file.names_size += strlen(name) + 1;
}

static void code_add(uint64_t at, const void *code, size_t size)
{
	memcpy(file.code + at, code, size);
	if (at + size > file.code_size)
		file.code_size = at + size;
}

/* The file, with one segment that holds all of it. */
static int file_make(void)
{
	struct {
		Elf64_Ehdr ehdr;
		Elf64_Phdr phdr;
		Elf64_Sym symbols[SYMBOLS_MAX];
		char names[sizeof(file.names)];
		Elf64_Shdr sections[3];
	} head = {
		.ehdr = {
			.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
			.e_type = ET_DYN, .e_machine = MACHINE, .e_version = EV_CURRENT, .e_ehsize = sizeof(Elf64_Ehdr),
			.e_phoff = offsetof(__typeof__(head), phdr), .e_phentsize = sizeof(Elf64_Phdr), .e_phnum = 1,
			.e_shoff = offsetof(__typeof__(head), sections), .e_shentsize = sizeof(Elf64_Shdr), .e_shnum = 3,
		},
		.phdr = { .p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_filesz = CODE_AT + file.code_size,
			  .p_memsz = CODE_AT + file.code_size },
		.sections = {
			[1] = { .sh_type = SHT_SYMTAB, .sh_offset = offsetof(__typeof__(head), symbols),
				.sh_size = file.symbol_count * sizeof(Elf64_Sym), .sh_entsize = sizeof(Elf64_Sym), .sh_link = 2 },
			[2] = { .sh_type = SHT_STRTAB, .sh_offset = offsetof(__typeof__(head), names), .sh_size = file.names_size },
		},
	};
	unsigned char *program = calloc(1, CODE_AT + file.code_size);
	int fd;

	_Static_assert(sizeof(head) <= CODE_AT, "the code begins behind the head");
	memcpy(head.symbols, file.symbols, sizeof(head.symbols));
	memcpy(head.names, file.names, sizeof(head.names));
	memcpy(program, &head, sizeof(head));
	memcpy(program + CODE_AT, file.code, file.code_size);
	fd = file_of(program, CODE_AT + file.code_size);
	free(program);
	return fd;
}

/* Chooses the points of all functions of the file. */
static void points_of_file(bool leave_stepped)
{
	struct reason why = { "" };
	int fd = file_make();

	free(found.list);
	ck_assert_msg(!elffile_functions(fd, &found, &why), "%s", why.text);
	points_choose(fd, &found, &forms, leave_stepped);
	close(fd);
}

static const struct elf_function *function_of(unsigned int call)
{
	size_t i;

	for (i = 0; i < found.count; i++)
		if (found.list[i].call == call)
			return &found.list[i];
	ck_abort_msg("%s was not found", call_name(call));
	return NULL;
}

static void expect_point(enum point point, unsigned int past)
{
	const struct elf_function *function = function_of(CALL_cudaMalloc);

	ck_assert_msg(function->point == point, "%s, not %s", point_names[function->point],
		      point_names[point]);
	ck_assert_uint_eq(function->past, past);
}

/* A function of this code alone. */
static void function_make(const char *code, size_t size)
{
	setup();
	code_add(0, code, size);
	symbol_add("cudaMalloc", 0, size, STT_FUNC);
	points_of_file(false);
}

#define expect_of(code, point, past) \
	do { \
		function_make(code, sizeof(code) - 1); \
		expect_point(point, past); \
	} while (0)

#if defined(__x86_64__)

/*
 * As NVIDIA's driver begins: cmpl $imm32,flag(%rip); je 1f; jmp *pointer(%rip); nopw; 1: mov
 * $4,%eax; ret
 */
#define DRIVER_FORM \
	"\x81\x3d\x7e\x34\x93\x01\x00\xba\x1c\x32\x74\x0c\xff\x25\x06\xb8\x83\x01\x66\x0f\x1f\x44\x00\x00\xb8\x04\x00\x00\x00\xc3"
#define ENDBR  "\xf3\x0f\x1e\xfa"
#define PUSHES "\x55\x5d\xc3" /* push %rbp; pop %rbp; ret */

TEST(test_what_is_passed)
{
	expect_of(PUSHES, POINT_ENTRY, 0);
	expect_of("\x41\x57\x41\x5f\xc3", POINT_ENTRY, 0);
	expect_of(DRIVER_FORM, POINT_PAST, 10);
	expect_of(ENDBR PUSHES, POINT_PAST, 4);
	expect_of("\x49\x89\xf3" PUSHES, POINT_PAST, 3);         /* mov %rsi,%r11 */
	expect_of("\x0f\x1f\x44\x00\x00" PUSHES, POINT_PAST, 5); /* nopl */
	/* Test %rdi,%rdi; je */
	expect_of("\x48\x85\xff\x74\x01\xc3\xc3", POINT_PAST, 3);
	/* And cmpl $0,flag(%rip) */
	expect_of(ENDBR "\x83\x3d\x00\x00\x00\x00\x00" PUSHES, POINT_PAST, 11);
	/*
	 * what writes a result, an argument, r10, a register that must be kept, the stack pointer,
	 * or memory
	 */
	expect_of("\xb8\x01\x00\x00\x00" PUSHES, POINT_STEPPED, 0); /* mov $1,%eax */
	expect_of(ENDBR "\x31\xc0" PUSHES, POINT_STEPPED, 0);       /* xor %eax,%eax */
	expect_of("\x48\x89\xf9" PUSHES, POINT_STEPPED, 0);         /* mov %rdi,%rcx */
	/* Lea 8(%rsp),%r10 */
	expect_of("\x4c\x8d\x54\x24\x08" PUSHES, POINT_STEPPED, 0);
	expect_of("\x31\xdb" PUSHES, POINT_STEPPED, 0);         /* xor %ebx,%ebx */
	expect_of("\x31\xed" PUSHES, POINT_STEPPED, 0);         /* xor %ebp,%ebp */
	expect_of("\x48\x83\xec\x08" PUSHES, POINT_STEPPED, 0); /* sub $8,%rsp */
	/* Movl $0,flag(%rip) */
	expect_of("\xc7\x05\x00\x00\x00\x00\x00\x00\x00\x00" PUSHES, POINT_STEPPED, 0);
	/* Lock xadd %r11d,(%rdi) */
	expect_of("\xf0\x44\x0f\xc1\x1f" PUSHES, POINT_STEPPED, 0);
	/* Mov %r11,(%rdi) */
	expect_of("\x4c\x89\x1f" PUSHES, POINT_STEPPED, 0);
	expect_of("\x4c\x87\xdf" PUSHES, POINT_STEPPED, 0); /* xchg %r11,%rdi */
	/* what does not go on: jmp *pointer(%rip), ret, syscall, ud2 */
	expect_of(ENDBR "\xff\x25\x00\x00\x00\x00" PUSHES, POINT_STEPPED, 0);
	expect_of("\xc3" PUSHES, POINT_STEPPED, 0);
	expect_of("\x0f\x05" PUSHES, POINT_STEPPED, 0);
	expect_of("\x0f\x0b" PUSHES, POINT_STEPPED, 0);
	/* mov pointer(%rip),%rax; jmp *%rax: nothing is emulated */
	expect_of("\x48\x8b\x05\x00\x00\x00\x00\xff\xe0", POINT_STEPPED, 0);
}

TEST(test_what_jumps_there)
{
	/*
	 * test %rdi,%rdi; 1: push %rax; pop %rax; jne 1b; ret: a probe on the push would count
	 * every round
	 */
	expect_of("\x48\x85\xff\x50\x58\x75\xfc\xc3", POINT_STEPPED, 0);
	/* the same by jne rel32, by jmp, by call, by loop */
	expect_of("\x48\x85\xff\x50\x58\x0f\x85\xf8\xff\xff\xff\xc3", POINT_STEPPED, 0);
	expect_of("\x48\x85\xff\x50\x58\xeb\xfc", POINT_STEPPED, 0);
	expect_of("\x48\x85\xff\x50\x58\xe8\xf9\xff\xff\xff\xc3", POINT_STEPPED, 0);
	expect_of("\x48\x85\xff\x50\x58\xe2\xfc\xc3", POINT_STEPPED, 0);
	/* into the middle of what is passed */
	expect_of(ENDBR "\x48\x85\xff"
			"\x50\x58\x75\xf9\xc3",
		  POINT_STEPPED, 0);
	/* behind the probe: a loop of its own */
	expect_of("\x48\x85\xff\x50\x58\x75\xfd\xc3", POINT_PAST, 3);
	/* to the entry: a call of itself, which is one more call */
	expect_of("\x48\x85\xff\x50\x58\xe8\xf6\xff\xff\xff\xc3", POINT_PAST, 3);

	/* in the part that the compiler has put elsewhere: jmp to the push */
	setup();
	code_add(0, ENDBR PUSHES, 7);
	symbol_add("cudaMalloc", 0, 7, STT_FUNC);
	code_add(0x100, "\xe9\xff\xfe\xff\xff", 5);
	symbol_add("cudaMalloc.cold", 0x100, 5, STT_FUNC);
	file.symbols[2].st_info = ELF64_ST_INFO(STB_LOCAL, STT_FUNC);
	points_of_file(false);
	expect_point(POINT_STEPPED, 0);
	/* to the pop behind it */
	file.code[0x101] = 0;
	points_of_file(false);
	expect_point(POINT_PAST, 4);
}

TEST(test_other_symbols)
{
	/* a label at the probe, one before it, one behind it */
	setup();
	code_add(0, ENDBR "\x48\x85\xff" PUSHES, 10);
	symbol_add("cudaMalloc", 0, 10, STT_FUNC);
	symbol_add("label", 7, 0, STT_NOTYPE);
	points_of_file(false);
	expect_point(POINT_STEPPED, 0);
	file.symbols[2].st_value = CODE_AT + 4;
	points_of_file(false);
	expect_point(POINT_STEPPED, 0);
	file.symbols[2].st_value = CODE_AT + 8;
	points_of_file(false);
	expect_point(POINT_PAST, 7);
	/* a thread's variable is no place in the code, a name without end is one */
	file.symbols[2].st_value = CODE_AT + 4;
	file.symbols[2].st_info = ELF64_ST_INFO(STB_GLOBAL, STT_TLS);
	points_of_file(false);
	expect_point(POINT_PAST, 7);
	file.symbols[2].st_info = ELF64_ST_INFO(STB_GLOBAL, STT_NOTYPE);
	file.symbols[2].st_name = 0xffffff;
	points_of_file(false);
	expect_point(POINT_STEPPED, 0);
	/* a further name of the entry changes nothing, and of two sizes the lesser counts */
	setup();
	code_add(0, ENDBR PUSHES, 7);
	symbol_add("cudaMalloc", 0, 7, STT_FUNC);
	symbol_add("cudaMalloc_other", 0, 0, STT_NOTYPE);
	points_of_file(false);
	expect_point(POINT_PAST, 4);
	setup();
	code_add(0, ENDBR PUSHES, 7);
	symbol_add("cudaMalloc", 0, 7, STT_FUNC);
	symbol_add("cudaMallocHost", 0, 2, STT_FUNC);
	points_of_file(false);
	expect_point(POINT_STEPPED, 0);
}

TEST(test_inside_an_instruction)
{
	/* cudaFree's mov $imm64,%rax holds what looks like a function */
	setup();
	code_add(0, "\x48\xb8\x55\x5d\xc3\x55\x5d\xc3\x55\x5d\xc3", 11);
	symbol_add("cudaFree", 0, 11, STT_FUNC);
	symbol_add("cudaMalloc", 2, 3, STT_FUNC);
	points_of_file(false);
	expect_point(POINT_NONE, 0);
	ck_assert_int_eq(function_of(CALL_cudaFree)->point, POINT_STEPPED);
	/* a function that begins at an instruction of another's is one */
	setup();
	code_add(0, "\x90\x90\x55\x5d\xc3", 5);
	symbol_add("cudaFree", 0, 5, STT_FUNC);
	symbol_add("cudaMalloc", 2, 3, STT_FUNC);
	points_of_file(false);
	expect_point(POINT_ENTRY, 0);
	/* where the code around it cannot be decoded, its symbol is believed */
	setup();
	code_add(0, "\x06\x90\x55\x5d\xc3", 5);
	symbol_add("outer", 0, 5, STT_FUNC);
	symbol_add("cudaMalloc", 2, 3, STT_FUNC);
	points_of_file(false);
	expect_point(POINT_ENTRY, 0);
}

TEST(test_broken_files)
{
	size_t i;

	/* no size; one that ends inside the first instruction, on it, and inside the second */
	setup();
	code_add(0, ENDBR "\x41\x57\x41\x5f\xc3", 9);
	symbol_add("cudaMalloc", 0, 0, STT_FUNC);
	for (i = 0; i < 6; i++) {
		file.symbols[1].st_size = i;
		points_of_file(false);
		expect_point(POINT_STEPPED, 0);
	}
	/* one beyond the file's end */
	file.symbols[1].st_size = 100;
	points_of_file(false);
	expect_point(POINT_STEPPED, 0);
	file.symbols[1].st_size = UINT64_MAX;
	points_of_file(false);
	expect_point(POINT_STEPPED, 0);
	/* bytes that are no instruction, behind the probe */
	expect_of(ENDBR "\x55\x06\x5d\xc3", POINT_STEPPED, 0);
	/* an instruction that its end cuts off */
	expect_of(ENDBR "\x55\x5d\xb8\x01\x00", POINT_STEPPED, 0);
	/* a file that ends inside the entry */
	setup();
	code_add(0, "\xf3\x0f", 2);
	symbol_add("cudaMalloc", 0, 20, STT_FUNC);
	points_of_file(false);
	expect_point(POINT_STEPPED, 0);
	/* a function too large to be looked through; one that is not */
	setup();
	memset(file.code, 0x90, CODE_ROOM);
	code_add(0, ENDBR "\x55", 5);
	file.code_size = CODE_ROOM;
	symbol_add("cudaMalloc", 0, 65537, STT_FUNC);
	points_of_file(false);
	expect_point(POINT_STEPPED, 0);
	file.symbols[1].st_size = 65536;
	points_of_file(false);
	expect_point(POINT_PAST, 4);
	/* a way past that is too long */
	setup();
	for (i = 0; i < 20; i++)
		code_add(i * 4, ENDBR, 4);
	code_add(80, PUSHES, 3);
	symbol_add("cudaMalloc", 0, 83, STT_FUNC);
	points_of_file(false);
	expect_point(POINT_STEPPED, 0);
}

TEST(test_what_the_kernel_does)
{
	/* a kernel that emulates endbr64, and one that places no probe on it */
	setup();
	code_add(0, ENDBR PUSHES, 7);
	symbol_add("cudaMalloc", 0, 7, STT_FUNC);
	forms.verdicts[FORM_ENDBR] = FORM_EMULATED;
	points_of_file(false);
	expect_point(POINT_ENTRY, 0);
	forms.verdicts[FORM_ENDBR] = FORM_REFUSED;
	points_of_file(false);
	expect_point(POINT_PAST, 4);
	/* a form that harms is neither chosen nor kept */
	forms.verdicts[FORM_ENDBR] = FORM_HARMS;
	points_of_file(false);
	expect_point(POINT_PAST, 4);
	forms.verdicts[FORM_PUSH] = FORM_HARMS;
	points_of_file(false);
	expect_point(POINT_NONE, 0);
	/* nothing is emulated; and what is single-stepped is to be left out */
	forms.verdicts[FORM_ENDBR] = forms.verdicts[FORM_PUSH] = FORM_STEPPED;
	points_of_file(false);
	expect_point(POINT_STEPPED, 0);
	points_of_file(true);
	expect_point(POINT_NONE, 0);
}

/* Two functions of the table and a third: hot ones are named first, no more than asked for. */
static void name_join(void *context, const char *name)
{
	char *list = context;

	strcat(list, name);
	strcat(list, " ");
}

/* The names of those of @choice at @point. */
static const char *list_of(const struct attach_choice *choice, enum point point)
{
	static char list[256];

	list[0] = 0;
	points_visit(&found, choice, point, name_join, list);
	return list;
}

TEST(test_lists)
{
	const struct attach_choice all = { .groups = ~0u, .layers = ~0u },
				   copies = { .groups = 1u << GROUP_COPY, .layers = ~0u };

	setup();
	code_add(0, "\xc3\xc3\xc3\xc3", 4);
	symbol_add("cudaStreamCreate", 0, 1, STT_FUNC);
	symbol_add("cudaMemcpy", 1, 1, STT_FUNC);
	symbol_add("cudaLaunchKernel", 2, 1, STT_FUNC);
	points_of_file(false);
	ck_assert_str_eq(list_of(&all, POINT_STEPPED),
			 "cudaLaunchKernel cudaMemcpy cudaStreamCreate ");
	ck_assert_str_eq(list_of(&copies, POINT_STEPPED), "cudaMemcpy ");
	ck_assert_str_eq(list_of(&all, POINT_PAST), "");
}

/* cmpq $0,slot(%rip); je 1f; jmp *slot(%rip); 1: ret */
#define FORWARDER "\x48\x83\x3d\x38\x10\x00\x00\x00\x74\x06\xff\x25\x30\x10\x00\x00\xc3"

/* cudaMalloc and cuMemAlloc_v2 forward, cudaFree does not. Symbols of forwarders have no size. */
static int forwarders_make(void)
{
	struct reason why = { "" };
	int fd;

	setup();
	code_add(0, FORWARDER, sizeof(FORWARDER) - 1);
	symbol_add("cudaMalloc", 0, 0, STT_FUNC);
	symbol_add("cudaMallocHost", 0, 0, STT_FUNC); /* a further name */
	code_add(0x40, FORWARDER, sizeof(FORWARDER) - 1);
	symbol_add("cuMemAlloc_v2", 0x40, 0, STT_FUNC);
	code_add(0x80, PUSHES, 3);
	symbol_add("cudaFree", 0x80, 3, STT_FUNC);
	fd = file_make();
	ck_assert_msg(!elffile_functions(fd, &found, &why), "%s", why.text);
	ck_assert_uint_eq(found.count, 3);
	ck_assert_uint_eq(found.aliases, 1);
	return fd;
}

TEST(test_forwarders_of_a_file)
{
	int fd = forwarders_make();

	forwarders_drop(fd, &found, 1u << LAYER_RUNTIME | 1u << LAYER_DRIVER);
	ck_assert_uint_eq(found.count, 1);
	ck_assert_uint_eq(found.forwarders, 2);
	ck_assert_uint_eq(found.list[0].call, CALL_cudaFree);
	ck_assert_uint_eq(found.list[1].call, CALL_cudaMallocHost);
	close(fd);
	/* Where only the driver is probed, the runtime's forwarder has its probe behind the test. */
	fd = forwarders_make();
	forwarders_drop(fd, &found, 1u << LAYER_DRIVER);
	ck_assert_uint_eq(found.count, 2);
	ck_assert_uint_eq(found.forwarders, 1);
	points_choose(fd, &found, &forms, false);
	expect_point(POINT_PAST, 8);
	close(fd);
	fd = forwarders_make();
	forwarders_drop(fd, &found, 0);
	ck_assert_uint_eq(found.count, 3);
	close(fd);
}

#else

#define STP "\xfd\x7b\xbf\xa9" /* stp x29, x30, [sp, #-16]! */
#define CBZ "\x40\x00\x00\xb4" /* cbz x0, two further on */
#define RET "\xc0\x03\x5f\xd6"

TEST(test_what_is_passed)
{
	expect_of(CBZ RET RET, POINT_ENTRY, 0);
	expect_of("\x5f\x24\x03\xd5" CBZ RET RET, POINT_PAST, 4);    /* bti c */
	expect_of("\x1f\x00\x00\xf1" CBZ RET RET, POINT_PAST, 4);    /* cmp x0, #0 */
	expect_of("\xf0\x03\x00\xaa" CBZ RET RET, POINT_PAST, 4);    /* mov x16, x0 */
	expect_of("\x3f\x23\x03\xd5" CBZ RET RET, POINT_STEPPED, 0); /* paciasp */
	expect_of("\xe8\x03\x00\xaa" CBZ RET RET, POINT_STEPPED, 0); /* mov x8, x0 */
	expect_of("\xe1\x03\x00\xaa" CBZ RET RET, POINT_STEPPED, 0); /* mov x1, x0 */
	expect_of("\xfe\x03\x00\xaa" CBZ RET RET, POINT_STEPPED, 0); /* mov x30, x0 */
	expect_of(STP CBZ RET RET, POINT_STEPPED, 0);
	/* cmp; 1: cbz; b 1b */
	expect_of("\x1f\x00\x00\xf1" CBZ "\xff\xff\xff\x17" RET, POINT_STEPPED, 0);
}

#endif
