/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where to find a loader's state is read from its symbols: it exports both for
 * debuggers. It is the same file for nearly all programs, so one probe serves.
 *
 * A thread that waits is sent back to the instruction before _dl_debug_state():
 * one that does nothing, to fill the space between two functions. So it comes to
 * the probe again, and its registers and its stack stay as they are.
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

#define SYMBOLS_MAX	4096	/* a loader exports some forty */

struct loader_symbols {
	uint64_t changes, state;	/* addresses of _dl_debug_state() and _r_debug; 0: not found */
	uint64_t offset;		/* of the first, in the file */
	unsigned int pad;		/* bytes of the instruction before it */
};

/* Instructions that do nothing, as compilers put them between functions. */
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

/* The length of such an instruction right before @offset of the file open at @fd; 0: there is none. */
static unsigned int pad_before(int fd, uint64_t offset)
{
	unsigned char code[8];
	size_t i;

	if (offset < sizeof(code) || pread(fd, code, sizeof(code), (off_t)(offset - sizeof(code))) != (ssize_t)sizeof(code))
		return 0;
	for (i = 0; i < ARRAY_LEN(pads); i++)
		if (!memcmp(code + sizeof(code) - pads[i].len, pads[i].bytes, pads[i].len))
			return pads[i].len;
	return 0;
}

static bool symbol_is_defined(void *context, const Elf64_Sym *symbol)
{
	(void)context;
	return symbol->st_shndx != SHN_UNDEF;
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
	const struct symtab_search search = { .want = symbol_is_defined, .visit = symbol_take, .context = symbols, .name_max = 64 };
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
	if (!symbols->changes || !symbols->state || segments_offset(&segments, symbols->changes, &symbols->offset))
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

/* Opens the loader that the program open at @fd asks for, below @root. Returns its descriptor or a negative errno. */
static int interpreter_open(int fd, const char *root, char path[4096])
{
	struct reason why = { "" };
	struct elf_needs needs;
	int err = elffile_needs(fd, &needs, &why), len;

	if (err)
		return err;
	len = needs.interpreter ? snprintf(path, 4096, "%s%s", root, needs.interpreter) : -1;
	elffile_needs_free(&needs);
	return len < 0 || len >= 4096 ? -ENOENT : file_open_regular(path);
}

static void loader_place(struct probe *probe, int fd, const char *path)
{
	int program = bpf_program__fd(probe->bpf.skeleton->progs.loader_changes);
	struct loader_symbols symbols = { 0 };
	struct file_id id;
	uint64_t cookie;
	int err, link;

	if (bpf_identify(&probe->bpf, fd, &id) || is_known(probe, &id))
		return;
	err = probe->loader_count == LOADERS_MAX ? -E2BIG : symbols_read(fd, &symbols);
	if (!err) {
		cookie = ((symbols.state - symbols.changes) & ((1ull << 56) - 1)) | (uint64_t)symbols.pad << 56;
		link = link_entry(program, fd, symbols.offset, cookie);
		err = link < 0 ? link : probe_adopt_link(probe, link);
	}
	if (err) {
		note(probe->settings.notes, "%s: threads do not wait in this loader for their libraries to be probed: %s", path,
		     err == -ENOENT ? "it does not say when it loads, or not as those known" : strerror(-err));
		return;
	}
	probe->loaders[probe->loader_count++] = id;
	note(probe->settings.notes, "%s: threads that load a library wait until it was looked at", path);
}

void loader_add(struct probe *probe, const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	int fd;

	/* ld-linux-x86-64.so.2, ld64.so.2, ld-2.31.so */
	if (!probe->bpf.loader_waits || strncmp(name, "ld", 2) || !strstr(name, ".so"))
		return;
	fd = file_open_regular(path);
	if (fd < 0)
		return;
	loader_place(probe, fd, path);
	close(fd);
}

void loader_add_own(struct probe *probe)
{
	int fd = probe->bpf.loader_waits ? file_open_regular("/proc/self/exe") : -1, loader;
	char path[4096];

	if (fd < 0)
		return;
	loader = interpreter_open(fd, "", path);
	close(fd);
	if (loader < 0)
		return;
	loader_place(probe, loader, path);
	close(loader);
}

/* True if the loader of the program that @tgid runs is one of those probed. */
static bool is_loaded_by_one(struct probe *probe, uint32_t tgid)
{
	char path[64], root[64], name[4096];
	struct file_id id;
	int fd, loader;
	bool known;

	snprintf(path, sizeof(path), "/proc/%u/exe", tgid);
	snprintf(root, sizeof(root), "/proc/%u/root", tgid);
	fd = file_open_regular(path);
	if (fd < 0)
		return false;
	loader = interpreter_open(fd, root, name);
	close(fd);
	if (loader < 0)
		return false;
	known = !bpf_identify(&probe->bpf, loader, &id) && is_known(probe, &id);
	close(loader);
	return known;
}

/* True if user space has yet to look at something that @tgid may run already. */
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

	if (!probe->loader_count || bpf_map_lookup_elem(map, &tgid, &row) || row.state == LOADER_LEFT || row.began > since ||
	    is_loose(probe, tgid))
		return false;
	starts = row.state == LOADER_STARTS;
	if (!starts)
		return true;
	/* It may have begun meanwhile, and ended. */
	return is_loaded_by_one(probe, tgid) && !bpf_map_lookup_elem(map, &tgid, &row) && row.state != LOADER_LEFT && row.began <= since;
}

void loader_answer(struct probe *probe, const struct rec_hdr *record)
{
	struct cutop_bpf *s = probe->bpf.skeleton;
	__u64 time = record->time, before = 0;
	__u32 tgid = record->tgid;

	if (!probe->bpf.loader_waits)
		return;
	__atomic_store_n(&s->bss->loader_stalled, 0, __ATOMIC_SEQ_CST);
	/* Of two threads the later record may come first. */
	if (bpf_map_lookup_elem(bpf_map__fd(s->maps.answers), &tgid, &before) || before < time)
		bpf_map_update_elem(bpf_map__fd(s->maps.answers), &tgid, &time, BPF_ANY);
}

void loader_examining(struct probe *probe, bool examining)
{
	__atomic_store_n(&probe->bpf.skeleton->bss->examining, examining, __ATOMIC_SEQ_CST);
}
