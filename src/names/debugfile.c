/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A watched program may have made both the files and the folders on the way: names are cut to their
 * last component, links inside a root are followed inside it (openat2), and only regular files are
 * read.
 */
#include "names/debugfile.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <zlib.h>

#include "util/starter.h"
#include "util/util.h"

/* bytes that are checksummed for one file: a larger debug file is accepted by build id only */
#define CRC_MAX       (256ll << 20)
#define LINK_MAX_SIZE 8192 /* bytes of .gnu_debuglink */
#define DEBUG_DIR     "/usr/lib/debug"

static bool build_id_take(void *context, const unsigned char *id, size_t len)
{
	struct debug_link *link = context;

	memcpy(link->build_id, id, len);
	link->build_id_len = len;
	return true;
}

static void link_section_read(const struct sections *file, struct debug_link *link)
{
	const Elf64_Shdr *section = sections_of_name(file, ".gnu_debuglink");
	char data[LINK_MAX_SIZE], *slash, *name;
	size_t size, len, at;

	if (!section || section->sh_type == SHT_NOBITS || section->sh_size > sizeof(data))
		return;
	size = sections_read(file, section->sh_offset, data, (size_t)section->sh_size);
	len = strnlen(data, size);
	/* The name, its NUL, up to a multiple of four: the checksum */
	at = (len + 4) & ~(size_t)3;
	if (len == size || at + 4 > size)
		return;
	slash = strrchr(data, '/');
	name = slash ? slash + 1 : data;
	if (!*name || !strcmp(name, ".") || !strcmp(name, "..") ||
	    strlen(name) >= sizeof(link->name))
		return;
	strcpy(link->name, name);
	memcpy(&link->crc, data + at, 4);
}

int debug_link_read(int fd, struct debug_link *link)
{
	struct sections file;

	memset(link, 0, sizeof(*link));
	if (sections_open(&file, fd))
		return -ENOENT;
	build_id_find(&file, build_id_take, link);
	link_section_read(&file, link);
	sections_close(&file);
	return link->build_id_len || link->name[0] ? 0 : -ENOENT;
}

/* Opens the regular file @path as if @root were "/". */
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
	if (fd < 0 && errno == ENOSYS && !strcmp(root, "/")) /* Linux before 5.6 */
		fd = open(path, O_PATH | O_CLOEXEC);
	close(folder);
	if (fd >= 0)
		fd = file_reopen_regular(fd);
	return fd < 0 ? -ENOENT : fd;
}

/* What is searched for, and how many bytes may still be checksummed. */
struct search {
	const struct stat *of;
	const struct debug_link *link;
	off_t crc_left;
};

static bool has_crc(struct search *search, int fd)
{
	enum { CHUNK = 1 << 16 };
	uLong crc = 0;
	struct stat st;
	off_t at = 0;
	uint8_t *chunk;
	ssize_t n;

	if (fstat(fd, &st) || st.st_size > search->crc_left)
		return false;
	search->crc_left -= st.st_size;
	chunk = malloc(CHUNK);
	if (!chunk)
		return false;
	while (at < st.st_size && (n = pread(fd, chunk, CHUNK, at)) > 0) {
		crc = crc32(crc, chunk, (uInt)n);
		at += n;
	}
	free(chunk);
	return at == st.st_size && crc == search->link->crc;
}

/* True if the file open at @fd is the debug file that is searched for. */
static bool is_debug_file(struct search *search, int fd)
{
	const struct debug_link *link = search->link;
	struct debug_link found;

	debug_link_read(fd, &found);
	if (link->build_id_len && found.build_id_len)
		return found.build_id_len == link->build_id_len &&
		       !memcmp(found.build_id, link->build_id, link->build_id_len);
	return link->name[0] && has_crc(search, fd);
}

static bool is_same_file(const struct stat *of, int fd)
{
	struct stat st;

	return !fstat(fd, &st) && file_is_same(of, &st);
}

static int candidate_open(struct search *search, const char *root, const char *path)
{
	int found = open_below(root, path);

	if (found < 0)
		return found;
	if (!is_same_file(search->of, found) && is_debug_file(search, found))
		return found;
	close(found);
	return -ENOENT;
}

static int by_build_id(struct search *search, const char *root)
{
	const struct debug_link *link = search->link;
	char path[sizeof(DEBUG_DIR) + 2 * BUILD_ID_MAX + 32];
	size_t i;
	int len;

	if (!link->build_id_len)
		return -ENOENT;
	len = snprintf(path, sizeof(path), DEBUG_DIR "/.build-id/%02x/", link->build_id[0]);
	for (i = 1; i < link->build_id_len; i++)
		len += snprintf(path + len, sizeof(path) - (size_t)len, "%02x", link->build_id[i]);
	snprintf(path + len, sizeof(path) - (size_t)len, ".debug");
	return candidate_open(search, root, path);
}

static int by_name(struct search *search, const char *root, const char *path)
{
	const struct debug_link *link = search->link;
	static const char *const places[][2] = { { "", "/" },
						 { "", "/.debug/" },
						 { DEBUG_DIR, "/" } };
	const char *slash = path ? strrchr(path, '/') : NULL;
	char place[4096 + 300];
	int found = -ENOENT;
	size_t i;

	if (!link->name[0] || !slash || slash - path > 4000)
		return -ENOENT;
	for (i = 0; i < 3 && found < 0; i++) {
		snprintf(place, sizeof(place), "%s%.*s%s%s", places[i][0], (int)(slash - path),
			 path, places[i][1], link->name);
		found = candidate_open(search, root, place);
	}
	return found;
}

static int debug_file_find(const struct stat *of, const struct debug_link *link,
			   const char *const *roots, const char *path)
{
	struct search search = { .of = of, .link = link, .crc_left = CRC_MAX };
	int found = -ENOENT;

	for (; *roots && found < 0; roots++) {
		found = by_build_id(&search, *roots);
		if (found < 0)
			found = by_name(&search, *roots, path);
	}
	return found;
}

int debug_file_open(const struct stat *of, const struct debug_link *link, const char *const *roots,
		    const char *path)
{
	uint32_t kept;
	int found;

	/*
	 * A file names its own debug file, and the user who started cutop may have made that file:
	 * read with that user's rights.
	 */
	if (starter_begin(&kept))
		return -ENOENT;
	found = debug_file_find(of, link, roots, path);
	starter_end(kept);
	return found;
}
