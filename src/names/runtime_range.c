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
#include "names/code_window.h"
#include "names/symtab.h"

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
