/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The model: takes records apart, keeps the images, and lets them end.
 *
 * Records may lie at any alignment (a recording is mapped as it is) and may
 * lie about their length: each is copied into a struct of its own before it is
 * looked at, and its strings never leave its bytes.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "model/calls.h"
#include "model/errors.h"
#include "model/internal.h"
#include "names/demangle.h"

#define MAX_EXITED_DEFAULT 1000

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

uint64_t model_to_real(const struct model *model, uint64_t mono)
{
	return model->config.start_real + (mono - model->config.start_mono);
}

char *clean_copy(const char *text, size_t len)
{
	char *raw, *clean;

	len = strnlen(text, len);
	raw = malloc(len + 1);
	clean = malloc(len + 1);
	if (raw && clean) {
		memcpy(raw, text, len);
		raw[len] = '\0';
		clean_text(raw, clean, len + 1);
	} else {
		free(clean);
		clean = NULL;
	}
	free(raw);
	return clean;
}

static const char *const lost_words[LOST_COUNT] = {
	[LOST_RING_FULL] = "events that found no room in the ring buffer (see --ring-size)",
	[LOST_RETURN] = "calls whose entry or return was not seen",
	[LOST_NESTING] = "calls nested too deep",
	[LOST_LAUNCH_ROWS] = "kernels for which there was no room",
	[LOST_COPY_ROWS] = "copies for which there was no room",
	[LOST_CALL_ROWS] = "calls for which there was no room",
	[LOST_FAIL_ROWS] = "failures for which there was no room",
	[LOST_PROCESSES] = "processes for which there was no room",
	[LOST_NAMES] = "kernel names for which there was no room",
	[LOST_ARGUMENT] = "arguments that could not be read",
	[LOST_THREADS] = "threads for which there was no memory",
	[LOST_GRAPHS] = "graphs or nodes of graphs for which there was no room",
	[LOST_STACKS] = "user stacks that could not be taken or kept",
	[LOST_PENDING_ROWS] = "streams with asynchronous copies for which there was no room",
	[LOST_FREE] = "frees that were not seen: an address was handed out again",
	[LOST_RECORD] = "records that made no sense",
	[LOST_MEMORY] = "records for which cutop had no memory",
};

/* Says so in the log the first time, and again whenever it has doubled. */
static void tell_lost(struct model *model, enum lost_cause cause, uint64_t total)
{
	if (!total || (model->lost_told[cause] && total / 2 < model->lost_told[cause]))
		return;
	model->lost_told[cause] = total;
	events_add(model, NULL, EVENT_LOST, model->latest ? model->latest : model->config.start_mono, 0,
		   "lost so far: %llu %s", (unsigned long long)total, lost_words[cause]);
}

static uint64_t lost_total(const struct model *model, enum lost_cause cause)
{
	return model->lost[cause] + (cause < LOST_BPF_COUNT ? model->lost_bpf[cause] : 0);
}

void model_lose(struct model *model, enum lost_cause cause, uint64_t count)
{
	model->lost[cause] += count;
	tell_lost(model, cause, lost_total(model, cause));
}

void model_lost(struct model *model, enum lost_cause cause, uint64_t total)
{
	struct image *image;

	if (cause >= LOST_BPF_COUNT || total <= model->lost_bpf[cause])
		return;
	model->lost_bpf[cause] = total;
	/*
	 * A record that was dropped may have been anybody's allocation. The other
	 * causes either spoil no books or (LOST_RETURN) mostly befall calls of a
	 * process that was killed inside them.
	 */
	if (cause == LOST_RING_FULL || cause == LOST_ARGUMENT || cause == LOST_NESTING)
		RB_FOREACH(image, image_tree, &model->images)
			if (!image->ended)
				image->inexact = true;
	tell_lost(model, cause, lost_total(model, cause));
}

struct model *model_new(const struct model_config *config)
{
	struct model *model = calloc(1, sizeof(*model));

	if (!model)
		return NULL;
	model->config = *config;
	if (!model->config.max_exited)
		model->config.max_exited = MAX_EXITED_DEFAULT;
	RB_INIT(&model->images);
	return model;
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
	free(image->contexts);
	free(image->visible);
	free(image->user);
	free(image->command);
	free(image->arguments);
	free(image->container);
	free(image->pod);
	free(image);
}

void model_free(struct model *model)
{
	struct image *image, *next;

	if (!model)
		return;
	for (image = RB_MIN(image_tree, &model->images); image; image = next) {
		next = RB_NEXT(image_tree, &model->images, image);
		RB_REMOVE(image_tree, &model->images, image);
		image_free(image);
	}
	devices_free(&model->held_on);
	events_free(model);
	free(model);
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

void image_note_device(struct image *image, int device)
{
	if (device >= 0 && device < DEVICES_MAX)
		image->devices[device / 64] |= 1ull << (device % 64);
}

static void forget_image(struct model *model, struct image *image)
{
	if (image->ended) {
		model->exited_count--;
		model->ended_nodes -= image->book.count;
		model->tombstones[model->tombstone_count++ % TOMBSTONES] = image->number;
	}
	RB_REMOVE(image_tree, &model->images, image);
	model->image_count--;
	image_free(image);
}

static struct image *oldest_ended(struct model *model, bool with_nodes)
{
	struct image *image, *oldest = NULL;

	RB_FOREACH(image, image_tree, &model->images)
		if (image->ended && (!with_nodes || image->book.count) &&
		    (!oldest || image->end_order < oldest->end_order))
			oldest = image;
	return oldest;
}

bool model_image_ended(const struct model *model, uint32_t number)
{
	const struct image *image = find_image(model, number);

	return image ? image->ended : is_forgotten(model, number);
}

void model_graphs_done(struct model *model, uint32_t number)
{
	struct image *image = find_image(model, number);

	if (image) {
		graphs_settle(image);
		graphs_free(image);
	}
}

void model_clear_exited(struct model *model)
{
	struct image *image, *next;

	for (image = RB_MIN(image_tree, &model->images); image; image = next) {
		next = RB_NEXT(image_tree, &model->images, image);
		if (image->ended)
			forget_image(model, image);
	}
}

static const char *name_of(const struct image *image)
{
	return image->command && *image->command ? image->command : image->comm;
}

static void end_image(struct model *model, struct image *image, uint64_t time, enum end_reason reason, int code)
{
	ledger_end(model, image, time);
	image->ended = true;
	image->end_time = time;
	image->end_order = ++model->ends;
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

	while (model->exited_count > model->config.max_exited)
		forget_image(model, oldest_ended(model, false));
	while (model->ended_nodes > ENDED_NODES_MAX) {
		struct image *oldest = oldest_ended(model, true);

		if (!oldest)
			break;
		model->ended_nodes -= oldest->book.count;
		oldest->map_dropped += oldest->book.count;
		book_clear(&oldest->book);
	}
}

static void begin_image(struct model *model, struct image *image, const struct rec_process *record)
{
	char comm[CUTOP_COMM_LEN + 1] = "";
	struct image *other;

	if (image->begun)
		return;
	image->begun = true;
	image->parent_pid = image->identified ? image->parent_pid : record->parent_tgid;
	image->uid = image->identified ? image->uid : record->uid;
	memcpy(comm, record->comm, CUTOP_COMM_LEN);
	clean_text(comm, image->comm, sizeof(image->comm));

	/* Another image of this pid must have ended; that we were not told is a loss, not its life. */
	RB_FOREACH(other, image_tree, &model->images) {
		if (other == image || other->ended || !other->known || other->pid != image->pid ||
		    other->number > image->number)
			continue;
		other->inexact = true;
		end_image(model, other, record->hdr.time, END_EXIT, 0);
		break;		/* there is but one; and the end of one may remove others */
	}
	events_add(model, image, EVENT_START, record->hdr.time, 0, "%s makes its first CUDA call", name_of(image));
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

int image_device(const struct image *image, int device)
{
	if (!image->visible_count || device < 0)
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

static int identify(struct image *image, const struct rec_identity *record, const char *strings, size_t len)
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

static void tell_failure(struct model *model, struct image *image, const struct rec_fail *record)
{
	enum call_layer layer = call_descs[record->call].layer;
	const char *name = error_name(layer, record->result), *meaning = error_meaning(layer, record->result);
	unsigned int hidden;

	if (!call_failed(record->call, record->result))
		return;
	if (error_is_sticky(record->result)) {
		/* That every call fails from then on was said: only the figures tell of the others. */
		if (!image->faulted)
			mortem_fault(model, image, record);
		image->faulted = true;
		return;
	}
	/* Allocations that found no memory are told one by one, with who holds it. */
	if (call_descs[record->call].class == CLASS_ALLOC && record->result == 2)
		return;
	if (!events_allow(image, EVENT_FAILURE, record->hdr.time, &hidden))
		return;
	if (name)
		events_add(model, image, EVENT_FAILURE, record->hdr.time, 0, "%s failed: %s (%d)%s%s", call_name(record->call),
			   name, record->result, meaning ? ": " : "", meaning ? meaning : "");
	else
		events_add(model, image, EVENT_FAILURE, record->hdr.time, 0, "%s failed with code %d", call_name(record->call),
			   record->result);
}

/* The fixed part of each record that is about an image. */
union record {
	struct rec_hdr hdr;
	struct rec_process process;
	struct rec_end end;
	struct rec_alloc alloc;
	struct rec_free free;
	struct rec_copy copy;
	struct rec_fail fail;
	struct rec_reset reset;
	struct rec_map map;
	struct rec_kernel kernel;
	struct rec_launched_at launched_at;
	struct rec_fault fault;
	struct rec_host host;
	struct rec_device device;
	struct rec_module module;
	struct rec_graph graph;
	struct rec_stack stack;
	struct rec_identity identity;
	struct rec_text text;
};

static size_t fixed_size(unsigned int type)
{
	switch (type) {
	case REC_PROCESS: return sizeof(struct rec_process);
	case REC_END: return sizeof(struct rec_end);
	case REC_ALLOC: return sizeof(struct rec_alloc);
	case REC_FREE: return sizeof(struct rec_free);
	case REC_COPY: return sizeof(struct rec_copy);
	case REC_FAIL: return sizeof(struct rec_fail);
	case REC_RESET: return sizeof(struct rec_reset);
	case REC_LAUNCHED_AT: return sizeof(struct rec_launched_at);
	case REC_FAULT: return sizeof(struct rec_fault);
	case REC_HOST: return sizeof(struct rec_host);
	case REC_DEVICE: return sizeof(struct rec_device);
	case REC_MAP: return sizeof(struct rec_map);
	case REC_KERNEL: return sizeof(struct rec_kernel);
	case REC_MODULE: return sizeof(struct rec_module);
	case REC_GRAPH: return sizeof(struct rec_graph);
	case REC_EXEC: return sizeof(struct rec_exec);
	case REC_MMAP: return sizeof(struct rec_mmap);
	case REC_STACK: return sizeof(struct rec_stack);
	case REC_IDENTITY: return sizeof(struct rec_identity);
	case REC_SITE:
	case REC_NAME: return sizeof(struct rec_text);
	default: return 0;
	}
}

static bool makes_sense(const union record *record, size_t tail)
{
	switch (record->hdr.type) {
	case REC_END:
		return record->end.reason <= END_EXEC;
	case REC_ALLOC:
		return record->alloc.call < CALL_COUNT && record->alloc.kind < KIND_COUNT;
	case REC_FREE:
		return record->free.call < CALL_COUNT;
	case REC_COPY:
		return record->copy.call < CALL_COUNT && record->copy.direction <= DIR_DEFAULT;
	case REC_FAIL:
		return record->fail.call < CALL_COUNT;
	case REC_LAUNCHED_AT:
		return record->launched_at.call < CALL_COUNT;
	case REC_HOST:
		return record->host.call < CALL_COUNT;
	case REC_RESET:
		return record->reset.call < CALL_COUNT;
	case REC_MAP:
		return record->map.call < CALL_COUNT && record->map.act <= MAP_RETAIN;
	case REC_GRAPH:
		return record->graph.call < CALL_COUNT && record->graph.role >= GRAPH_CREATE && record->graph.role < GRAPH_ROLE_COUNT &&
		       record->graph.role != EXEC_LAUNCH;
	case REC_STACK:
		return record->stack.stack && record->stack.count <= CUTOP_STACK_FRAMES &&
		       record->stack.count <= tail / sizeof(record->stack.frames[0]);
	case REC_KERNEL:
		return record->kernel.name_len <= tail;
	case REC_SITE:
	case REC_NAME:
		return record->text.text_len <= tail;
	default:
		return true;
	}
}

/* Records that change the books of an image: none may come after its end. */
static bool is_act(unsigned int type)
{
	return type == REC_PROCESS || type == REC_END || type == REC_ALLOC || type == REC_FREE || type == REC_COPY ||
	       type == REC_RESET || type == REC_FAULT || type == REC_HOST || type == REC_DEVICE || type == REC_MAP ||
	       type == REC_GRAPH;
}

static int name_site(struct image *image, const struct rec_text *record, const char *text)
{
	struct place *place = sites_place(&image->sites, record->address);
	struct site *site;

	if (!place)
		return image->sites.place_count >= PLACES_MAX ? 0 : -ENOMEM;
	place->held = record->flags & SITE_IS_HELD;
	for (site = sites_at(&image->sites, record->address); site; site = sites_next(site))
		ledger_hold_site(image, site, place->held);
	return record->text_len ? place_set_name(place, text, record->text_len) : 0;
}

/* Time (ns) from @entry to the record's, which was made at return. */
static uint64_t time_inside(const struct rec_hdr *hdr, uint64_t entry)
{
	return subtract_saturated(hdr->time, entry);
}

/*
 * Records say the device as the process counts; the books, which are compared
 * over processes, go by the machine's numbers. Rows of counters, and copies,
 * which become rows, keep the process's until they are shown.
 */
static void translate_device(const struct image *image, union record *record)
{
	switch (record->hdr.type) {
	case REC_ALLOC:
		record->alloc.device = image_device(image, record->alloc.device);
		break;
	case REC_RESET:
		record->reset.device = image_device(image, record->reset.device);
		break;
	case REC_DEVICE:
		record->device.device = image_device(image, record->device.device);
		break;
	default:
		break;
	}
}

static int dispatch(struct model *model, struct image *image, const union record *record, const char *tail, size_t tail_len)
{
	int error;

	switch (record->hdr.type) {
	case REC_PROCESS:
		begin_image(model, image, &record->process);
		return 0;
	case REC_END:
		image->sync_ns = record->end.sync_ns > image->sync_ns ? record->end.sync_ns : image->sync_ns;
		end_image(model, image, record->hdr.time, record->end.reason, (int)record->end.exit_code);
		return 0;
	case REC_ALLOC:
		error = counters_call(image, record->alloc.call, time_inside(&record->hdr, record->alloc.entry),
				      call_failed(record->alloc.call, record->alloc.result));
		/* Captured, it is a node: the graph's memory is not in these books. */
		if (record->alloc.captured && !record->alloc.result)
			return error;
		return ledger_alloc(model, image, &record->alloc) ?: error;
	case REC_FREE:
		error = counters_call(image, record->free.call, time_inside(&record->hdr, record->free.entry),
				      call_failed(record->free.call, record->free.result));
		if (!record->free.captured || record->free.result)
			ledger_free(model, image, &record->free);
		return error;
	case REC_COPY:
		return copies_record(model, image, &record->copy);
	case REC_FAIL:
		tell_failure(model, image, &record->fail);
		return 0;
	case REC_RESET:
		image->faulted = false;
		image->fault.hdr.size = 0;
		ledger_reset(model, image, &record->reset);
		return 0;
	case REC_FAULT:
		image->fault = record->fault;
		return 0;
	case REC_HOST:
		return pending_host(model, image, &record->host);
	case REC_DEVICE:
		devices_size(model, image, record->device.device, record->device.total, record->hdr.time);
		return 0;
	case REC_MAP:
		return mappings_record(model, image, &record->map);
	case REC_KERNEL:
		return kernels_name(image, record->kernel.function, record->kernel.stub, record->kernel.source,
				    record->kernel.truncated, tail, record->kernel.name_len);
	case REC_LAUNCHED_AT:
		return kernels_place(image, &record->launched_at);
	case REC_MODULE:
		return kernels_module(image, &record->module);
	case REC_GRAPH:
		return graphs_record(model, image, &record->graph);
	case REC_STACK:
		return sites_stack(&image->sites, record->stack.stack, tail, record->stack.count);
	case REC_IDENTITY:
		return identify(image, &record->identity, tail, tail_len);
	case REC_SITE:
		return name_site(image, &record->text, tail);
	case REC_NAME:
		return kernels_name(image, record->text.address, 0, record->text.flags, false, tail, record->text.text_len);
	default:
		return 0;
	}
}

int model_record(struct model *model, const struct rec_hdr *raw, size_t len)
{
	const char *bytes = (const char *)raw;
	union record record;
	struct image *image;
	size_t fixed;
	int error;

	if (len < sizeof(record.hdr))
		goto bad;
	memcpy(&record.hdr, bytes, sizeof(record.hdr));
	fixed = fixed_size(record.hdr.type);
	if (!fixed || record.hdr.size > len || record.hdr.size < fixed)
		goto bad;
	if (record.hdr.type == REC_EXEC || record.hdr.type == REC_MMAP)
		return 0;
	memcpy(&record, bytes, fixed);
	if (!makes_sense(&record, record.hdr.size - fixed))
		goto bad;

	if (record.hdr.time > model->latest)
		model->latest = record.hdr.time;
	image = model_image(model, record.hdr.image, &error);
	if (!image)
		return error;
	if (image->ended && is_act(record.hdr.type)) {
		image->inexact = true;
		goto bad;
	}
	if (!image->known) {
		image->known = true;
		image->pid = record.hdr.tgid;
		image->first_time = record.hdr.time;
	}
	ledger_expire(model, image, record.hdr.time);
	translate_device(image, &record);
	error = dispatch(model, image, &record, bytes + fixed, record.hdr.size - fixed);
	if (error)
		model_lose(model, LOST_MEMORY, 1);
	return error;
bad:
	model_lose(model, LOST_RECORD, 1);
	return -EINVAL;
}
