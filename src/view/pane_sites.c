/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sites: where memory is allocated; or sums of sites that are alike. Each stack is a site of the
 * snapshot: a row is the ways to one place, or a group of places, and its details have the stack of
 * each. With a baseline, figures are differences; bars stay those of what there is. Where a
 * framework's allocator is known, they are the sites of its blocks, and those of other allocations.
 */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/saturated.h"
#include "util/utf8.h"
#include "util/util.h"
#include "view/cells.h"
#include "view/details.h"
#include "view/list.h"
#include "view/site_groups.h"
#include "view/pane_memory.h"

/* ---- groups of sites ---- */

const char *const site_grouping_names[SITE_GROUPING_COUNT] = {
	[SITES_BY_PLACE] = "site",      [SITES_BY_FUNCTION] = "function", [SITES_BY_FILE] = "file",
	[SITES_BY_LIBRARY] = "library", [SITES_EACH] = "stack",
};

/* What is known of a place in the code: bytes that end after their length; length 0: not known. */
struct part {
	const char *text;
	size_t len;
};

struct place {
	struct part function, file, module;
	bool is_python;
};

static struct part part_of(const char *text)
{
	return (struct part){ text, text ? strlen(text) : 0 };
}

/* The last @what that lies as a whole between @text and @end, or NULL. */
static const char *last_of(const char *text, const char *end, const char *what)
{
	const char *found = NULL;

	for (const char *at = strstr(text, what); at && at + strlen(what) <= end;
	     at = strstr(at + 1, what))
		found = at;
	return found;
}

/*
 * "grow+0x13 at pool.cc:118 (libpool.so)", "make_buffer at train.py:12 (python)",
 * "libpool.so+0x13", "0x7f0012345678"
 */
static struct place place_read(const char *text)
{
	const char *end = text + strlen(text), *open = last_of(text, end, " ("), *at, *colon, *plus;
	struct place place = { .is_python = false };

	if (open && end[-1] == ')') {
		place.module = (struct part){ open + 2, (size_t)(end - open) - 3 };
		place.is_python = place.module.len == 6 && !memcmp(place.module.text, "python", 6);
		end = open;
	}
	at = last_of(text, end, " at ");
	if (at) {
		colon = last_of(at, end, ":");
		place.file = (struct part){ at + 4, (size_t)((colon ? colon : end) - at) - 4 };
		end = at;
	}
	plus = last_of(text, end, "+0x");
	end = plus ? plus : end;
	if (place.module.len)
		place.function = (struct part){ text, (size_t)(end - text) };
	else if (plus)
		place.module = (struct part){ text, (size_t)(end - text) };
	if (place.is_python)
		place.module = (struct part){ NULL, 0 };
	return place;
}

static struct place place_of(const struct snap_site *site, size_t at)
{
	const struct snap_frame *frame = at < site->frame_count ? site->frames[at] : NULL;
	struct place read = place_read(at < site->stack_count ? site->stack[at] : site->site);

	if (!frame)
		return read;
	/*
	 * A native function's name in full is a signature, which is long: its short name is in the
	 * text.
	 */
	return (struct place){
		frame->language != FRAME_PYTHON && read.function.len ? read.function :
								       part_of(frame->function),
		part_of(frame->file),
		part_of(frame->module),
		frame->language == FRAME_PYTHON,
	};
}

/* ---- keys and names ---- */

#define PART(part) (int)(part).len, (part).len ? (part).text : ""

/* A function of a library or of a Python file: others of that name elsewhere are others. */
static char *place_key(const struct place *place, enum site_grouping by)
{
	const struct part *home = place->is_python ? &place->file : &place->module;
	char *key = NULL;
	int len = 0;

	if (by == SITES_BY_LIBRARY)
		len = asprintf(&key, "%.*s%s", PART(place->module),
			       place->is_python ? "\npython" : "");
	else if (by == SITES_BY_FILE && place->file.len)
		len = asprintf(&key, "%.*s", PART(place->file));
	else if (by == SITES_BY_FILE)
		len = asprintf(&key, "\n%.*s", PART(place->module));
	else
		len = asprintf(&key, "%.*s\n%.*s", PART(place->function), PART(*home));
	return len < 0 ? NULL : key;
}

/*
 * "train.py (/home/ana/model)": the part that differs comes first, since a narrow screen cuts what
 * comes last.
 */
static int file_name(char **name, const struct part *file)
{
	const char *slash = memrchr(file->text, '/', file->len);
	size_t before = slash ? (size_t)(slash - file->text) : 0;

	if (!slash || before + 1 == file->len)
		return asprintf(name, "%.*s", PART(*file));
	return asprintf(name, "%.*s (%.*s)", (int)(file->len - before) - 1, slash + 1,
			before ? (int)before : 1, file->text);
}

static char *place_name(const struct place *place, enum site_grouping by)
{
	const struct part *module = &place->module, *file = &place->file;
	const char *slash = file->len ? memrchr(file->text, '/', file->len) : NULL;
	size_t base = slash ? (size_t)(slash - file->text) + 1 : 0;
	struct part home = place->is_python ? (struct part){ file->text + base, file->len - base } :
					      *module;
	char *name = NULL;
	int len;

	if (by == SITES_BY_LIBRARY && module->len)
		len = asprintf(&name, "%.*s", PART(*module));
	else if (by == SITES_BY_LIBRARY && place->is_python)
		len = asprintf(&name, "python");
	else if (by == SITES_BY_FILE && file->len)
		len = file_name(&name, file);
	else if (by == SITES_BY_FILE && module->len)
		len = asprintf(&name, "no file known (%.*s)", PART(*module));
	else if (by == SITES_BY_FUNCTION && place->function.len && home.len)
		len = asprintf(&name, "%.*s (%.*s)", PART(place->function), PART(home));
	else if (by == SITES_BY_FUNCTION && place->function.len)
		len = asprintf(&name, "%.*s", PART(place->function));
	else if (by == SITES_BY_FUNCTION && home.len)
		len = asprintf(&name, "no function known (%.*s)", PART(home));
	else
		len = asprintf(&name, "not known");
	return len < 0 ? NULL : name;
}

/* ---- groups ---- */

struct keyed {
	char *key;
	size_t site;
};

static int compare_keyed(const void *left, const void *right)
{
	const struct keyed *a = left, *b = right;
	int order = strcmp(a->key, b->key);

	return order ? order : (a->site > b->site) - (a->site < b->site);
}

static int compare_groups(const void *left, const void *right)
{
	const struct site_group *a = left, *b = right;
	uint64_t first = a->live + a->leaked, second = b->live + b->leaked;

	if (first != second)
		return first < second ? 1 : -1;
	return (a->largest > b->largest) - (a->largest < b->largest);
}

static struct place grouped_place(const struct snap_site *site, enum site_grouping by)
{
	return place_of(site, by == SITES_BY_LIBRARY ? 0 : site->shown);
}

static int group_begin(struct site_group *group, struct keyed *keyed, size_t first,
		       const struct snap_process *process, enum site_grouping by)
{
	const struct snap_site *site = &process->sites[keyed->site];
	struct place place;

	group->key = keyed->key;
	keyed->key = NULL;
	group->first = first;
	group->largest = keyed->site;
	if (by == SITES_BY_PLACE || by == SITES_EACH) {
		group->name = strdup(site->site);
	} else {
		place = grouped_place(site, by);
		group->name = place_name(&place, by);
	}
	return group->name ? 0 : -ENOMEM;
}

static void group_sum(struct site_group *group, const struct snap_site *site)
{
	group->live += site->live;
	group->suspect += site->suspect;
	group->leaked += site->leaked;
	group->held += site->held;
	group->allocations += site->allocations;
	group->count++;
}

static char *key_make(const struct snap_process *process, size_t i, enum site_grouping by)
{
	const struct snap_site *site = &process->sites[i];
	struct place place;
	char *key;

	if (by == SITES_EACH)
		return asprintf(&key, "%" PRIx64 " %" PRIx64, site->address,
				(uint64_t)site->stack_id) < 0 ?
			       NULL :
			       key;
	if (by == SITES_BY_PLACE)
		return strdup(site->site);
	place = grouped_place(site, by);
	return place_key(&place, by);
}

int site_groups_make(struct site_groups *groups, const struct snap_process *process,
		     enum site_grouping by)
{
	size_t count = process->site_count, i;
	struct keyed *keyed = calloc(count + 1, sizeof(*keyed));
	struct site_group *group = NULL;
	int err = -ENOMEM;

	*groups = (struct site_groups){ calloc(count + 1, sizeof(*groups->list)), 0,
					calloc(count + 1, sizeof(*groups->members)) };
	if (!keyed || !groups->list || !groups->members)
		goto out;
	for (i = 0; i < count; i++) {
		keyed[i] = (struct keyed){ key_make(process, i, by), i };
		if (!keyed[i].key)
			goto out;
	}
	qsort(keyed, count, sizeof(*keyed), compare_keyed);
	for (i = 0; i < count; i++) {
		if (!group || strcmp(group->key, keyed[i].key)) {
			group = &groups->list[groups->count++];
			if (group_begin(group, &keyed[i], i, process, by))
				goto out;
		}
		groups->members[i] = keyed[i].site;
		group_sum(group, &process->sites[keyed[i].site]);
	}
	qsort(groups->list, groups->count, sizeof(*groups->list), compare_groups);
	err = 0;
out:
	for (i = 0; keyed && i < count; i++)
		free(keyed[i].key);
	free(keyed);
	return err;
}

void site_groups_free(struct site_groups *groups)
{
	for (size_t i = 0; i < groups->count; i++) {
		free(groups->list[i].key);
		free(groups->list[i].name);
	}
	free(groups->list);
	free(groups->members);
	*groups = (struct site_groups){ NULL, 0, NULL };
}

/* ---- sites of tensors, of what else is allocated, and of objects ---- */

static int compare_callers(const void *left, const void *right)
{
	const struct snap_site *a = left, *b = right;
	int order = ORDER(a->address, b->address);

	return order ? order : ORDER(a->stack_id, b->stack_id);
}

static uint64_t weight(const struct snap_site *site)
{
	return add_saturated(add_saturated(site->live, site->held), site->leaked);
}

static int compare_weights(const void *left, const void *right)
{
	const struct snap_site *a = left, *b = right;
	int order = ORDER(weight(b), weight(a));

	if (!order)
		order = ORDER(b->allocations, a->allocations);
	return order ? order : compare_callers(left, right);
}

static void site_merge(struct snap_site *site, const struct snap_site *other)
{
	site->live = add_saturated(site->live, other->live);
	site->suspect = add_saturated(site->suspect, other->suspect);
	site->leaked = add_saturated(site->leaked, other->leaked);
	site->held = add_saturated(site->held, other->held);
	site->allocations = add_saturated(site->allocations, other->allocations);
	site->allocated = add_saturated(site->allocated, other->allocated);
	site->live_count = add_saturated(site->live_count, other->live_count);
	site->objects += other->objects;
	site->sampled |= other->sampled;
	if (site->device != other->device)
		site->device = CUTOP_DEVICE_UNKNOWN;
}

/* Puts those of the @count @objects that are live behind the @at sites. Returns how many there are. */
static size_t object_sites_add(struct snap_site *sites, size_t at,
			       const struct snap_object_site *objects, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (!objects[i].live)
			continue;
		sites[at++] = (struct snap_site){
			.site = objects[i].where.site,
			.address = objects[i].address,
			.stack_id = objects[i].stack_id,
			.stack = objects[i].where.stack,
			.stack_count = objects[i].where.stack_count,
			.frames = objects[i].where.frames,
			.frame_count = objects[i].where.frame_count,
			.shown = objects[i].where.shown,
			.call = objects[i].call,
			.device = CUTOP_DEVICE_UNKNOWN,
			.objects = objects[i].live,
		};
	}
	return at;
}

struct snap_site *all_sites_make(const struct snap_process *process, bool tensors, size_t *count)
{
	size_t room = process->site_count + process->graph_site_count + process->object_site_count;
	size_t allocators = tensors ? process->allocator_count : 0, at = 0, kept = 0, i, j;
	struct snap_site *sites;

	*count = 0;
	for (i = 0; i < allocators; i++)
		room += process->allocators[i].site_count;
	sites = calloc(room + 1, sizeof(*sites));
	if (!sites)
		return NULL;
	for (i = 0; i < allocators; i++)
		for (j = 0; j < process->allocators[i].site_count; j++)
			sites[at++] = process->allocators[i].sites[j];
	for (i = 0; i < process->site_count; i++)
		if (!tensors || !process->sites[i].in_cache)
			sites[at++] = process->sites[i];
	at = object_sites_add(sites, at, process->graph_sites, process->graph_site_count);
	at = object_sites_add(sites, at, process->object_sites, process->object_site_count);
	if (at)
		qsort(sites, at, sizeof(*sites), compare_callers);
	for (i = 0; i < at; i++)
		if (kept && !compare_callers(&sites[kept - 1], &sites[i]))
			site_merge(&sites[kept - 1], &sites[i]);
		else
			sites[kept++] = sites[i];
	if (kept)
		qsort(sites, kept, sizeof(*sites), compare_weights);
	*count = kept;
	return sites;
}

/* ---- the pane ---- */

enum {
	S_BAR,
	S_SITE,
	S_LIVE,
	S_SUSPECT,
	S_LEAKED,
	S_HELD,
	S_HOST,
	S_OBJECTS,
	S_BLOCKS,
	S_ALLOCS,
	S_STACK,
	S_COUNT
};

/*
 * Where there is little room, a site's source line is worth more than a bar, and than how many
 * frames, or sites, there are.
 */
#define LINE_AND_STACK 90 /* cells: room for both */
#define LINE_AND_BAR   130
static const struct list_column site_columns[S_COUNT] = {
	[S_BAR] = { "", .least = 14, .left = true, .rank = 7, .is_bar = true,
		    .help = "bytes, or what it is sorted by" },
	[S_SITE] = { "SITE", .least = 20, .left = true, .rank = 0,
		     .help = "function, file and line, as far as they are known" },
	[S_LIVE] = { "LIVE", .width = 7, .rank = 1, .help = "bytes allocated there and not freed" },
	[S_SUSPECT] = { "SUSPECT", .width = 7, .rank = 3,
			.help = "the part of that which seems to leak, marked ~" },
	[S_LEAKED] = { "LEAKED", .width = 7, .rank = 2,
		       .help = "bytes left behind when their owner ended" },
	[S_HELD] = { "HELD", .width = 7, .rank = 4,
		     .help = "bytes left behind that a library kept on purpose" },
	[S_HOST] = { "PINNED", .width = 7, .rank = 4,
		     .help = "host memory that is, or was left, pinned" },
	[S_OBJECTS] = { "OBJECTS", .width = 7, .rank = 4,
			.help = "streams, events, modules, contexts and graphs that are live" },
	[S_BLOCKS] = { "BLOCKS", .width = 7, .rank = 5, .help = "tensors that are live" },
	[S_ALLOCS] = { "MADE", .width = 8, .rank = 5,
		       .help = "allocations made there, freed since or not" },
	[S_STACK] = { "WAYS", .width = 5, .rank = 6,
		      .help = "by how many ways it is come to; of a group, its sites" },
};

/* What rows are, and of what the last column tells the number. */
static const char *const group_titles[SITE_GROUPING_COUNT][S_COUNT] = {
	[SITES_BY_FUNCTION] = { [S_SITE] = "FUNCTION", [S_STACK] = "SITES" },
	[SITES_BY_FILE] = { [S_SITE] = "FILE", [S_STACK] = "SITES" },
	[SITES_BY_LIBRARY] = { [S_SITE] = "LIBRARY", [S_STACK] = "SITES" },
	[SITES_EACH] = { [S_STACK] = "STACK" },
};

/* The same where blocks of an allocator are listed; what they have in common. */
static void titles_choose(const char *titles[S_COUNT], enum site_grouping by, bool tensors)
{
	memcpy(titles, group_titles[by], sizeof(group_titles[by]));
	if (!tensors)
		return;
	titles[S_SUSPECT] = "RISING";
	titles[S_HELD] = "AT END";
}

/* A row: the sites of a group. */
struct site_row {
	const struct site_group *group;
	bool sampled;            /* its figures are estimates */
	uint64_t bytes;          /* live, leaked, held: the length of the bar */
	double figures[S_COUNT]; /* since the baseline, if there is one */
};

struct site_rows {
	struct site_row *list;
	uint64_t most;             /* the most bytes of any row */
	struct site_groups groups; /* of these rows */
	const char *titles[S_COUNT];
	struct snap_process now, then;    /* then: at the baseline */
	bool owns_now, owns_then;         /* their sites are of all_sites_make() */
	const struct snap_site **befores; /* what each was then; NULL: there is no baseline */
};

static const struct site_rows *rows_of(const struct list *list)
{
	return list->items;
}

static const struct site_row *row_of(const struct list *list, size_t item)
{
	return &rows_of(list)->list[item];
}

/* The @i-th site of the row, as a number of the process's. */
static size_t member_of(const struct list *list, const struct site_row *row, size_t i)
{
	return rows_of(list)->groups.members[row->group->first + i];
}

static uint64_t site_key(const struct list *list, size_t item)
{
	const char *key = row_of(list, item)->group->key;

	return key_add(key_add(KEY_BEGIN, &list->process->program, sizeof(list->process->program)),
		       key, strlen(key));
}

/* ---- cells ---- */

static double site_number(const struct list *list, size_t item, size_t column)
{
	return row_of(list, item)->figures[column];
}

/* A figure of @column, in @width cells where it is a number of things. */
static enum style figure_text(size_t column, double number, bool sampled, int width,
			      char out[CELL_TEXT])
{
	static const enum style styles[] = {
		[S_LIVE] = ST_LIVE, [S_SUSPECT] = ST_SUSPECT, [S_LEAKED] = ST_LEAKED,
		[S_HELD] = ST_HELD, [S_HOST] = ST_PLAIN,
	};
	bool is_count = column == S_OBJECTS || column == S_BLOCKS || column == S_ALLOCS;
	char body[CELL_TEXT];
	enum style style;

	if (is_count)
		style = cell_count(body, number, width - sampled);
	else
		cell_bytes(body, number);
	snprintf(out, CELL_TEXT, "%s%.32s",
		 (column == S_SUSPECT || sampled) && number > 0 ? "~" : "", body);
	return is_count ? style : number > 0 ? styles[column] : ST_DIM;
}

static enum style site_cell(const struct list *list, size_t item, size_t column,
			    char out[CELL_TEXT])
{
	enum site_grouping by = list->view->settings.sites_by;
	const struct site_row *row = row_of(list, item);
	double number = row->figures[column];

	switch (column) {
	case S_SITE:
		utf8_fit(out, CELL_TEXT, row->group->name, INT_MAX);
		return by == SITES_BY_PLACE || by == SITES_EACH ? ST_PLAIN : ST_HEAD;
	case S_STACK:
		if (!(number > 0))
			return cell_text(out, ST_DIM, "-");
		snprintf(out, CELL_TEXT, "%.0f", number);
		return ST_DIM;
	default: return figure_text(column, number, row->sampled, list->columns[column].width, out);
	}
}

static double site_bar(const struct list *list, size_t item, size_t column, enum style *style)
{
	const struct site_row *row = row_of(list, item);
	const struct site_group *group = row->group;
	uint64_t most = rows_of(list)->most;

	(void)column;
	*style = group->leaked             ? ST_LEAKED :
		 group->suspect            ? ST_SUSPECT :
		 group->held > group->live ? ST_HELD :
					     ST_LIVE;
	return most ? (double)row->bytes / (double)most : 0;
}

static bool site_hides(const struct list *list, size_t item, const char *text)
{
	const struct site_row *row = row_of(list, item);

	for (size_t i = 0; i < row->group->count; i++) {
		const struct snap_site *site = &list->process->sites[member_of(list, row, i)];

		for (size_t j = 0; j < site->stack_count; j++)
			if (text_find(site->stack[j], text))
				return true;
	}
	return false;
}

/* ---- details ---- */

static void figures_add(double figures[S_COUNT], const struct snap_site *site, double sign)
{
	figures[S_LIVE] += sign * (double)site->live;
	figures[S_SUSPECT] += sign * (double)site->suspect;
	figures[S_LEAKED] += sign * (double)site->leaked;
	figures[S_HELD] += sign * (double)site->held;
	figures[S_HOST] += sign * (double)add_saturated(site->host.live, site->host.left);
	figures[S_OBJECTS] += sign * (double)site->objects;
	figures[S_BLOCKS] += sign * (double)site->live_count;
	figures[S_ALLOCS] += sign * (double)site->allocations;
}

/* The same of a site of the process's, since the baseline if there is one. */
static void member_add(const struct site_rows *rows, size_t at, double figures[S_COUNT])
{
	figures_add(figures, &rows->now.sites[at], 1);
	if (rows->befores && rows->befores[at])
		figures_add(figures, rows->befores[at], -1);
}

static const char *title_of(const struct list *list, size_t column)
{
	return list->titles[column] ? list->titles[column] : list->columns[column].title;
}

/* By which functions a site is come to, the nearest first. */
static void way_name(const struct snap_site *site, char *out, size_t size)
{
	char frame[CELL_TEXT];
	size_t len = 0;
	int added;

	*out = 0;
	for (size_t i = site->shown + 1; i < site->stack_count && len < size; i++) {
		utf8_fit(frame, sizeof(frame), site->stack[i], INT_MAX);
		added = snprintf(out + len, size - len, "%s← %s", len ? " " : "", frame);
		if (added < 0)
			break;
		len += (size_t)added;
	}
	if (!*out)
		snprintf(out, size, "%s",
			 site->stack_count ? "(from nowhere else)" : "(not known from where)");
}

/* One of the row's sites: what it is called by, its figures unless they are the row's, its stack. */
static void member_details(const struct list *list, const struct site_row *row, size_t at,
			   struct details *details)
{
	const struct snap_site *site = &list->process->sites[at];
	const struct snap_place where = site_place(site);
	char text[CELL_TEXT], number[CELL_TEXT];
	double figures[S_COUNT] = { 0 };
	int len = 0;

	if (row->group->count == 1)
		snprintf(text, sizeof(text), "Stack");
	else if (list->view->settings.sites_by == SITES_BY_PLACE)
		way_name(site, text, sizeof(text));
	else
		utf8_fit(text, sizeof(text), site->site, INT_MAX);
	details_section(details, text);
	member_add(rows_of(list), at, figures);
	text[0] = 0;
	for (size_t i = S_LIVE; i <= S_ALLOCS && row->group->count > 1; i++) {
		if (list->hidden >> i & 1 || !(figures[i] > 0))
			continue;
		figure_text(i, figures[i], site->sampled, 20, number);
		len += snprintf(text + len, sizeof(text) - (size_t)len, "%s%s %.32s",
				len ? "  " : "", title_of(list, i), number);
	}
	if (text[0])
		details_text(details, ST_HEAD, "%s", text);
	details_stack(details, &where);
	if (site->stack_count < 2)
		details_text(details, ST_DIM, "Its stack is not known: see --stacks, and doctor.");
}

static void site_details(const struct list *list, size_t item, struct details *details)
{
	const struct site_row *row = row_of(list, item);
	char text[CELL_TEXT];

	details_text(details, ST_HEAD, "%s", row->group->name);
	details_section(details, "All that is of it");
	for (size_t i = S_LIVE; i <= S_ALLOCS; i++) {
		enum style style = site_cell(list, item, i, text);

		if (!(list->hidden >> i & 1) && row->figures[i] != 0)
			details_field(details, title_of(list, i), style, "%s", text);
	}
	for (size_t i = 0; i < row->group->count; i++)
		member_details(list, row, member_of(list, row, i), details);
}

/* ---- rows ---- */

static int compare_places(const void *left, const void *right)
{
	return compare_callers(*(const struct snap_site *const *)left,
			       *(const struct snap_site *const *)right);
}

/*
 * What @base knew of each site of @process, NULL where it knew none, in a new list; NULL without
 * memory.
 */
static const struct snap_site **befores_find(const struct snap_process *process,
					     const struct snap_process *base)
{
	const struct snap_site **then = calloc(base->site_count + 1, sizeof(*then)), **found, *site;
	const struct snap_site **befores = calloc(process->site_count + 1, sizeof(*befores));

	for (size_t i = 0; then && i < base->site_count; i++)
		then[i] = &base->sites[i];
	if (then)
		qsort(then, base->site_count, sizeof(*then), compare_places);
	for (size_t i = 0; then && befores && i < process->site_count; i++) {
		site = &process->sites[i];
		found = bsearch(&site, then, base->site_count, sizeof(*then), compare_places);
		befores[i] = found ? *found : NULL;
	}
	free(then);
	return befores;
}

static void row_fill(struct site_rows *rows, const struct site_group *group, struct site_row *row,
		     enum site_grouping by)
{
	size_t first = rows->groups.members[group->first],
	       frames = rows->now.sites[first].stack_count;

	row->group = group;
	row->bytes = group->live + group->leaked + group->held;
	for (size_t i = 0; i < group->count; i++) {
		size_t at = rows->groups.members[group->first + i];

		member_add(rows, at, row->figures);
		row->sampled |= rows->now.sites[at].sampled;
	}
	row->figures[S_STACK] = by == SITES_EACH                          ? (double)frames :
				by == SITES_BY_PLACE && group->count == 1 ? frames > 0 :
									    (double)group->count;
	rows->most = row->bytes > rows->most ? row->bytes : rows->most;
}

static int rows_make(struct site_rows *rows, enum site_grouping by)
{
	int err = site_groups_make(&rows->groups, &rows->now, by);

	rows->list = err ? NULL : calloc(rows->groups.count + 1, sizeof(*rows->list));
	if (!rows->list)
		return -ENOMEM;
	for (size_t i = 0; i < rows->groups.count; i++)
		row_fill(rows, &rows->groups.list[i], &rows->list[i], by);
	return 0;
}

static bool has_host(const struct snap_process *process)
{
	for (size_t i = 0; i < process->site_count; i++)
		if (process->sites[i].host.live || process->sites[i].host.left)
			return true;
	return false;
}

static bool has_objects(const struct snap_process *process)
{
	for (size_t i = 0; i < process->object_site_count; i++)
		if (process->object_sites[i].live)
			return true;
	for (size_t i = 0; i < process->graph_site_count; i++)
		if (process->graph_sites[i].live)
			return true;
	return false;
}

static bool has_stacks(const struct snap_process *process)
{
	for (size_t i = 0; i < process->site_count; i++)
		if (process->sites[i].stack_count)
			return true;
	return false;
}

/* Columns for which there is no room, or that would be empty. */
static uint64_t hidden_of(const struct view *view, const struct snap_process *process, bool tensors)
{
	enum site_grouping by = view->settings.sites_by;
	int cols = view->layout.pane.cols;
	bool has_ways = (by != SITES_EACH && by != SITES_BY_PLACE) || has_stacks(process);
	uint32_t hidden = cols >= LINE_AND_BAR ? 0 : 1u << S_BAR;

	hidden |= cols >= LINE_AND_STACK && has_ways ? 0 : 1u << S_STACK;
	hidden |= has_host(process) ? 0 : 1u << S_HOST;
	hidden |= has_objects(process) ? 0 : 1u << S_OBJECTS;
	hidden |= tensors && !process->exited ? 0 : 1u << S_BLOCKS;
	if (tensors && !process->exited)
		hidden |= 1u << S_HELD | (process->leaked ? 0 : 1u << S_LEAKED);
	return hidden;
}

/* Gives @process other sites, which the caller frees. */
static bool sites_take(struct snap_process *process, bool tensors)
{
	size_t count;
	struct snap_site *sites = all_sites_make(process, tensors, &count);

	process->sites = sites;
	process->site_count = sites ? count : 0;
	return sites != NULL;
}

static int sites_make(struct list *list)
{
	const struct view *view = list->view;
	const struct snap_process *base = view->base ? baseline_of(view, list->process) : NULL;
	bool tensors = tensors_are_shown(view, list->process);
	struct site_rows *rows = calloc(1, sizeof(*rows));

	if (!rows)
		return -ENOMEM;
	list->items = rows;
	list->empty = list->process->unreturned ? "Where it allocates is not known: " NO_RETURNS :
						  "No memory was allocated.";
	titles_choose(rows->titles, view->settings.sites_by, tensors);
	list->titles = rows->titles;
	rows->now = *list->process;
	if (base)
		rows->then = *base;
	if (tensors || has_objects(list->process)) {
		rows->owns_now = sites_take(&rows->now, tensors);
		rows->owns_then = base && sites_take(&rows->then, tensors);
		if (!rows->owns_now || rows->owns_then != (base != NULL))
			return -ENOMEM;
	}
	list->process = &rows->now;
	list->hidden = hidden_of(view, &rows->now, tensors);
	if (base)
		rows->befores = befores_find(&rows->now, &rows->then);
	if (rows_make(rows, view->settings.sites_by))
		return -ENOMEM;
	list->count = rows->groups.count;
	return 0;
}

static void sites_done(struct list *list)
{
	struct site_rows *rows = (struct site_rows *)list->items;

	free(rows->list);
	free(rows->befores);
	site_groups_free(&rows->groups);
	if (rows->owns_now)
		free(rows->now.sites);
	if (rows->owns_then)
		free(rows->then.sites);
}

void sites_group(struct view *view)
{
	struct list_state *pane = &view->panes[PANE_SITES];

	if (view->settings.pane != PANE_SITES) {
		view_message(view, "what is grouped are sites: %d shows them", PANE_SITES);
		return;
	}
	view->settings.sites_by = (view->settings.sites_by + 1) % SITE_GROUPING_COUNT;
	pane->top = 0;
	pane->cursor.chosen = false;
}

const struct pane_desc pane_sites = {
	.pane = PANE_SITES,
	.title = "Sites",
	.help = "where memory is allocated",
	.columns = site_columns,
	.column_count = ARRAY_LEN(site_columns),
	.cell = site_cell,
	.number = site_number,
	.key = site_key,
	.hides = site_hides,
	.details = site_details,
	.bar = site_bar,
	.make = sites_make,
	.done = sites_done,
	.draw = details_below_list,
};
