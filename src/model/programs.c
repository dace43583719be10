/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The life of images: found or made, begun, told who they are, ended, and
 * forgotten when there are too many that ended.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "model/internal.h"
#include "util/utf8.h"

static int image_compare(const struct image *a, const struct image *b)
{
	return (a->number > b->number) - (a->number < b->number);
}

TREE_GENERATE(image_tree, image, link, image_compare)

struct image *image_tree_first(struct model *model)
{
	return RB_MIN(image_tree, &model->images);
}

struct image *image_tree_next(struct image *image)
{
	return RB_NEXT(image_tree, NULL, image);
}

static void image_free(struct image *image)
{
	book_clear(&image->book);
	sites_free(&image->sites);
	graphs_free(image);
	counters_free(image);
	pending_free(image);
	kernels_free(image);
	devices_free(&image->held_on);
	mappings_free(image);
	tiles_free(image);
	levels_free(image);
	globals_free(image);
	statics_free(image);
	free(image->contexts);
	free(image->visible);
	free(image->user);
	free(image->command);
	free(image->arguments);
	free(image->container);
	free(image->pod);
	free(image);
}

void images_free(struct model *model)
{
	struct image *image, *next;

	for (image = RB_MIN(image_tree, &model->images); image; image = next) {
		next = RB_NEXT(image_tree, &model->images, image);
		RB_REMOVE(image_tree, &model->images, image);
		image_free(image);
	}
}

static struct image *find_image(const struct model *model, uint32_t number)
{
	struct image key = { .number = number };

	return RB_FIND(image_tree, (struct image_tree *)&model->images, &key);
}

/* Only images never seen get here, and only until their rows are gone: a linear search will do. */
static bool is_forgotten(const struct model *model, uint32_t number)
{
	size_t i, count = model->tombstone_count < TOMBSTONES ? model->tombstone_count : TOMBSTONES;

	for (i = 0; i < count; i++)
		if (model->tombstones[i] == number)
			return true;
	return false;
}

struct image *model_image(struct model *model, uint32_t number, int *error)
{
	struct image *image = find_image(model, number);

	*error = 0;
	if (image || is_forgotten(model, number))
		return image;
	if (model->image_count >= IMAGES_MAX)
		goto lost;
	image = calloc(1, sizeof(*image));
	if (!image)
		goto lost;
	image->number = number;
	book_init(&image->book);
	RB_INSERT(image_tree, &model->images, image);
	model->image_count++;
	return image;
lost:
	model_lose(model, LOST_MEMORY, 1);
	*error = -ENOMEM;
	return NULL;
}

static bool is_same_text(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

struct image *images_running(struct model *model, const struct image *asker, uint32_t pid)
{
	bool by_own = asker->ns_pid && asker->ns_pid != asker->pid;
	struct image *image, *found = NULL;

	for (image = image_tree_first(model); image; image = image_tree_next(image)) {
		if (image->ended || (by_own ? image->ns_pid : image->pid) != pid)
			continue;
		/* The same number may name a process of each container; where it names two, which is meant cannot be told. */
		if (by_own && !is_same_text(image->container, asker->container))
			continue;
		if (found)
			return NULL;
		found = image;
	}
	return found;
}

void image_note_device(struct image *image, int device)
{
	if (device >= 0 && device < DEVICES_MAX)
		image->devices[device / 64] |= 1ull << (device % 64);
}

void image_note_runtime(struct image *image, int device)
{
	if (device >= 0 && device < DEVICES_MAX)
		image->runtime_devices[device / 64] |= 1ull << device % 64;
}

void image_forget_runtime(struct image *image, int device)
{
	if (device >= 0 && device < DEVICES_MAX)
		image->runtime_devices[device / 64] &= ~(1ull << device % 64);
	else
		memset(image->runtime_devices, 0, sizeof(image->runtime_devices));
	image->runtime_launched = false;
}

bool image_runtime_uses(const struct image *image, int device)
{
	uint64_t any = 0;
	size_t i;

	if (device >= 0 && device < DEVICES_MAX && image->runtime_devices[device / 64] >> device % 64 & 1)
		return true;
	for (i = 0; i < DEVICES_MAX / 64; i++)
		any |= image->runtime_devices[i];
	return any ? device == CUTOP_DEVICE_UNKNOWN : image->runtime_launched;
}

static void ended_add(struct model *model, struct image *image)
{
	image->ended_before = model->ended_last;
	*(model->ended_last ? &model->ended_last->ended_after : &model->ended_first) = image;
	model->ended_last = image;
}

static void ended_remove(struct model *model, struct image *image)
{
	*(image->ended_before ? &image->ended_before->ended_after : &model->ended_first) = image->ended_after;
	*(image->ended_after ? &image->ended_after->ended_before : &model->ended_last) = image->ended_before;
}

static void forget_image(struct model *model, struct image *image)
{
	totals_retire(model, image);
	if (image->ended) {
		ended_remove(model, image);
		model->exited_count--;
		model->ended_nodes -= image->book.count;
		model->tombstones[model->tombstone_count++ % TOMBSTONES] = image->number;
	}
	RB_REMOVE(image_tree, &model->images, image);
	model->image_count--;
	image_free(image);
}

/* One more ended than there is room for: the oldest goes, of those whose counters are complete if there is one. */
static void exited_bound(struct model *model)
{
	struct image *image = model->ended_first;

	while (model->exited_count > model->config.max_exited && image) {
		struct image *next = image->ended_after;

		if (image->settled || model->exited_count > model->config.max_exited + UNSETTLED_MAX)
			forget_image(model, image);
		image = next;
	}
}

void model_graphs_done(struct model *model, uint32_t number)
{
	struct image *image = find_image(model, number);

	if (!image)
		return;
	graphs_settle(image);
	graphs_free(image);
	image->settled = image->ended;
	exited_bound(model);
}

void model_clear_exited(struct model *model)
{
	struct image *image;

	for (image = model->ended_first; image; image = image->ended_after)
		image->cleared = true;
}

/* What is kept of @image, about, but for its allocations, which have a limit of their own. */
static size_t image_weight(const struct image *image)
{
	return image->launch_count * sizeof(struct launch_entry) + image->fail_count * sizeof(struct fail_entry) +
	       image->sites.count * sizeof(struct site) + image->sites.place_count * 2 * sizeof(struct place) +
	       image->kernel_count * sizeof(struct kernel_name) + image->name_bytes;
}

void images_trim(struct model *model)
{
	struct image *image, *next;
	size_t weight = 0;

	for (image = model->ended_first; image; image = next) {
		next = image->ended_after;
		if (image->cleared)
			forget_image(model, image);
		else
			weight += image_weight(image);
	}
	for (image = model->ended_first; image && weight > ENDED_BYTES_MAX; image = next) {
		next = image->ended_after;
		if (!image->settled)
			continue;
		weight -= image_weight(image);
		forget_image(model, image);
	}
}

static const char *name_of(const struct image *image)
{
	return image->command && *image->command ? image->command : image->comm;
}

void image_end(struct model *model, struct image *image, uint64_t time, enum end_reason reason, int code)
{
	ledger_end(model, image, time);
	image->ended = true;
	image->end_time = time;
	ended_add(model, image);
	image->end_reason = reason;
	image->exit_code = code;
	model->exited_count++;
	model->ended_nodes += image->book.count;

	if (reason == END_EXEC)
		events_add(model, image, EVENT_END, time, 0, "%s ended by exec", name_of(image));
	else if (WIFSIGNALED(code))
		events_add(model, image, EVENT_END, time, 0, "%s was ended by signal %d", name_of(image), WTERMSIG(code));
	else
		events_add(model, image, EVENT_END, time, 0, "%s exited with status %d", name_of(image), WEXITSTATUS(code));

	exited_bound(model);
	for (image = model->ended_first; image && model->ended_nodes > ENDED_NODES_MAX; image = image->ended_after) {
		model->ended_nodes -= image->book.count;
		image->map_dropped += image->book.count;
		book_clear(&image->book);
	}
}

static int replace(char **field, const char *text, size_t len)
{
	char *copy = clean_copy(text, len);

	if (!copy)
		return -ENOMEM;
	free(*field);
	*field = copy;
	return 0;
}

void image_begin(struct model *model, struct image *image, const struct rec_process *record)
{
	char comm[CUTOP_COMM_LEN + 1] = "";
	struct image *other;

	if (image->begun)
		return;
	image->begun = true;
	image->parent_pid = image->identified ? image->parent_pid : record->parent_tgid;
	image->uid = image->identified ? image->uid : record->uid;
	memcpy(comm, record->comm, CUTOP_COMM_LEN);
	utf8_clean(comm, image->comm, sizeof(image->comm));
	/* Until it is identified: the kernel's name for a program started by way of /proc/self/exe is "exe". */
	if (!image->command && record->args_len <= sizeof(record->args) && strnlen(record->args, record->args_len))
		replace(&image->command, record->args, strnlen(record->args, record->args_len));

	/* Another image of this pid must have ended; that we were not told is a loss, not its life. */
	RB_FOREACH(other, image_tree, &model->images) {
		if (other == image || other->ended || !other->known || other->pid != image->pid ||
		    other->number > image->number)
			continue;
		other->inexact = true;
		image_end(model, other, record->hdr.time, END_EXIT, 0);
		break;		/* there is but one; and the end of one may remove others */
	}
	/* No thread: it was running when cutop was told to watch it, and has made no call since. */
	events_add(model, image, EVENT_START, record->hdr.time, 0, record->hdr.tid ? "%s: the first call is seen" :
		   "%s: is watched from here on", name_of(image));
}

int image_device(const struct image *image, int device)
{
	if (device < 0 || device >= DEVICES_MAX)
		return CUTOP_DEVICE_UNKNOWN;
	if (!image->visible_count)
		return device;
	return (size_t)device < image->visible_count ? image->visible[device] : CUTOP_DEVICE_UNKNOWN;
}

int image_own_device(const struct image *image, int device)
{
	size_t i;

	if (!image->visible_count)
		return device;
	for (i = 0; i < image->visible_count; i++)
		if (image->visible[i] == device)
			return (int)i;
	return CUTOP_DEVICE_UNKNOWN;
}

/* "2,3": the process's device 0 is the machine's 2. */
static int see_devices(struct image *image, const char *list, size_t len)
{
	char *text = clean_copy(list, len), *at, *end;
	int16_t *visible;

	if (!text)
		return -ENOMEM;
	free(image->visible);
	image->visible = NULL;
	image->visible_count = 0;
	for (at = text; *at; at = end + (*end == ',')) {
		long device = strtol(at, &end, 10);

		if (end == at || device < 0 || device >= DEVICES_MAX || image->visible_count == DEVICES_MAX)
			break;
		visible = realloc(image->visible, (image->visible_count + 1) * sizeof(*visible));
		if (!visible) {
			free(text);
			return -ENOMEM;
		}
		image->visible = visible;
		visible[image->visible_count++] = (int16_t)device;
	}
	free(text);
	return 0;
}

int image_identify(struct image *image, const struct rec_identity *record, const char *strings, size_t len)
{
	char **fields[] = { &image->user, &image->command, &image->arguments, &image->container, &image->pod };
	size_t i;

	image->identified = true;
	image->start_real = record->start_time;
	image->parent_pid = record->parent_tgid;
	image->uid = record->uid;
	image->ns_pid = record->ns_tgid;
	image->from_attach = record->watched_from == WATCHED_FROM_ATTACH;
	for (i = 0; i < sizeof(fields) / sizeof(fields[0]) && len; i++) {
		size_t used = strnlen(strings, len);

		if (used && replace(fields[i], strings, used) < 0)
			return -ENOMEM;
		used += used < len;
		strings += used;
		len -= used;
	}
	return len ? see_devices(image, strings, strnlen(strings, len)) : 0;
}
