/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Both files and the folders between may be a watched program's own doing:
 * names are cut to their last component, links inside a root are followed
 * inside it (openat2), and only regular files are read.
 */
#include "names/debugfile.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <linux/openat2.h>
#include <lzma.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "names/elfopen.h"
#include "util/util.h"

#define NOTES_MAX	65536u		/* bytes of a note segment looked at */
#define CRC_MAX		(256ll << 20)	/* larger debug files are taken by build id only */
#define UNPACKED_MAX	(64u << 20)	/* bytes of .gnu_debugdata, */
#define LZMA_MEMORY_MAX	(128u << 20)	/* and memory to unpack it in */
#define DEBUG_DIR	"/usr/lib/debug"

static bool build_id_find(Elf_Data *data, struct debug_link *link)
{
	size_t at = 0, name, desc;
	GElf_Nhdr note;

	while (data && (at = gelf_getnote(data, at, &note, &name, &desc)) > 0) {
		if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != 4 || memcmp((char *)data->d_buf + name, "GNU", 4) ||
		    note.n_descsz < 2 || note.n_descsz > BUILD_ID_MAX)
			continue;
		memcpy(link->build_id, (char *)data->d_buf + desc, note.n_descsz);
		link->build_id_len = note.n_descsz;
		return true;
	}
	return false;
}

static void build_id_read(Elf *elf, struct debug_link *link)
{
	size_t count, i;
	GElf_Phdr phdr;
	Elf_Scn *section = NULL;
	GElf_Shdr shdr;

	if (!elf_getphdrnum(elf, &count))
		for (i = 0; i < count && gelf_getphdr(elf, (int)i, &phdr); i++)
			if (phdr.p_type == PT_NOTE && phdr.p_filesz && phdr.p_filesz <= NOTES_MAX &&
			    build_id_find(elf_getdata_rawchunk(elf, (int64_t)phdr.p_offset, phdr.p_filesz,
							       phdr.p_align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR), link))
				return;
	/* A debug file may have kept the section alone. */
	while ((section = elf_nextscn(elf, section)))
		if (gelf_getshdr(section, &shdr) && shdr.sh_type == SHT_NOTE && shdr.sh_size <= NOTES_MAX &&
		    build_id_find(elf_getdata(section, NULL), link))
			return;
}

/* The bytes of the section called @wanted, if there are some and not more than @max. */
static Elf_Data *section_find(Elf *elf, const char *wanted, size_t max)
{
	Elf_Scn *section = NULL;
	const char *name;
	Elf_Data *data;
	GElf_Shdr shdr;
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return NULL;
	while ((section = elf_nextscn(elf, section)) && gelf_getshdr(section, &shdr)) {
		name = elf_strptr(elf, names, shdr.sh_name);
		if (!name || strcmp(name, wanted))
			continue;
		if (shdr.sh_type == SHT_NOBITS || shdr.sh_size > max)
			return NULL;
		data = elf_rawdata(section, NULL);
		return data && data->d_buf && data->d_size ? data : NULL;
	}
	return NULL;
}

static void link_section_read(Elf *elf, struct debug_link *link)
{
	Elf_Data *data = section_find(elf, ".gnu_debuglink", 8192);
	const char *name, *slash;
	size_t len, at;

	if (!data)
		return;
	name = data->d_buf;
	len = strnlen(name, data->d_size);
	at = (len + 4) & ~(size_t)3;	/* the name, its NUL, up to a multiple of four: the checksum */
	if (len == data->d_size || at + 4 > data->d_size)
		return;
	slash = strrchr(name, '/');
	name = slash ? slash + 1 : name;
	if (!*name || !strcmp(name, ".") || !strcmp(name, "..") || strlen(name) >= sizeof(link->name))
		return;
	strcpy(link->name, name);
	memcpy(&link->crc, (char *)data->d_buf + at, 4);
}

char *debug_data_read(Elf *elf, size_t *size)
{
	Elf_Data *data = section_find(elf, ".gnu_debugdata", UNPACKED_MAX);
	lzma_stream stream = LZMA_STREAM_INIT;
	size_t room = 0;
	char *bytes = NULL, *more;
	lzma_ret ret;

	if (!data || lzma_stream_decoder(&stream, LZMA_MEMORY_MAX, 0) != LZMA_OK)
		return NULL;
	stream.next_in = data->d_buf;
	stream.avail_in = data->d_size;
	do {
		if (!stream.avail_out) {
			room = room ? 2 * room : 4 * data->d_size + 4096;
			more = room <= UNPACKED_MAX ? realloc(bytes, room) : NULL;
			if (!more) {
				ret = LZMA_MEM_ERROR;
				break;
			}
			bytes = more;
			stream.next_out = (uint8_t *)bytes + stream.total_out;
			stream.avail_out = room - stream.total_out;
		}
		ret = lzma_code(&stream, LZMA_FINISH);
	} while (ret == LZMA_OK);
	*size = stream.total_out;
	lzma_end(&stream);
	if (ret == LZMA_STREAM_END)
		return bytes;
	free(bytes);
	return NULL;
}

int debug_link_read(int fd, struct debug_link *link)
{
	Elf *elf;

	memset(link, 0, sizeof(*link));
	elf = elf_open(fd);
	if (!elf)
		return -ENOENT;
	build_id_read(elf, link);
	link_section_read(elf, link);
	elf_end(elf);
	return link->build_id_len || link->name[0] ? 0 : -ENOENT;
}

/* Opens regular file @path as if @root were "/". */
static int open_below(const char *root, const char *path)
{
	struct open_how how = {
		.flags = O_PATH | O_CLOEXEC,
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
	};
	int folder = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC), fd;

	if (folder < 0)
		return -errno;
	fd = (int)syscall(SYS_openat2, folder, path, &how, sizeof(how));
	if (fd < 0 && errno == ENOSYS && !strcmp(root, "/"))	/* Linux before 5.6 */
		fd = open(path, O_PATH | O_CLOEXEC);
	close(folder);
	if (fd >= 0)
		fd = file_reopen_regular(fd);
	return fd < 0 ? -ENOENT : fd;
}

static bool has_crc(int fd, uint32_t expected)
{
	enum { CHUNK = 1 << 16 };
	uint32_t crc = 0;
	struct stat st;
	off_t at = 0;
	uint8_t *chunk;
	ssize_t n;

	if (fstat(fd, &st) || st.st_size > CRC_MAX)
		return false;
	chunk = malloc(CHUNK);
	if (!chunk)
		return false;
	while (at < st.st_size && (n = pread(fd, chunk, CHUNK, at)) > 0) {
		crc = lzma_crc32(chunk, (size_t)n, crc);
		at += n;
	}
	free(chunk);
	return at == st.st_size && crc == expected;
}

/* True if the file open at @fd is what @link asks for. */
static bool is_debug_file(int fd, const struct debug_link *link)
{
	struct debug_link found;

	debug_link_read(fd, &found);
	if (link->build_id_len && found.build_id_len)
		return found.build_id_len == link->build_id_len &&
		       !memcmp(found.build_id, link->build_id, link->build_id_len);
	return link->name[0] && has_crc(fd, link->crc);
}

static bool is_same_file(int a, int b)
{
	struct stat x, y;

	return !fstat(a, &x) && !fstat(b, &y) && file_is_same(&x, &y);
}

static int candidate_open(int fd, const struct debug_link *link, const char *root, const char *path)
{
	int found = open_below(root, path);

	if (found < 0)
		return found;
	if (!is_same_file(fd, found) && is_debug_file(found, link))
		return found;
	close(found);
	return -ENOENT;
}

static int by_build_id(int fd, const struct debug_link *link, const char *root)
{
	char path[sizeof(DEBUG_DIR) + 2 * BUILD_ID_MAX + 32];
	size_t i;
	int len;

	if (!link->build_id_len)
		return -ENOENT;
	len = snprintf(path, sizeof(path), DEBUG_DIR "/.build-id/%02x/", link->build_id[0]);
	for (i = 1; i < link->build_id_len; i++)
		len += snprintf(path + len, sizeof(path) - (size_t)len, "%02x", link->build_id[i]);
	snprintf(path + len, sizeof(path) - (size_t)len, ".debug");
	return candidate_open(fd, link, root, path);
}

static int by_name(int fd, const struct debug_link *link, const char *root, const char *path)
{
	static const char *const places[][2] = { { "", "/" }, { "", "/.debug/" }, { DEBUG_DIR, "/" } };
	const char *slash = path ? strrchr(path, '/') : NULL;
	char place[4096 + 300];
	int found = -ENOENT;
	size_t i;

	if (!link->name[0] || !slash || slash - path > 4000)
		return -ENOENT;
	for (i = 0; i < 3 && found < 0; i++) {
		snprintf(place, sizeof(place), "%s%.*s%s%s", places[i][0], (int)(slash - path), path, places[i][1],
			 link->name);
		found = candidate_open(fd, link, root, place);
	}
	return found;
}

int debug_file_open(int fd, const char *const *roots, const char *path)
{
	struct debug_link link;
	int found = -ENOENT;

	if (debug_link_read(fd, &link))
		return -ENOENT;
	for (; *roots && found < 0; roots++) {
		found = by_build_id(fd, &link, *roots);
		if (found < 0)
			found = by_name(fd, &link, *roots, path);
	}
	return found;
}
