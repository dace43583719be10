/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A note is a header of three numbers, the owner's name, and a description, each padded to the
 * notes' alignment.
 */
#include "names/buildid.h"

#include <stdlib.h>
#include <string.h>

#define NOTES_MAX 65536u /* bytes that are read of a segment or section of notes */
#define PARTS_MAX 64     /* such segments or sections that are read of a file */

struct search {
	const struct sections *file;
	bool (*take)(void *context, const unsigned char *id, size_t len);
	void *context;
	unsigned int parts;
};

static size_t filled(size_t size, size_t align)
{
	return (size + align - 1) & ~(align - 1);
}

static bool notes_search(const struct search *search, const unsigned char *notes, size_t size,
			 size_t align)
{
	size_t at = 0, name, desc;
	Elf64_Nhdr note;

	while (size - at >= sizeof(note)) {
		memcpy(&note, notes + at, sizeof(note));
		name = at + sizeof(note);
		if (note.n_namesz > size - name)
			return false;
		desc = filled(name + note.n_namesz, align);
		if (desc > size || note.n_descsz > size - desc)
			return false;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
		    !memcmp(notes + name, "GNU", 4) && note.n_descsz >= 2 &&
		    note.n_descsz <= BUILD_ID_MAX &&
		    search->take(search->context, notes + desc, note.n_descsz))
			return true;
		at = filled(desc + note.n_descsz, align);
		if (at > size)
			return false;
	}
	return false;
}

static bool part_search(struct search *search, uint64_t offset, uint64_t size, uint64_t align)
{
	unsigned char *notes;
	bool found;
	size_t n;

	if (!size || size > NOTES_MAX || search->parts++ >= PARTS_MAX)
		return false;
	notes = malloc((size_t)size);
	if (!notes)
		return false;
	n = sections_read(search->file, offset, notes, (size_t)size);
	found = notes_search(search, notes, n, align == 8 ? 8 : 4);
	free(notes);
	return found;
}

bool build_id_find(const struct sections *file,
		   bool (*take)(void *context, const unsigned char *id, size_t len), void *context)
{
	struct search search = { .file = file, .take = take, .context = context };
	bool found = false;
	size_t i;

	for (i = 0; i < file->segment_count && !found; i++)
		if (file->segments[i].p_type == PT_NOTE)
			found = part_search(&search, file->segments[i].p_offset,
					    file->segments[i].p_filesz, file->segments[i].p_align);
	/* A debug file may have kept only the section. */
	for (i = 0; i < file->count && !found; i++)
		if (file->list[i].sh_type == SHT_NOTE)
			found = part_search(&search, file->list[i].sh_offset, file->list[i].sh_size,
					    file->list[i].sh_addralign);
	return found;
}
