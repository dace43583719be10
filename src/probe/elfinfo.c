/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Everything here reads other users' files, with pread(2), within bounds. Code is looked at as
 * bytes: enough to recognize the few forms that matter; any doubt gives "unknown".
 */
#include "probe/elfinfo.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cuda/calls.h"
#include "names/sections.h"
#include "util/utf8.h"

#define DATA_MAX (256u << 20) /* bytes of read-only data searched in one file */
#define CHUNK    (1u << 20)

/* ---- identity ---- */

static void hex_of(const unsigned char *bytes, size_t count, char *out)
{
	size_t i;

	for (i = 0; i < count; i++)
		sprintf(out + 2 * i, "%02x", bytes[i]);
}

static bool build_id_take(void *context, const unsigned char *id, size_t len)
{
	struct elf_info *info = context;

	if (len > (BUILD_ID_SIZE - 1) / 2)
		return false;
	hex_of(id, len, info->build_id);
	return true;
}

static int soname_take(void *context, const Elf64_Dyn *entry, const char *text)
{
	struct elf_info *info = context;

	if (entry->d_tag != DT_SONAME)
		return 0;
	utf8_clean(text, info->soname, sizeof(info->soname));
	return 1;
}

/* ---- a runtime without symbols ---- */

/*
 * Texts that every version of the runtime contains and nothing else of NVIDIA's does. The first two
 * are from its error messages; the driver's name alone is in everything that calls the driver
 * directly.
 */
static const char *const runtime_marks[] = {
	"CUDA driver version is insufficient for CUDA runtime version",
	"libcuda.so.1",
};

#define MARKS    (ARRAY_LEN(runtime_marks))
#define MARK_MAX 64 /* longer than the longest */

static unsigned int marks_search(int fd, uint64_t offset, uint64_t size, char *buffer,
				 unsigned int found)
{
	size_t kept = 0, i;
	uint64_t at = 0;

	while (at < size && found != (1u << MARKS) - 1) {
		size_t want = size - at < CHUNK ? (size_t)(size - at) : CHUNK;
		ssize_t n = pread(fd, buffer + kept, want, (off_t)(offset + at));

		if (n <= 0)
			break;
		for (i = 0; i < MARKS; i++)
			if (memmem(buffer, kept + (size_t)n, runtime_marks[i],
				   strlen(runtime_marks[i]) + 1))
				found |= 1u << i;
		at += (uint64_t)n;
		/* The next piece may continue what the end of this one begins. */
		if (kept + (size_t)n > MARK_MAX) {
			memmove(buffer, buffer + kept + n - MARK_MAX, MARK_MAX);
			kept = MARK_MAX;
		} else {
			kept += (size_t)n;
		}
	}
	return found;
}

bool elfinfo_carries_runtime(int fd)
{
	uint64_t left = DATA_MAX;
	struct sections file;
	unsigned int found = 0;
	char *buffer, name[256];
	size_t i;

	if (elffile_open(fd, &file, NULL))
		return false;
	buffer = malloc(CHUNK + MARK_MAX);
	for (i = 0; buffer && i < file.count; i++) {
		const Elf64_Shdr *section = &file.list[i];
		uint64_t size = section->sh_size < left ? section->sh_size : left;

		if (section->sh_type != SHT_PROGBITS || section->sh_flags & SHF_EXECINSTR ||
		    strncmp(sections_name(&file, section, name, sizeof(name)), ".rodata", 7))
			continue;
		left -= size;
		found = marks_search(fd, section->sh_offset, size, buffer, found);
	}
	free(buffer);
	sections_close(&file);
	return found == (1u << MARKS) - 1;
}

int elfinfo_read(int fd, struct elf_info *info, struct reason *why)
{
	struct sections file;
	size_t i;
	int err;

	memset(info, 0, sizeof(*info));
	err = elffile_open(fd, &file, why);
	if (err)
		return err;
	info->is_program = file.ehdr.e_type == ET_EXEC;
	for (i = 0; i < file.segment_count; i++)
		info->is_program = info->is_program || file.segments[i].p_type == PT_INTERP;
	build_id_find(&file, build_id_take, info);
	elffile_dynamic(&file, soname_take, info);
	info->has_symtab = sections_of_type(&file, SHT_SYMTAB) != NULL;
	/* The C library can be run as a program, too. */
	if (info->soname[0])
		info->is_program = false;
	sections_close(&file);
	return 0;
}

/* ---- the version ---- */

static bool is_version(unsigned int number)
{
	return number >= 9000 && number < 100000 && number % 10 == 0 && number % 1000 < 200;
}

#define CODE_MAX 256

/* The number that @code stores through a register: movl $number,(%reg). 0 if it is no version. */
static unsigned int stored_version(const unsigned char *code, size_t len)
{
	unsigned int number;
	size_t i;

	for (i = 0; i + 6 <= len; i++) {
		/* c7 /0, memory operand without displacement, and without SIB or RIP */
		if (code[i] != 0xc7 || code[i + 1] & 0xf8 || code[i + 1] == 4 || code[i + 1] == 5)
			continue;
		memcpy(&number, code + i + 2, sizeof(number));
		if (is_version(number))
			return number;
	}
	return 0;
}

unsigned int elfinfo_runtime_version(int fd, const struct elf_functions *functions)
{
	unsigned char code[CODE_MAX], called[64];
	unsigned int version;
	size_t i, at;
	ssize_t n, m;
	int32_t jump;

	for (i = 0; i < functions->count + functions->aliases; i++)
		if (functions->list[i].call == CALL_cudaRuntimeGetVersion)
			break;
	if (i == functions->count + functions->aliases)
		return 0;
	n = pread(fd, code, sizeof(code), (off_t)functions->list[i].offset);
	version = stored_version(code, n > 0 ? (size_t)n : 0);
	/* The exported function wraps the one that holds the number. */
	for (at = 0; !version && n > 5 && at + 5 <= (size_t)n; at++) {
		if (code[at] != 0xe8 && code[at] != 0xe9)
			continue;
		memcpy(&jump, code + at + 1, sizeof(jump));
		m = pread(fd, called, sizeof(called),
			  (off_t)(functions->list[i].offset + at + 5 + (uint64_t)(int64_t)jump));
		version = stored_version(called, m > 0 ? (size_t)m : 0);
	}
	return version;
}

unsigned int version_of_name(const char *name, bool *major_only)
{
	const char *slash = strrchr(name, '/'), *at;
	unsigned int major = 0, minor = 0, patch;
	int words;

	name = slash ? slash + 1 : name;
	at = strncmp(name, "libcudart", 9) ? NULL : strstr(name, ".so.");
	if (!at)
		return 0;
	words = sscanf(at, ".so.%3u.%2u.%u", &major, &minor, &patch);
	if (words < 1 || major < 9 || major > 99 || minor > 19)
		return 0;
	/* CUDA 11.0 to 11.8 share the SONAME libcudart.so.11.0. */
	*major_only = words == 1 || (words == 2 && major == 11 && !minor);
	return major * 1000 + minor * 10;
}
