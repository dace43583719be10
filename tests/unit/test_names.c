/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names from files: debug files by build id and by link, the variables that hold handles of
 * kernels, and all that broken.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <zlib.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "names/symbols.h"
#include "collect/late_kernels.h"
#include "names/sections.h"
#include "self_file.h"
#include "run_tests.h"

/* ---- files ---- */

static char folder[] = "/tmp/cutop-names.XXXXXX";

static void write_file(const char *path, const void *data, size_t size)
{
	FILE *file = fopen(path, "w");

	ck_assert_msg(file != NULL, "%s", path);
	ck_assert_uint_eq(fwrite(data, 1, size, file), size);
	ck_assert_int_eq(fclose(file), 0);
}

static char *path_of(const char *format, ...) __attribute__((format(printf, 1, 2)));
static char *path_of(const char *format, ...)
{
	static char path[1024];
	char part[512];
	va_list args;
	char *at;

	va_start(args, format);
	vsnprintf(part, sizeof(part), format, args);
	va_end(args);
	snprintf(path, sizeof(path), "%s%s", folder, part);
	for (at = path + strlen(folder) + 1; (at = strchr(at, '/')); at++) {
		*at = 0;
		mkdir(path, 0755);
		*at = '/';
	}
	return path;
}

static struct symbols *symbols_of(int fd, int debug_fd)
{
	struct symbols *symbols;
	int err = symbols_read(fd, debug_fd, UINT64_MAX, &symbols);

	ck_assert(err ? !symbols && err == -ENOENT : symbols != NULL);
	return symbols;
}

/* Two files that have each what matters here, and no code: a note, or a link. */
struct small {
	Elf64_Ehdr ehdr;
	Elf64_Phdr phdrs[2];
	struct {
		Elf64_Nhdr note;
		char owner[4];
		uint8_t id[20];
	} build_id;
	char link[32];
	char names[64];
	Elf64_Sym symbols[2];
	uint8_t rest[4096];
	Elf64_Shdr sections[6];
};

enum { S_NULL, S_NAMES, S_LINK, S_SYMTAB, S_DYNSYM };

static const char section_names[] = "\0.shstrtab\0.gnu_debuglink\0hidden\0seen";

static uint32_t name_at(const char *name)
{
	return (uint32_t)((const char *)memmem(section_names, sizeof(section_names), name,
					       strlen(name) + 1) -
			  section_names);
}

static void small_make(struct small *small, uint8_t id)
{
	memset(small, 0, sizeof(*small));
	memcpy(small->ehdr.e_ident, ELFMAG "\2\1\1", 7);
	small->ehdr.e_type = ET_DYN;
	small->ehdr.e_machine = EM_X86_64;
	small->ehdr.e_version = EV_CURRENT;
	small->ehdr.e_phoff = offsetof(struct small, phdrs);
	small->ehdr.e_shoff = offsetof(struct small, sections);
	small->ehdr.e_ehsize = sizeof(small->ehdr);
	small->ehdr.e_phentsize = sizeof(small->phdrs[0]);
	small->ehdr.e_phnum = 2;
	small->ehdr.e_shentsize = sizeof(small->sections[0]);
	small->ehdr.e_shnum = 6;
	small->ehdr.e_shstrndx = S_NAMES;
	small->phdrs[0] = (Elf64_Phdr){ .p_type = PT_LOAD,
					.p_flags = PF_R | PF_X,
					.p_vaddr = 0x5000,
					.p_offset = 0x1000,
					.p_filesz = 0x1000,
					.p_memsz = 0x1000 };
	memcpy(small->names, section_names, sizeof(section_names));
	small->sections[S_NAMES] = (Elf64_Shdr){ .sh_name = name_at(".shstrtab"),
						 .sh_type = SHT_STRTAB,
						 .sh_offset = offsetof(struct small, names),
						 .sh_size = sizeof(section_names) };
	if (id) {
		small->phdrs[1] = (Elf64_Phdr){ .p_type = PT_NOTE,
						.p_offset = offsetof(struct small, build_id),
						.p_filesz = sizeof(small->build_id),
						.p_align = 4 };
		small->build_id.note = (Elf64_Nhdr){ 4, 20, 3 };
		memcpy(small->build_id.owner, "GNU", 4);
		memset(small->build_id.id, id, 20);
	}
}

static void small_link(struct small *small, const char *name, uint32_t crc)
{
	size_t at = (strlen(name) + 4) & ~(size_t)3;

	strcpy(small->link, name);
	memcpy(small->link + at, &crc, 4);
	small->sections[S_LINK] = (Elf64_Shdr){ .sh_name = name_at(".gnu_debuglink"),
						.sh_type = SHT_PROGBITS,
						.sh_offset = offsetof(struct small, link),
						.sh_size = at + 4 };
}

static void small_symbol(struct small *small, int section, const char *name)
{
	small->symbols[1] = (Elf64_Sym){ .st_name = name_at(name),
					 .st_info = ELF64_ST_INFO(STB_LOCAL, STT_FUNC),
					 .st_shndx = 9,
					 .st_value = section == S_DYNSYM ? 0x5200 : 0x5100,
					 .st_size = 0x20 };
	small->sections[section] =
		(Elf64_Shdr){ .sh_type = section == S_DYNSYM ? SHT_DYNSYM : SHT_SYMTAB,
			      .sh_link = S_NAMES,
			      .sh_offset = offsetof(struct small, symbols),
			      .sh_size = sizeof(small->symbols),
			      .sh_entsize = sizeof(Elf64_Sym) };
}

static bool found_below(const struct small *small, const char *root, const char *path)
{
	const char *roots[] = { "/nowhere/at/all", root, NULL };
	int fd = file_of(small, sizeof(*small)), found = -ENOENT;
	struct debug_link link;
	struct stat st;

	ck_assert_int_eq(fstat(fd, &st), 0);
	if (!debug_link_read(fd, &link))
		found = debug_file_open(&st, &link, roots, path);
	close(fd);
	if (found < 0) {
		ck_assert_int_eq(found, -ENOENT);
		return false;
	}
	close(found);
	return true;
}
/* ---- debug files ---- */

TEST(debug_file_by_build_id)
{
	struct small small, other;
	char id[2 * 19 + 1] = "", *path;
	int i;

	for (i = 0; i < 19; i++)
		strcat(id, "ab");
	small_make(&small, 0xab);
	ck_assert(!found_below(&small, folder, "/bin/program"));
	path = path_of("/usr/lib/debug/.build-id/ab/%s.debug", id);
	write_file(path, "", 0);
	ck_assert(!found_below(&small, folder, "/bin/program"));
	/* Another's file under our name. */
	small_make(&other, 0xac);
	write_file(path, &other, sizeof(other));
	ck_assert(!found_below(&small, folder, "/bin/program"));
	write_file(path, &small, sizeof(small));
	ck_assert(found_below(&small, folder, "/bin/program"));
	ck_assert(found_below(&small, folder, NULL));
	ck_assert(!found_below(&other, folder, "/bin/program"));
	unlink(path);
}

TEST(debug_file_by_link)
{
	static const char *const places[] = { "/bin/x.debug", "/bin/.debug/x.debug",
					      "/usr/lib/debug/bin/x.debug" };
	static const char *const outside[] = {
		"../x.debug", "/bin/../../x.debug", "/etc/passwd", "..", ".", "", "/"
	};
	const char text[] = "not even an ELF file: the checksum is all that counts";
	uint32_t crc = (uint32_t)crc32(0, (const uint8_t *)text, sizeof(text));
	struct small small;
	size_t i;

	small_make(&small, 0);
	small_link(&small, "x.debug", crc);
	for (i = 0; i < 3; i++) {
		ck_assert(!found_below(&small, folder, "/bin/program"));
		write_file(path_of("%s", places[i]), text, sizeof(text));
		ck_assert(found_below(&small, folder, "/bin/program"));
		ck_assert(!found_below(&small, folder, NULL));
		write_file(path_of("%s", places[i]), text, sizeof(text) - 1);
		ck_assert(!found_below(&small, folder, "/bin/program"));
		unlink(path_of("%s", places[i]));
	}
	/* A way out of the root is none; a link in it is followed in it. */
	write_file(path_of("/x.debug"), text, sizeof(text));
	ck_assert(!found_below(&small, path_of("/bin/"), "/../program"));
	ck_assert_int_eq(symlink("/x.debug", path_of("/bin/x.debug")), 0);
	ck_assert(found_below(&small, folder, "/bin/program"));
	unlink(path_of("/bin/x.debug"));
	unlink(path_of("/x.debug"));
	/* Nobody waits for a FIFO. */
	ck_assert_int_eq(mkfifo(path_of("/bin/x.debug"), 0600), 0);
	ck_assert(!found_below(&small, folder, "/bin/program"));
	unlink(path_of("/bin/x.debug"));
	for (i = 0; i < sizeof(outside) / sizeof(outside[0]); i++) {
		struct debug_link link;
		int fd;

		small_link(&small, outside[i], crc);
		fd = file_of(&small, sizeof(small));
		debug_link_read(fd, &link);
		ck_assert_ptr_null(strchr(link.name, '/'));
		ck_assert_str_ne(link.name, "..");
		close(fd);
	}
}

TEST(symbols_of_debug_file)
{
	struct small stripped, debug;
	struct symbols *symbols;
	uint64_t distance;
	int fd, debug_fd;

	small_make(&stripped, 1);
	small_make(&debug, 1);
	small_symbol(&debug, S_SYMTAB, "hidden");
	/* The debug file does not say where the code lies in the stripped one. */
	debug.phdrs[0].p_offset = debug.phdrs[0].p_filesz = 0;
	fd = file_of(&stripped, sizeof(stripped));
	debug_fd = file_of(&debug, sizeof(debug));
	ck_assert_ptr_null(symbols_of(fd, -1));
	symbols = symbols_of(fd, debug_fd);
	ck_assert_ptr_nonnull(symbols);
	ck_assert_str_eq(symbols_find(symbols, 0x1105, &distance), "hidden");
	ck_assert_uint_eq(distance, 5);
	symbols_free(symbols);
	close(fd);
	close(debug_fd);
}

TEST(broken_links_and_notes)
{
	struct small small;
	struct debug_link link;
	size_t i;

	small_make(&small, 7);
	small_link(&small, "x.debug", 1);
	for (i = 0; i < 8 * sizeof(small);
	     i += i < 8 * offsetof(struct small, rest) || i > 8 * offsetof(struct small, sections) ?
			  1 :
			  64) {
		char *bytes = (char *)&small;
		int fd;

		bytes[i / 8] ^= (char)(1 << i % 8);
		fd = file_of(&small, sizeof(small));
		debug_link_read(fd, &link);
		ck_assert_uint_le(link.build_id_len, BUILD_ID_MAX);
		ck_assert_ptr_nonnull(memchr(link.name, 0, sizeof(link.name)));
		ck_assert_ptr_null(strchr(link.name, '/'));
		close(fd);
		bytes[i / 8] ^= (char)(1 << i % 8);
	}
	for (i = 0; i < sizeof(small); i += 7) {
		int fd = file_of(&small, i);

		debug_link_read(fd, &link);
		close(fd);
	}
}

/* ---- handles of kernels ---- */

TEST(names_of_handles)
{
	static const struct {
		const char *symbol, *kernel;
	} cases[] = {
		{ "_ZZ24__device_stub__Z5plainPiPiE8__handle", "_Z5plainPi" },
		{ "_ZZL24__device_stub__Z5freshPiPiE8__handle", "_Z5freshPi" },
		{ "_ZZL29__device_stub__Z5typedIlEvPT_PlE8__handle", "_Z5typedIlEvPT_" },
		{ "_ZZ33__device_stub__ZN5space5namedEPifPifE8__handle", "_ZN5space5namedEPif" },
		{ "_ZZ24__device_stub__Z5plainPiPiE5__tmp", NULL },
		{ "_ZZ24__device_other_Z5plainPiPiE8__handle", NULL },
		{ "_ZZ240__device_stub__Z5plainPiPiE8__handle", NULL },
		{ "_ZZ99999999999999999999999999__device_stub__Z5plainPiPiE8__handle", NULL },
		{ "_ZZ__device_stub__Z5plainPiPiE8__handle", NULL },
		{ "_ZZ14__device_stub_E8__handle", NULL },
		{ "_ZZE8__handle", NULL },
		{ "_ZZL", NULL },
		{ "_ZZ", NULL },
		{ "E8__handle", NULL },
		{ "", NULL },
	};
	char *kernel, *endless = malloc(100001);
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		kernel = handles_kernel(cases[i].symbol);
		if (cases[i].kernel) {
			ck_assert_ptr_nonnull(kernel);
			ck_assert_str_eq(kernel, cases[i].kernel);
		} else {
			ck_assert_msg(!kernel, "%s", cases[i].symbol);
		}
		free(kernel);
	}
	memset(endless, '9', 100000);
	memcpy(endless, "_ZZ", 3);
	strcpy(endless + 100000 - 10, "E8__handle");
	ck_assert_ptr_null(handles_kernel(endless));
	free(endless);
}

TEST(variables_of_broken_files)
{
	struct handle_variables variables = { .list = NULL };
	struct small small;
	size_t i;
	int fd;

	small_make(&small, 1);
	small_symbol(&small, S_SYMTAB, "hidden");
	strcpy(small.names + 20, "_ZZ24__device_stub__Z5plainPiPiE8__handle");
	small.sections[S_NAMES].sh_size = sizeof(small.names);
	small.symbols[1] = (Elf64_Sym){ .st_name = 20,
					.st_info = ELF64_ST_INFO(STB_LOCAL, STT_OBJECT),
					.st_shndx = 9,
					.st_value = 0x7148,
					.st_size = 8 };
	fd = file_of(&small, sizeof(small));
	/* Code of address 0x5000 and offset 0x1000 is mapped at 0x400000. */
	ck_assert_int_eq(handles_read(fd, -1, 0x400000, 0x1000, &variables), 0);
	ck_assert_uint_eq(variables.count, 1);
	ck_assert_uint_eq(variables.list[0].address, 0x400000 + 0x2148);
	ck_assert_str_eq(variables.list[0].kernel, "_Z5plainPi");
	handles_free(&variables);
	ck_assert_int_eq(handles_read(fd, -1, 0x400000, 0x9000000, &variables), -EBADMSG);
	close(fd);
	for (i = 0; i < 8 * sizeof(small);
	     i += i < 8 * offsetof(struct small, rest) || i > 8 * offsetof(struct small, sections) ?
			  1 :
			  512) {
		char *bytes = (char *)&small;

		bytes[i / 8] ^= (char)(1 << i % 8);
		fd = file_of(&small, i % 5 ? sizeof(small) : i / 8);
		handles_read(fd, fd, 0x400000, 0x1000, &variables);
		handles_free(&variables);
		close(fd);
		bytes[i / 8] ^= (char)(1 << i % 8);
	}
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *place)
{
	(void)st;
	(void)type;
	(void)place;
	return remove(path);
}

int main(void)
{
	int failed;

	if (!mkdtemp(folder))
		return EXIT_FAILURE;
	failed = tests_run();
	nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	return failed;
}
