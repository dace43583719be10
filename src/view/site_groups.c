/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Each site gets the key of its group, the sites are sorted by it, and runs of one key are a group.
 * Where a snapshot has no facts of a place (recordings made before there were any), they are read
 * from its text.
 */
#include "view/site_groups.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
static char *key_of(const struct place *place, enum site_grouping by)
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

static char *name_of(const struct place *place, enum site_grouping by)
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
	if (by == SITES_BY_PLACE) {
		group->name = strdup(site->site);
	} else {
		place = grouped_place(site, by);
		group->name = name_of(&place, by);
	}
	return group->name ? 0 : -ENOMEM;
}

static void group_add(struct site_group *group, const struct snap_site *site)
{
	group->live += site->live;
	group->suspect += site->suspect;
	group->leaked += site->leaked;
	group->held += site->held;
	group->allocations += site->allocations;
	group->count++;
}

static char *site_key(const struct snap_process *process, size_t i, enum site_grouping by)
{
	struct place place;

	if (by == SITES_BY_PLACE)
		return strdup(process->sites[i].site);
	place = grouped_place(&process->sites[i], by);
	return key_of(&place, by);
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
		keyed[i] = (struct keyed){ site_key(process, i, by), i };
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
		group_add(group, &process->sites[keyed[i].site]);
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
