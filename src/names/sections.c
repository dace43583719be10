/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * libelf reads a section whole when one byte of it is asked for, and allocates memory for every
 * section that the ELF header claims: that is fine for trusted files. Here the number of headers is
 * bounded, and everything else is read with pread(2) when it is needed.
 */
#include "names/sections.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define HEADERS_MAX  65536u      /* sections, or segments: plain ELF numbers end at 65,279 */
#define NAMES_MAX    (16u << 20) /* bytes of the names of sections */
#define NAME_LEN_MAX 64          /* longer than any name that is searched for */

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define BYTE_ORDER_HERE ELFDATA2LSB
#else
#define BYTE_ORDER_HERE ELFDATA2MSB
#endif

/* ---- bytes ---- */

size_t sections_read(const struct sections *file, uint64_t offset, void *out, size_t len)
{
	size_t done = 0;
	ssize_t n;

	if (offset >= file->size)
		return 0;
	if (len > file->size - offset)
		len = (size_t)(file->size - offset);
	if (file->fd < 0) {
		memcpy(out, file->memory + offset, len);
		return len;
	}
	while (done < len) {
		n = pread(file->fd, (char *)out + done, len - done, (off_t)(offset + done));
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break; /* the file has become shorter */
		done += (size_t)n;
	}
	return done;
}

uint64_t sections_data(const struct sections *file, uint64_t offset, uint64_t end)
{
	off_t data;

	if (file->fd < 0 || offset >= end)
		return offset < end ? offset : end;
	data = lseek(file->fd, (off_t)offset, SEEK_DATA);
	if (data < 0)
		return errno == ENXIO ? end : offset;
	return (uint64_t)data < end ? (uint64_t)data : end;
}

int sections_hold(const struct sections *file, uint64_t offset, uint64_t size)
{
	return offset <= file->size && size <= file->size - offset;
}

long sections_text(const struct sections *file, uint64_t names, uint64_t names_size, uint64_t at,
		   char *out, size_t size)
{
	size_t n;
	char *end;

	if (at >= names_size || !sections_hold(file, names, names_size))
		return -1;
	if (size > names_size - at)
		size = (size_t)(names_size - at);
	n = sections_read(file, names + at, out, size);
	end = memchr(out, 0, n);
	return end ? end - out : -1;
}

/* ---- headers ---- */

/*
 * Reads @count headers of @size bytes each at @offset into new memory. Returns NULL with *@err set.
 */
static void *headers_read(const struct sections *file, uint64_t offset, size_t count, size_t size,
			  int *err)
{
	void *list;

	if (count > HEADERS_MAX || !sections_hold(file, offset, count * size)) {
		*err = -EBADMSG;
		return NULL;
	}
	list = malloc(count * size + 1);
	if (!list) {
		*err = -ENOMEM;
	} else if (sections_read(file, offset, list, count * size) != count * size) {
		*err = -EBADMSG;
		free(list);
		list = NULL;
	}
	return list;
}

static int ehdr_read(struct sections *file)
{
	Elf64_Ehdr *ehdr = &file->ehdr;

	if (sections_read(file, 0, ehdr, sizeof(*ehdr)) < sizeof(*ehdr) ||
	    memcmp(ehdr->e_ident, ELFMAG, SELFMAG) || ehdr->e_ident[EI_CLASS] != ELFCLASS64 ||
	    ehdr->e_ident[EI_DATA] != BYTE_ORDER_HERE)
		return -ENOEXEC;
	if (ehdr->e_version != EV_CURRENT ||
	    (ehdr->e_shoff && ehdr->e_shentsize != sizeof(Elf64_Shdr)) ||
	    (ehdr->e_phoff && ehdr->e_phentsize != sizeof(Elf64_Phdr)))
		return -EBADMSG;
	return 0;
}

/*
 * How many headers there are. Numbers too large for the ELF header are in the first section header.
 */
static int counts_read(struct sections *file, size_t *count, size_t *segments, size_t *names)
{
	const Elf64_Ehdr *ehdr = &file->ehdr;
	Elf64_Shdr first = { 0 };

	*count = ehdr->e_shnum;
	*segments = ehdr->e_phnum;
	*names = ehdr->e_shstrndx;
	if (ehdr->e_shoff &&
	    (!ehdr->e_shnum || ehdr->e_phnum == PN_XNUM || ehdr->e_shstrndx == SHN_XINDEX)) {
		if (sections_read(file, ehdr->e_shoff, &first, sizeof(first)) != sizeof(first))
			return -EBADMSG;
		if (!ehdr->e_shnum)
			*count = first.sh_size < SIZE_MAX ? (size_t)first.sh_size : SIZE_MAX;
		if (ehdr->e_phnum == PN_XNUM)
			*segments = first.sh_info;
		if (ehdr->e_shstrndx == SHN_XINDEX)
			*names = first.sh_link;
	}
	if (!ehdr->e_shoff)
		*count = 0;
	if (!ehdr->e_phoff)
		*segments = 0;
	return 0;
}

static int file_open(struct sections *file)
{
	size_t names;
	int err = ehdr_read(file);

	if (!err)
		err = counts_read(file, &file->count, &file->segment_count, &names);
	if (err)
		return err;
	file->list = headers_read(file, file->ehdr.e_shoff, file->count, sizeof(*file->list), &err);
	if (file->list)
		file->segments = headers_read(file, file->ehdr.e_phoff, file->segment_count,
					      sizeof(*file->segments), &err);
	if (file->segments && names && names < file->count) {
		file->names = file->list[names].sh_offset;
		file->names_size = file->list[names].sh_size;
		if (file->names_size > NAMES_MAX)
			err = -EBADMSG;
	}
	if (err)
		sections_close(file);
	return err;
}

int sections_open(struct sections *file, int fd)
{
	struct stat st;

	if (fstat(fd, &st))
		return -EBADMSG;
	*file = (struct sections){ .fd = fd, .size = st.st_size > 0 ? (uint64_t)st.st_size : 0 };
	return file_open(file);
}

int sections_open_memory(struct sections *file, const char *memory, size_t size)
{
	*file = (struct sections){ .fd = -1, .memory = memory, .size = size };
	return file_open(file);
}

void sections_close(struct sections *file)
{
	free(file->list);
	free(file->segments);
	file->list = NULL;
	file->segments = NULL;
}

/* ---- sections ---- */

const char *sections_name(const struct sections *file, const Elf64_Shdr *section, char *out,
			  size_t size)
{
	if (sections_text(file, file->names, file->names_size, section->sh_name, out, size) < 0)
		*out = 0;
	return out;
}

const Elf64_Shdr *sections_of_type(const struct sections *file, uint32_t type)
{
	size_t i;

	for (i = 0; i < file->count; i++)
		if (file->list[i].sh_type == type)
			return &file->list[i];
	return NULL;
}

const Elf64_Shdr *sections_of_name(const struct sections *file, const char *name)
{
	char text[NAME_LEN_MAX];
	size_t i;

	for (i = 0; i < file->count; i++)
		if (!strcmp(sections_name(file, &file->list[i], text, sizeof(text)), name))
			return &file->list[i];
	return NULL;
}

const Elf64_Shdr *sections_link(const struct sections *file, const Elf64_Shdr *section)
{
	const Elf64_Shdr *linked = section->sh_link < file->count ? &file->list[section->sh_link] :
								    NULL;

	return linked && linked->sh_type != SHT_NOBITS &&
			       sections_hold(file, linked->sh_offset, linked->sh_size) ?
		       linked :
		       NULL;
}
