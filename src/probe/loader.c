/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The loader's state is found by two symbols that it exports for debuggers. Nearly all programs use
 * the same loader file, so one probe serves. A thread that has to wait is sent back to the
 * instruction before _dl_debug_state(), a nop that fills the space between two functions. So it
 * reaches the probe again, with its registers and stack unchanged.
 */
#include "probe/loader.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "names/segments.h"
#include "names/symtab.h"
#include "probe/attach.h"
#include "probe/probe_internal.h"

#define SYMBOLS_MAX 4096 /* a loader exports some forty */

struct loader_symbols {
	/* Addresses of _dl_debug_state() and _r_debug; 0: not found */
	uint64_t changes, state;
	uint64_t offset;  /* of _dl_debug_state(), in the file */
	unsigned int pad; /* bytes of the instruction before it */
};

/* Nops that compilers put between functions. */
static const struct {
	unsigned int len;
	unsigned char bytes[8];
} pads[] = {
#if defined(__x86_64__)
	{ 1, { 0x90 } },
	{ 3, { 0x0f, 0x1f, 0x00 } },
	{ 4, { 0x0f, 0x1f, 0x40, 0x00 } },
	{ 5, { 0x0f, 0x1f, 0x44, 0x00, 0x00 } },
	{ 7, { 0x0f, 0x1f, 0x80, 0x00, 0x00, 0x00, 0x00 } },
	{ 8, { 0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00 } },
#else
	{ 4, { 0x1f, 0x20, 0x03, 0xd5 } },
#endif
};

/* The length of the nop right before @offset of the file open at @fd; 0: there is none. */
static unsigned int pad_before(int fd, uint64_t offset)
{
	unsigned char code[8];
	size_t i;

	if (offset < sizeof(code) ||
	    pread(fd, code, sizeof(code), (off_t)(offset - sizeof(code))) != (ssize_t)sizeof(code))
		return 0;
	for (i = 0; i < ARRAY_LEN(pads); i++)
		if (!memcmp(code + sizeof(code) - pads[i].len, pads[i].bytes, pads[i].len))
			return pads[i].len;
	return 0;
}

static enum symtab_want symbol_want(void *context, const Elf64_Sym *symbol)
{
	(void)context;
	return symbol->st_shndx != SHN_UNDEF ? SYMTAB_NAMED : SYMTAB_LEAVE;
}

static bool is_name(const char *name, size_t len, const char *wanted)
{
	return len == strlen(wanted) && !memcmp(name, wanted, len);
}

static int symbol_take(void *context, const Elf64_Sym *symbol, const char *name, size_t len)
{
	struct loader_symbols *symbols = context;

	if (name && is_name(name, len, "_dl_debug_state"))
		symbols->changes = symbol->st_value;
	else if (name && is_name(name, len, "_r_debug"))
		symbols->state = symbol->st_value;
	return 0;
}

static int symbols_read(int fd, struct loader_symbols *symbols)
{
	const struct symtab_search search = {
		.want = symbol_want, .visit = symbol_take, .context = symbols, .name_max = 64
	};
	struct segments segments;
	struct sections file;
	struct symtab table;
	int err = elffile_open(fd, &file, NULL);

	if (err)
		return err;
	if (!symtab_find(&file, SHT_DYNSYM, &table) && table.count <= SYMBOLS_MAX)
		symtab_visit(&table, &search);
	segments_read(&file, &segments);
	sections_close(&file);
	if (!symbols->changes || !symbols->state ||
	    segments_offset(&segments, symbols->changes, &symbols->offset))
		return -ENOENT;
	symbols->pad = pad_before(fd, symbols->offset);
	return symbols->pad ? 0 : -ENOENT;
}

static bool is_known(const struct probe *probe, const struct file_id *id)
{
	size_t i;

	for (i = 0; i < probe->loader_count; i++)
		if (!memcmp(&probe->loaders[i], id, sizeof(*id)))
			return true;
	return false;
}

/*
 * Opens the loader that the program @seen asks for, below @root. Returns 0 with @loader, or a
 * negative errno.
 */
static int interpreter_open(const struct probe *probe, const struct seen_file *seen,
			    const char *root, struct seen_file *loader)
{
	struct reason why = { "" };
	struct elf_needs needs;
	char path[4096];
	int err, len;

	*loader = (struct seen_file){ .fd = -1, .place = -1 };
	err = elffile_needs(seen->fd, &needs, &why);

	if (err)
		return err;
	len = needs.interpreter ? snprintf(path, sizeof(path), "%s%s", root, needs.interpreter) :
				  -1;
	elffile_needs_free(&needs);
	return len < 0 || len >= (int)sizeof(path) ?
		       -ENOENT :
		       outside_open(&probe->outside, path, COPY_TABLES | COPY_CODE,
				    probe->outside.patience, loader);
}

static void loader_place(struct probe *probe, const struct seen_file *seen, const char *path)
{
	int program = bpf_program__fd(probe->bpf.skeleton->progs.loader_changes);
	struct loader_symbols symbols = { 0 };
	uint64_t cookie;
	int err, link, hold = -1;

	if (!seen->identified || is_known(probe, &seen->id))
		return;
	err = probe->loader_count == LOADERS_MAX ? -E2BIG : symbols_read(seen->fd, &symbols);
	if (!err)
		err = outside_hold(&probe->outside, seen, &symbols.offset, 1, &hold);
	if (!err) {
		cookie = ((symbols.state - symbols.changes) & ((1ull << 56) - 1)) |
			 (uint64_t)symbols.pad << 56;
		link = link_entry(program, seen_place(seen), symbols.offset, cookie);
		err = link < 0 ? link : probe_adopt_link(probe, link);
	}
	if (err) {
		errand_release(probe->outside.errands, hold);
		note(probe->settings.notes,
		     "%s: threads do not wait in this loader for their libraries to be probed: %s",
		     path,
		     err == -ENOENT ? "it does not say when it loads, or not as those known" :
				      strerror(-err));
		return;
	}
	probe->loader_holds[probe->loader_count] = hold;
	probe->loaders[probe->loader_count++] = seen->id;
	note(probe->settings.notes, "%s: threads that load a library wait until it was looked at",
	     path);
}

void loader_add(struct probe *probe, const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	const struct later later = { .what = LATER_LOADER };
	struct seen_file seen;
	int err;

	/* ld-linux-x86-64.so.2, ld64.so.2, ld-2.31.so */
	if (!probe->bpf.loader_waits || strncmp(name, "ld", 2) || !strstr(name, ".so"))
		return;
	err = outside_open_named(&probe->outside, path, COPY_TABLES | COPY_CODE,
				 probe->outside.patience, &seen);
	if (outside_is_later(err))
		probe_keep(probe, &later, path);
	if (err)
		return;
	loader_place(probe, &seen, path);
	seen_close(&seen);
}

void loader_add_own(struct probe *probe)
{
	struct seen_file own, loader;

	if (!probe->bpf.loader_waits ||
	    outside_open_link(&probe->outside, getpid(), "exe", NULL, 0, &own))
		return;
	if (!interpreter_open(probe, &own, "", &loader))
		loader_place(probe, &loader, loader.path);
	seen_close(&loader);
	seen_close(&own);
}

/* True if the program that @tgid runs was loaded by one of the probed loaders. */
static bool is_loaded_by_one(struct probe *probe, uint32_t tgid)
{
	struct seen_file program, loader;
	char root[64];
	bool known;

	snprintf(root, sizeof(root), "/proc/%u/root", tgid);
	if (outside_open_link(&probe->outside, (pid_t)tgid, "exe", NULL, 0, &program))
		return false;
	known = !interpreter_open(probe, &program, root, &loader) && loader.identified &&
		is_known(probe, &loader.id);
	seen_close(&loader);
	seen_close(&program);
	return known;
}

/* True if user space has yet to look at a file that @tgid may already run. */
static bool is_loose(struct probe *probe, uint32_t tgid)
{
	struct cutop_bpf *s = probe->bpf.skeleton;
	__u64 told, answered = 0;

	if (bpf_map_lookup_elem(bpf_map__fd(s->maps.loose), &tgid, &told))
		return false;
	bpf_map_lookup_elem(bpf_map__fd(s->maps.answers), &tgid, &answered);
	return answered < told;
}

bool loader_waits(struct probe *probe, uint32_t tgid, uint64_t since)
{
	int map = bpf_map__fd(probe->bpf.skeleton->maps.loaders);
	struct loader_row row;
	bool starts;

	if (!probe->loader_count || bpf_map_lookup_elem(map, &tgid, &row) ||
	    row.state == LOADER_LEFT || row.began > since || is_loose(probe, tgid))
		return false;
	starts = row.state == LOADER_STARTS;
	if (!starts)
		return true;
	/* Its loader may have begun and finished meanwhile. */
	return is_loaded_by_one(probe, tgid) && !bpf_map_lookup_elem(map, &tgid, &row) &&
	       row.state != LOADER_LEFT && row.began <= since;
}

void loader_answer(struct probe *probe, const struct rec_hdr *record)
{
	struct cutop_bpf *s = probe->bpf.skeleton;
	__u64 time = record->time, before = 0;
	__u32 tgid = record->tgid;

	if (!probe->bpf.loader_waits)
		return;
	__atomic_store_n(&s->bss->loader_stalled, 0, __ATOMIC_SEQ_CST);
	/* The record of one thread may come after a later one of another. */
	if (bpf_map_lookup_elem(bpf_map__fd(s->maps.answers), &tgid, &before) || before < time)
		bpf_map_update_elem(bpf_map__fd(s->maps.answers), &tgid, &time, BPF_ANY);
}

void loader_examining(struct probe *probe, bool examining)
{
	__atomic_store_n(&probe->bpf.skeleton->bss->examining, examining, __ATOMIC_SEQ_CST);
}
