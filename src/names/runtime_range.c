/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The runtime is one object of NVIDIA's archive, so its code is one contiguous range. It never
 * calls the program by name, and the program calls only its interface. So:
 *
 * 1. A few of its functions use a text that only the runtime has. They belong to its lowest layer,
 *    which deals with the operating system.
 * 2. What these call, and what lies between, is of that layer: the interface is elsewhere.
 * 3. What calls that layer is the runtime, some hundred functions all over it. The outermost of
 *    these are left out: a few functions of the object are in other sections (.text.startup),
 *    which linkers put in front of all objects.
 * 4. From there the range grows over what is called from it.
 *
 * A runtime's functions do call those of other objects where the program defines functions of
 * the C library: malloc(), for instance. Linkers export these, so .dynsym lists them. The C library
 * adds atexit() to each program itself, which is a jump to the library.
 *
 * Each rule may miss functions at both ends. None may add one of the program's: a range with
 * another exported function in it is not taken, nor is one that is too large.
 */
#include "names/runtime_range.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/runtime_mark.h"
#include "names/sections.h"

/* ---- a window of code ---- */

#define REACH_MAX     (16u << 20)
#define FUNCTIONS_MAX (1u << 19)
#define CALLS_MAX     (1u << 20)
#define TEXTS_MAX     (1u << 17) /* addresses of data that are looked at */
#define PREFIX_MAX    32
#define FORWARDER_MAX 48 /* bytes */
#define SECTIONS_MAX  1024

/* ---- where functions begin ---- */

/* An entry of the table behind .eh_frame_hdr's head; both are relative to its address. */
struct hdr_entry {
	int32_t function, unwind;
};

/* The encodings that all linkers use: a count of 4 bytes, and entries as above */
static const unsigned char hdr_head[] = { 1, 0x1b, 0x03, 0x3b };

struct hdr_table {
	const struct sections *file;
	uint64_t address, entries, count;
};

static bool table_open(const struct sections *file, struct hdr_table *table)
{
	unsigned char head[12];
	uint32_t count;
	size_t i;

	for (i = 0; i < file->segment_count; i++)
		if (file->segments[i].p_type == PT_GNU_EH_FRAME)
			break;
	if (i == file->segment_count ||
	    sections_read(file, file->segments[i].p_offset, head, sizeof(head)) != sizeof(head) ||
	    memcmp(head, hdr_head, sizeof(hdr_head)))
		return false;
	memcpy(&count, head + 8, sizeof(count));
	*table = (struct hdr_table){
		.file = file,
		.address = file->segments[i].p_vaddr,
		.entries = file->segments[i].p_offset + sizeof(head),
		.count = count,
	};
	return sections_hold(file, table->entries, count * sizeof(struct hdr_entry));
}

static size_t entries_read(const struct hdr_table *table, uint64_t number,
			   struct hdr_entry *entries, size_t count)
{
	if (count > table->count - number)
		count = (size_t)(table->count - number);
	return sections_read(table->file, table->entries + number * sizeof(*entries), entries,
			     count * sizeof(*entries)) /
	       sizeof(*entries);
}

static uint64_t function_of(const struct hdr_table *table, const struct hdr_entry *entry)
{
	return table->address + (uint64_t)(int64_t)entry->function;
}

/* The number of the first entry at or after @address. */
static uint64_t table_search(const struct hdr_table *table, uint64_t address)
{
	uint64_t low = 0, high = table->count;
	struct hdr_entry entry;

	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (!entries_read(table, middle, &entry, 1))
			return table->count;
		if (function_of(table, &entry) < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Adds the functions that begin in the window. Returns 0 or a negative errno. */
static int functions_read(struct code_window *window)
{
	struct hdr_entry entries[512];
	struct hdr_table table;
	uint64_t number;
	size_t n, i, room = window->size / 4 + 1;

	if (!table_open(window->file, &table))
		return -ENODATA;
	if (room > FUNCTIONS_MAX)
		room = FUNCTIONS_MAX;
	if (room > table.count)
		room = (size_t)table.count;
	window->functions = malloc((room + 1) * sizeof(*window->functions));
	if (!window->functions)
		return -ENOMEM;
	for (number = table_search(&table, window->address); number < table.count; number += n) {
		n = entries_read(&table, number, entries, sizeof(entries) / sizeof(entries[0]));
		if (!n)
			return -EBADMSG;
		for (i = 0; i < n; i++) {
			uint64_t at = function_of(&table, &entries[i]) - window->address;

			if (at >= window->size)
				return window->count ? 0 : -ENOENT;
			if (window->count == room ||
			    (window->count && at <= window->functions[window->count - 1]))
				return -EBADMSG;
			window->functions[window->count++] = (uint32_t)at;
		}
	}
	return window->count ? 0 : -ENOENT;
}

size_t code_window_function(const struct code_window *window, uint32_t at)
{
	size_t low = 0, high = window->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (window->functions[middle] <= at)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? low - 1 : SIZE_MAX;
}

uint32_t code_window_end(const struct code_window *window, size_t index)
{
	return index + 1 < window->count ? window->functions[index + 1] : window->size;
}

/* ---- calls ---- */

/* Where the jump or call at byte @at leads, as if the window had no limits. */
static int64_t target_of(const struct code_window *window, uint32_t at)
{
	int32_t distance;

	memcpy(&distance, window->code + at + 1, sizeof(distance));
	return (int64_t)at + 5 + distance;
}

static bool is_call(unsigned char byte)
{
	return byte == 0xe8 || byte == 0xe9;
}

/* Calls lead to few functions: looking a byte up in a set first spares searches. */
static int calls_read(struct code_window *window)
{
	unsigned char *set = calloc(window->size / 8 + 1, 1);
	size_t function, i;
	uint32_t at;

	window->calls = malloc(CALLS_MAX * sizeof(*window->calls));
	if (!set || !window->calls) {
		free(set);
		return -ENOMEM;
	}
	for (i = 0; i < window->count; i++)
		set[window->functions[i] / 8] |= (unsigned char)(1 << window->functions[i] % 8);
	for (function = 0; function < window->count; function++) {
		uint32_t end = code_window_end(window, function);

		for (at = window->functions[function]; at + 5 <= end; at++) {
			int64_t to = is_call(window->code[at]) ? target_of(window, at) : -1;
			size_t called;

			if (to < 0 || to >= window->size || !(set[to / 8] >> to % 8 & 1))
				continue;
			called = code_window_function(window, (uint32_t)to);
			if (called == function)
				continue;
			if (window->call_count == CALLS_MAX)
				goto out;
			window->calls[window->call_count++] =
				(struct code_call){ (uint32_t)function, (uint32_t)called };
		}
	}
out:
	free(set);
	return 0;
}

/* ---- where the file has code ---- */

static int place_compare(const void *left, const void *right)
{
	const struct code_place *a = left, *b = right;

	return (a->start > b->start) - (a->start < b->start);
}

/* A file may have a thousand sections, and there are many jumps to look up. */
static int places_read(struct code_window *window)
{
	const struct sections *file = window->file;
	size_t i, last = 0, count = 0;
	struct code_place *places = calloc(file->count + 1, sizeof(*places));

	if (!places)
		return -ENOMEM;
	for (i = 0; i < file->count; i++) {
		uint64_t start = file->list[i].sh_addr, end;

		if (file->list[i].sh_flags & SHF_EXECINSTR && file->list[i].sh_size &&
		    !__builtin_add_overflow(start, file->list[i].sh_size, &end))
			places[count++] = (struct code_place){ start, end };
	}
	qsort(places, count, sizeof(*places), place_compare);
	for (i = 1; i < count; i++) {
		if (places[i].start > places[last].end)
			places[++last] = places[i];
		else if (places[i].end > places[last].end)
			places[last].end = places[i].end;
	}
	window->places = places;
	window->place_count = count ? last + 1 : 0;
	return 0;
}

static bool is_code(const struct code_window *window, uint64_t address)
{
	size_t low = 0, high = window->place_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (window->places[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low && address < window->places[low - 1].end;
}

bool code_window_forwards(const struct code_window *window, size_t index)
{
	uint32_t at = window->functions[index], end = code_window_end(window, index);

	if (end - at > FORWARDER_MAX)
		return false;
	for (; at + 5 <= end; at++) {
		int64_t to = window->code[at] == 0xe9 ? target_of(window, at) : 0;

		if ((to < 0 || to >= window->size) &&
		    is_code(window, window->address + (uint64_t)to))
			return true;
	}
	return false;
}

/* ---- texts ---- */

/* The section with read-only or other data at @address, or NULL. */
static const Elf64_Shdr *data_at(const struct sections *file, uint64_t address)
{
	size_t i;

	for (i = 0; i < file->count; i++) {
		const Elf64_Shdr *section = &file->list[i];

		if (section->sh_type == SHT_PROGBITS && section->sh_flags & SHF_ALLOC &&
		    !(section->sh_flags & SHF_EXECINSTR) && address >= section->sh_addr &&
		    address - section->sh_addr < section->sh_size)
			return section;
	}
	return NULL;
}

/* The address that lea 0x1234(%rip),%reg at byte @at stores; 0: it is another instruction. */
static uint64_t address_used(const struct code_window *window, uint32_t at)
{
	const unsigned char *code = window->code + at;
	int32_t distance;

	if ((code[0] != 0x48 && code[0] != 0x4c) || code[1] != 0x8d || (code[2] & 0xc7) != 5)
		return 0;
	memcpy(&distance, code + 3, sizeof(distance));
	return window->address + at + 7 + (uint64_t)(int64_t)distance;
}

void code_window_users(const struct code_window *window, const char *prefix,
		       void (*visit)(void *context, size_t function), void *context)
{
	size_t function, len = strlen(prefix), looked = 0;
	const Elf64_Shdr *section = NULL;
	char text[PREFIX_MAX];
	uint32_t at;

	for (function = 0; function < window->count; function++) {
		uint32_t end = code_window_end(window, function);
		bool found = false;

		for (at = window->functions[function]; at + 7 <= end && !found; at++) {
			uint64_t address = address_used(window, at);

			if (!address || looked >= TEXTS_MAX)
				continue;
			looked++;
			if (!section || address < section->sh_addr ||
			    address - section->sh_addr >= section->sh_size) {
				section = data_at(window->file, address);
				looked += window->file->count / 64; /* it went through all */
			}
			if (!section)
				continue;
			found = len <= sizeof(text) &&
				sections_read(window->file,
					      address - section->sh_addr + section->sh_offset, text,
					      len) == len &&
				!memcmp(text, prefix, len);
		}
		if (found)
			visit(context, function);
	}
}

/* ---- the window ---- */

static const Elf64_Shdr *code_at(const struct sections *file, uint64_t offset)
{
	size_t i;

	for (i = 0; i < file->count; i++) {
		const Elf64_Shdr *section = &file->list[i];

		if (section->sh_type == SHT_PROGBITS && section->sh_flags & SHF_EXECINSTR &&
		    offset >= section->sh_offset && offset - section->sh_offset < section->sh_size)
			return section;
	}
	return NULL;
}

int code_window_read(const struct sections *file, uint64_t offset, uint32_t reach,
		     struct code_window *window)
{
	const Elf64_Shdr *section = code_at(file, offset);
	uint64_t before, behind, all_before, all_behind;
	int err;

	*window = (struct code_window){ .file = file };
	if (!section || reach > REACH_MAX || file->count > SECTIONS_MAX)
		return -ENOENT;
	all_before = offset - section->sh_offset;
	all_behind = section->sh_size - all_before;
	before = all_before < reach ? all_before : reach;
	behind = all_behind < reach ? all_behind : reach;
	window->goes_on_before = before < all_before;
	window->goes_on_behind = behind < all_behind;
	window->offset = offset - before;
	window->address = section->sh_addr + (window->offset - section->sh_offset);
	window->size = (uint32_t)(before + behind);
	window->code = malloc(window->size);
	err = window->code ? 0 : -ENOMEM;
	if (!err && sections_read(file, window->offset, window->code, window->size) != window->size)
		err = -EBADMSG;
	if (!err)
		err = functions_read(window);
	if (!err)
		err = calls_read(window);
	if (!err)
		err = places_read(window);
	if (err)
		code_window_free(window);
	return err;
}

void code_window_free(struct code_window *window)
{
	free(window->code);
	free(window->functions);
	free(window->calls);
	free(window->places);
	*window = (struct code_window){ .file = NULL };
}

/* ---- the range ---- */

#define REACH       (2u << 20) /* bytes of code before and behind an address that are read */
#define RUNTIME_MAX (1u << 20) /* bytes of code: twice as much as any runtime so far */
/* Bytes without any function that is called from the range, which end it. Up to 5,400 were met. */
#define GAP          (16u << 10)
#define CALLERS_MIN  32 /* functions that call the lowest layer; 80 and more were met */
#define CALLERS_EDGE 8  /* this part of them is left out at each end */
#define NEEDED_MAX   4096
#define EXPORTED_MAX (1u << 20)

enum {
	IS_FOREIGN = 1, /* not the runtime's, whatever calls it */
	IS_CALLED = 2,  /* from the range */
	IS_CALLER = 4,  /* of the lowest layer */
	IS_FORWARDER = 8,
};

struct finding {
	const struct code_window *window;
	unsigned char *marks; /* of each function */
	/* The range: functions from @first up to, not including, @last */
	size_t first, last;
};

/* ---- functions of others ---- */

static enum symtab_want export_want(void *context, const Elf64_Sym *symbol)
{
	const struct code_window *window = ((struct finding *)context)->window;

	return symbol->st_shndx != SHN_UNDEF && symbol->st_value - window->address < window->size ?
		       SYMTAB_NAMED :
		       SYMTAB_LEAVE;
}

static bool starts_with(const char *name, size_t len, const char *prefix)
{
	return len >= strlen(prefix) && !memcmp(name, prefix, strlen(prefix));
}

static int export_mark(void *context, const Elf64_Sym *symbol, const char *name, size_t len)
{
	struct finding *finding = context;
	size_t function = code_window_function(
		finding->window, (uint32_t)(symbol->st_value - finding->window->address));

	if (function != SIZE_MAX &&
	    !(name && (starts_with(name, len, "cuda") || starts_with(name, len, "__cuda"))))
		finding->marks[function] |= IS_FOREIGN;
	return 0;
}

static int exports_mark(struct finding *finding)
{
	const struct symtab_search search = {
		.want = export_want, .visit = export_mark, .context = finding, .name_max = 64
	};
	struct symtab table;
	int err = symtab_find(finding->window->file, SHT_DYNSYM, &table);

	if (err)
		return err == -ENOENT ? 0 : err;
	return table.count > EXPORTED_MAX ? -E2BIG : symtab_visit(&table, &search);
}

/* In a program that needs no library, the runtime calls the C library's functions by name. */
static bool needs_libraries(const struct sections *file)
{
	const Elf64_Shdr *section = sections_of_type(file, SHT_DYNAMIC);
	Elf64_Dyn entry;
	uint64_t i;

	for (i = 0; section && i < NEEDED_MAX && i < section->sh_size / sizeof(entry); i++) {
		if (sections_read(file, section->sh_offset + i * sizeof(entry), &entry,
				  sizeof(entry)) != sizeof(entry) ||
		    entry.d_tag == DT_NULL)
			return false;
		if (entry.d_tag == DT_NEEDED)
			return true;
	}
	return false;
}

/* ---- the range ---- */

static bool is_empty(const struct finding *finding)
{
	return finding->first >= finding->last;
}

static uint32_t start_of(const struct finding *finding, size_t function)
{
	return finding->window->functions[function];
}

static bool is_within(const struct finding *finding, size_t function)
{
	return function >= finding->first && function < finding->last;
}

static void range_include(struct finding *finding, size_t function)
{
	if (is_empty(finding)) {
		finding->first = function;
		finding->last = function + 1;
	}
	if (function < finding->first)
		finding->first = function;
	if (function >= finding->last)
		finding->last = function + 1;
}

static void seed_take(void *context, size_t function)
{
	range_include(context, function);
}

/* Includes functions that are called, one after another, as long as the next one is near. */
static void range_step(struct finding *finding)
{
	const struct code_window *window = finding->window;
	uint32_t edge = start_of(finding, finding->first);
	size_t i;

	for (i = finding->first; i-- > 0 && edge - code_window_end(window, i) <= GAP;)
		if (finding->marks[i] & IS_CALLED) {
			finding->first = i;
			edge = start_of(finding, i);
		}
	edge = code_window_end(window, finding->last - 1);
	for (i = finding->last; i < window->count && start_of(finding, i) - edge <= GAP; i++)
		if (finding->marks[i] & IS_CALLED) {
			finding->last = i + 1;
			edge = code_window_end(window, i);
		}
}

/* Grows the range until nothing that is called from it is near. */
static void range_grow(struct finding *finding)
{
	enum { ROUNDS_MAX = 64 };
	const struct code_window *window = finding->window;
	size_t first, last, i, round = 0;

	do {
		first = finding->first;
		last = finding->last;
		for (i = 0; i < window->call_count; i++) {
			size_t to = window->calls[i].to;

			/*
			 * Each function is looked at once: a hostile one is called a million times.
			 */
			if (is_within(finding, window->calls[i].from) &&
			    !(finding->marks[to] & (IS_FOREIGN | IS_CALLED | IS_FORWARDER)))
				finding->marks[to] |=
					code_window_forwards(window, to) ? IS_FORWARDER : IS_CALLED;
		}
		range_step(finding);
	} while ((finding->first != first || finding->last != last) && ++round < ROUNDS_MAX);
}

/* Includes most functions that call the range. Returns false if there are too few. */
static bool callers_include(struct finding *finding)
{
	const struct code_window *window = finding->window;
	size_t i, count = 0, number = 0, edge;
	struct finding wider = *finding;

	for (i = 0; i < window->call_count; i++)
		if (is_within(finding, window->calls[i].to))
			finding->marks[window->calls[i].from] |= IS_CALLER;
	for (i = 0; i < window->count; i++)
		count += !is_within(finding, i) && finding->marks[i] & IS_CALLER;
	edge = count / CALLERS_EDGE;
	for (i = 0; i < window->count; i++)
		if (!is_within(finding, i) && finding->marks[i] & IS_CALLER) {
			if (number >= edge && number < count - edge)
				range_include(&wider, i);
			number++;
		}
	*finding = wider;
	return count >= CALLERS_MIN;
}

static bool is_sound(const struct finding *finding)
{
	size_t i;

	if (code_window_end(finding->window, finding->last - 1) -
		    start_of(finding, finding->first) >
	    RUNTIME_MAX)
		return false;
	for (i = finding->first; i < finding->last; i++)
		if (finding->marks[i] & IS_FOREIGN)
			return false;
	return true;
}

/* It may begin before the window, or end behind it. */
static bool is_cut(const struct finding *finding)
{
	const struct code_window *window = finding->window;

	/* Of a function that begins before the window only the rest is in front of the first one. */
	return (window->goes_on_before &&
		start_of(finding, finding->first) - window->functions[0] <= GAP) ||
	       (window->goes_on_behind &&
		window->size - code_window_end(window, finding->last - 1) <= GAP);
}

static bool window_find(const struct code_window *window, struct runtime_range *range)
{
	struct finding finding = { .window = window, .marks = calloc(window->count, 1) };
	bool found = false;

	if (!finding.marks || exports_mark(&finding))
		goto out;
	code_window_users(window, RUNTIME_MARK, seed_take, &finding);
	if (is_empty(&finding) || !is_sound(&finding))
		goto out;
	range_grow(&finding);
	if (!callers_include(&finding))
		goto out;
	range_grow(&finding);
	found = is_sound(&finding) && !is_cut(&finding);
	if (found) {
		range->start = window->offset + start_of(&finding, finding.first);
		range->end = window->offset + code_window_end(window, finding.last - 1);
	}
out:
	free(finding.marks);
	return found;
}

/*
 * True if a runtime at @offset would have been found around @tried: it is all within the window.
 */
static bool is_covered(uint64_t tried, uint64_t offset)
{
	uint64_t distance = tried > offset ? tried - offset : offset - tried;

	return distance <= REACH - RUNTIME_MAX - GAP;
}

bool runtime_range_is_open(const struct runtime_range *range, uint64_t offset)
{
	unsigned int i;

	if (range->is_final || range->tried == RUNTIME_TRIES)
		return false;
	for (i = 0; i < range->tried; i++)
		if (is_covered(range->tries[i], offset))
			return false;
	return true;
}

void runtime_range_find(struct runtime_range *range, int fd, uint64_t offset)
{
	struct code_window window;
	struct sections file;
	int err = -ENOENT;

	if (!runtime_range_is_open(range, offset))
		return;
	range->tries[range->tried++] = offset;
	if (sections_open(&file, fd)) {
		range->is_final = true;
		return;
	}
	if (file.ehdr.e_machine != EM_X86_64 || !needs_libraries(&file)) {
		range->is_final = true;
	} else {
		err = code_window_read(&file, offset, REACH, &window);
		/* Without a list of functions that can be read, it is so everywhere in the file. */
		range->is_final = err == -EBADMSG || err == -ENODATA;
	}
	if (!err) {
		range->is_final = window_find(&window, range);
		code_window_free(&window);
	}
	if (range->tried == RUNTIME_TRIES)
		range->is_final = true;
	sections_close(&file);
}

bool runtime_range_has(const struct runtime_range *range, uint64_t offset)
{
	return offset >= range->start && offset < range->end;
}
