/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the files of the model share with one another, and with nobody else:
 * the model, its images (one program in one process), and who does what.
 */
#ifndef MODEL_INTERNAL_H
#define MODEL_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/allocations.h"
#include "model/model.h"
#include "model/tree.h"

/* What one process may make us keep. */
#define SITES_MAX		65536
#define PLACES_MAX		262144
#define STACKS_MAX		65536
#define KERNELS_MAX		65536
#define MODULES_MAX		4096
#define IMAGES_MAX		65536
#define DEVICES_MAX		1024
#define MAPPINGS_MAX		262144
#define TILES_MAX		32768		/* as alloc_node.opens counts those that hold memory */
#define LEVELS_MAX		65536
#define GLOBALS_MAX		65536
#define CONTEXTS_MAX		4096
#define GRAPHS_MAX		65536	/* executable ones included */
#define GRAPH_PARTS_MAX		262144
#define EVENTS_MAX		256
#define ENDED_NODES_MAX		1000000		/* of all exited processes together */
#define UNSETTLED_MAX		8192		/* ended images past the bound, kept until their counters are complete */
#define TOMBSTONES		4096
#define DISPLACED_NS		1000000000ull	/* how long a missed free may still turn up */
#define NAME_BYTES_MAX		(64u << 20)	/* of names of kernels, mangled and shown, and of call sites; what comes then goes by its address */
#define NODES_FREE		65536		/* live allocations that every process may have */
#define NODES_MAX		(8u << 20)	/* of all processes; who has more than that many loses what comes then */
#define ENDED_BYTES_MAX		(256u << 20)	/* kept of exited processes, allocations left out: the oldest go first */
#define STORMS_MAX		16		/* call sites that fail to allocate, remembered per process */
#define BYTES_MAX		(1ull << 52)	/* of one allocation or copy: more is a lie */

struct suspect;
struct totals;
struct graph_books;

/* A place in the code: a call site, or a frame of a stack. */
struct place {
	RB_ENTRY(place) link;
	uint64_t address;
	char *name;			/* NULL: not told */
	const char *shown;		/* its text in the snapshot numbered `shown_in` */
	uint64_t shown_in;
	uint32_t flags;			/* enum site_flag */
};

/* The user stack of an allocation. */
struct stack {
	RB_ENTRY(stack) link;
	uint64_t id;
	uint32_t count;
	struct place *frames[];		/* innermost first */
};

/* What the allocations of a call site, or of all sites in PyTorch's allocator, say of its cache: caches.c. */
struct cache_signs {
	uint64_t size;			/* of the first block, 0: there was none */
	bool is_off;			/* a block that the cache never asks for */
	bool is_elsewhere;		/* of a kind that has nothing to do with the cache */
	bool has_buffer, has_sizes, has_physical;
};

/* A call site: where allocations are made; with stacks, by which way. */
struct site {
	RB_ENTRY(site) link;
	uint64_t address;
	uint64_t stack_id;		/* 0: none */
	const struct stack *stack;	/* NULL: none, or not told */
	struct place *place;
	uint64_t live;			/* bytes that are to be freed: VRAM, */
	uint64_t managed;		/* and of these managed memory */
	uint64_t ended;			/* bytes whose owner ended first */
	uint64_t ended_by[NODE_END_COUNT];	/* the same, by what ended them */
	uint64_t unsure;		/* the same, if they were not freed unseen */
	uint64_t allocations;
	uint64_t allocated;		/* bytes that were to be freed, whether they were or not */
	uint64_t last_bytes;		/* scratch of an event's text */
	uint64_t suspect_since;		/* scratch of a snapshot */
	struct suspect *suspect;	/* suspect.c; NULL until it has something to watch */
	uint32_t index;
	int16_t device;			/* where it allocates; CUTOP_DEVICE_UNKNOWN: not on one only */
	bool held;
	bool by_runtime;		/* in a library that is the runtime: it is the runtime's call of the driver */
	struct cache_signs signs;
};

RB_HEAD(site_tree, site);
RB_HEAD(place_tree, place);
RB_HEAD(stack_tree, stack);

struct site_table {
	struct site_tree tree;
	struct place_tree places;
	struct stack_tree stacks;
	size_t place_count, stack_count;
	struct site **list;		/* by index */
	size_t count, size;
	struct site *other;		/* for all sites past SITES_MAX */
	struct cache_signs cache;	/* of all sites with SITE_IN_CACHE */
};

struct launch_entry {
	RB_ENTRY(launch_entry) link;
	struct launch_key key;
	struct launch_row row;
	uint64_t before;		/* launches at the previous snapshot */
	uint64_t graph_launches, graph_before;	/* by graphs */
	bool is_graph;			/* stands for a graph of which nobody knows what it holds */
	bool in_graph;			/* some graph holds it, or did */
	bool updatable;			/* kernels may disable a node of it, or enable it again: graph_launches is not exact */
};

struct copy_entry {
	RB_ENTRY(copy_entry) link;
	struct copy_key key;
	struct copy_row row;		/* of the counter map */
	struct copy_row resolved;	/* of REC_COPY */
	bool pageable;			/* some of them were of memory that the host may page out */
	uint64_t before;		/* bytes at the previous snapshot */
};

struct call_entry {
	RB_ENTRY(call_entry) link;
	struct call_key key;
	struct call_row row;		/* of the counter map */
	struct call_row told;		/* of REC_ALLOC and REC_FREE */
};

struct fail_entry {
	RB_ENTRY(fail_entry) link;
	struct fail_key key;
	struct fail_row row;
};

RB_HEAD(launch_tree, launch_entry);
RB_HEAD(copy_tree, copy_entry);
RB_HEAD(call_tree, call_entry);
RB_HEAD(fail_tree, fail_entry);

struct pending_entry;
RB_HEAD(pending_tree, pending_entry);

/* What is known of the function that a launch names. */
struct kernel_name {
	RB_ENTRY(kernel_name) link;
	uint64_t function;
	uint64_t stub;
	uint64_t site;			/* where it is launched, 0: not told */
	bool shares_site;		/* other functions may well be launched there, too */
	char *symbol;			/* mangled; NULL if not known */
	char *full, *brief;		/* as shown; NULL until asked for */
	int rank;			/* how good the source of the symbol is */
};

RB_HEAD(kernel_tree, kernel_name);

struct mapping;			/* mappings.c */

RB_HEAD(mapping_tree, mapping);
RB_HEAD(mapping_handle_tree, mapping);

struct tile;			/* tiles.c */

RB_HEAD(tile_tree, tile);

struct global;			/* globals.c */

RB_HEAD(global_tree, global);

struct static_variable;		/* statics.c */

RB_HEAD(static_tree, static_variable);

struct level;			/* levels.c */

RB_HEAD(level_tree, level);

struct module {
	uint64_t start, end, offset;
	char *file;
};

/* What is held on one device. */
struct device_use {
	uint64_t live;			/* VRAM bytes */
	uint64_t peak, leaked, held;	/* of one process only */
	uint64_t total;			/* the device's size, 0: not told */
	int device;
	bool told;			/* that it is nearly full */
	bool mixed;			/* the number means different devices to different processes */
};

struct device_list {
	struct device_use *list;
	size_t count;
};

/* A call site that found no memory, and the event that says so. */
struct storm {
	uint64_t site, since;
	uint64_t event;			/* number of the event, 0: none */
	uint16_t call;
};

/* At most so many events of a kind per image and second, lest one program drowns the rest. */
struct event_limit {
	uint64_t since;
	unsigned int shown, hidden;
};

struct image {
	RB_ENTRY(image) link;
	uint32_t number;
	bool known;			/* the process is: by REC_PROCESS, or by any other record */
	bool begun;			/* REC_PROCESS was seen */
	bool identified;		/* REC_IDENTITY was seen */
	bool ended, inexact, from_attach;
	enum unreturned unreturned;	/* returns of its calls are not probed */
	bool kernels_full;
	bool checkpointed;		/* its memory is on no device */
	uint32_t pid, parent_pid, ns_pid, uid;
	uint64_t first_time;		/* of the first record */
	uint64_t start_real;		/* from REC_IDENTITY */
	char comm[CUTOP_COMM_LEN + 1];
	char *user, *command, *arguments, *container, *pod;

	uint16_t total;			/* its command's place in the totals, from 1; 0: none yet */
	uint64_t end_time;
	struct image *ended_before, *ended_after;	/* the list of those that ended, in the order of their ends */
	bool settled;			/* ended, and no row of it comes any more */
	bool cleared;			/* ended, and not wanted in the next snapshot: until then its last rows are read */
	enum end_reason end_reason;
	int exit_code;

	struct book book;
	uint16_t end_calls[NODE_END_COUNT];	/* the last call that ended allocations in this way */
	unsigned int nodes_asked;	/* how often there was a look whether there is room for more, */
	bool nodes_full;		/* and the last answer */
	uint64_t live, peak, leaked, held, allocated;
	uint64_t live_allocations, allocations, frees;
	uint64_t failed_allocations, failed_frees, double_frees, unknown_frees;
	uint64_t kinds[KIND_COUNT];
	uint64_t devices[DEVICES_MAX / 64];	/* bit set of those seen, by the machine's numbers */
	uint64_t runtime_devices[DEVICES_MAX / 64];	/* those whose primary contexts the runtime works in */
	bool runtime_launched;		/* the runtime launched a kernel: on which device, its row says */
	int16_t *visible;		/* the machine's numbers of the process's devices; NULL: the same */
	size_t visible_count;
	struct device_list held_on;
	struct storm storms[STORMS_MAX];
	uint64_t walked;		/* when the book was last walked through for a post-mortem */
	struct mapping_tree mappings;	/* of physical memory */
	struct mapping_handle_tree mapping_handles;
	size_t mapping_count;
	struct tile_tree tiles;		/* parts of sparse arrays, and the physical memory there */
	size_t tile_count;
	uint64_t tile_extent[3];	/* no tile is larger */
	struct level_tree levels;	/* of mipmapped arrays */
	size_t level_count;
	struct global_tree globals;	/* variables of modules, and the like */
	size_t global_count;
	struct static_tree statics;	/* variables of known size */
	size_t static_count;
	bool registers_variables;	/* with the runtime */
	uint64_t *contexts;		/* handles of those that own memory; 0: destroyed. The first is number 1 */
	size_t context_count;
	uint64_t lost_time;		/* of the last record of it that was lost; 0: none was */
	uint64_t map_dropped;		/* ended allocations that were forgotten, for memory's sake */

	struct site_table sites;
	struct launch_tree launches;
	size_t launch_count;
	struct copy_tree copies;
	struct call_tree calls;
	struct fail_tree fails;
	size_t fail_count;
	struct pending_tree pending;	/* streams with asynchronous copies */
	size_t stream_count;
	bool pageable_told;
	struct kernel_tree kernels;
	size_t kernel_count;
	size_t name_bytes;		/* of their names, and of call sites' */
	struct graph_books *graphs;	/* graphs.c; NULL until there is one */
	bool updatable;			/* as launch_entry.updatable, of a kernel that is not known */
	struct module *modules;
	size_t module_count;

	uint64_t sync_ns;
	bool has_sync;
	bool faulted;			/* a sticky error was met, and no reset since */
	struct rec_fault fault;		/* of it; size 0 if there was none */
	struct sync_slot synced[CUTOP_SYNC_SLOTS];
	struct event_limit limits[EVENT_KIND_COUNT];

	/* at the previous snapshot */
	uint64_t launches_before, graph_launches_before, failures_before, sync_before;
	uint64_t copies_before[DIR_COUNT];
};

RB_HEAD(image_tree, image);

struct event {
	uint64_t time;			/* CLOCK_MONOTONIC */
	uint64_t bytes;
	uint32_t pid;
	uint8_t kind;
	uint64_t repeated;		/* how often it happened again */
	struct snap_detail *detail;	/* NULL if there is none */
	char *text;
};

/* A function that --probe named. */
struct extra {
	char *symbol;			/* NULL: not told */
	char *brief, *full;		/* demangled, if it is mangled, else NULL */
	enum extra_result result;
};

#define CLOCKS_MAX	64

/* CLOCK_REALTIME and CLOCK_MONOTONIC at one instant; holds from then on. */
struct clock_step {
	uint64_t mono, real;
};

struct model {
	struct model_config config;
	uint32_t focus;			/* the image whose spans are wanted */
	bool has_focus;
	struct image_tree images;
	size_t image_count, exited_count;
	struct image *ended_first, *ended_last;
	struct snap_gone gone;
	size_t ended_nodes;		/* in the books of ended images */
	uint64_t latest;		/* time of the latest record */
	struct clock_step clocks[CLOCKS_MAX];	/* the latest last */
	size_t clock_count;
	uint64_t lost_fed[LOST_FED_COUNT];
	uint64_t lost[LOST_COUNT];	/* found here */
	struct snap_unseen unseen[UNSEEN_COUNT];
	uint64_t lost_told[LOST_COUNT];	/* when the log last said so */
	uint32_t tombstones[TOMBSTONES];	/* ended images that were forgotten */
	size_t tombstone_count;
	struct event events[EVENTS_MAX];
	size_t event_first, event_count;
	uint64_t event_number;		/* of the latest; they are counted from 1 */
	struct device_list held_on;
	struct rec_device_reading *device_readings;
	struct rec_process_reading *process_readings;
	size_t device_reading_count, process_reading_count;
	struct totals *totals;		/* totals.c; NULL: nobody asked for them */
	uint64_t snapshot_time;
	bool has_snapshot;
	struct extra extras[CUTOP_EXTRA_MAX];
	uint64_t snapshot_number;
};

static inline uint64_t add_saturated(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static inline uint64_t subtract_saturated(uint64_t a, uint64_t b)
{
	return a < b ? 0 : a - b;
}

/* model.c */
void model_lose(struct model *model, enum lost_cause cause, uint64_t count);
uint64_t model_to_real(const struct model *model, uint64_t mono);
struct rec_limit;
struct rec_unseen;
void model_unseen(struct model *model, const struct rec_unseen *record);
void model_limit(struct model *model, const struct rec_limit *record);
struct rec_clock;
void model_clock(struct model *model, const struct rec_clock *record);
/* Returns a cleaned copy of at most @len bytes, or NULL. The caller frees it. */
char *clean_copy(const char *text, size_t len);

/* programs.c */
void images_free(struct model *model);
/*
 * Returns the image, made if there is none, or NULL with *@error set: -ENOMEM
 * (already counted), or 0 if the image ended and was forgotten.
 */
struct image *model_image(struct model *model, uint32_t number, int *error);
void image_note_device(struct image *image, int device);
/* The running image that @asker knows by @pid, which is in its own namespace, or NULL. */
struct image *images_running(struct model *model, const struct image *asker, uint32_t pid);
/* The runtime works in the primary context of @device. */
void image_note_runtime(struct image *image, int device);
/* It does no more, as @device was reset. */
void image_forget_runtime(struct image *image, int device);
/* Whether it does, as far as is known yet. */
bool image_runtime_uses(const struct image *image, int device);
/* The machine's number of the process's @device: CUTOP_DEVICE_UNKNOWN if it is none of those it sees. */
int image_device(const struct image *image, int device);
/* The other way round. */
int image_own_device(const struct image *image, int device);
/* The first hooked call of @image, as its record says. */
void image_begin(struct model *model, struct image *image, const struct rec_process *record);
/* Who @image is; @strings are the @len bytes that follow @record. Returns 0 or -ENOMEM. */
int image_identify(struct image *image, const struct rec_identity *record, const char *strings, size_t len);
/* Before a snapshot: forgets what was cleared, and the oldest exited processes, if what is kept of all of them is too much. */
void images_trim(struct model *model);
void image_end(struct model *model, struct image *image, uint64_t time, enum end_reason reason, int code);
struct image *image_tree_first(struct model *model);
struct image *image_tree_next(struct image *image);

/* extras.c: functions that are not in the table. */
struct arena;
int model_extra_learn(struct model *model, const struct rec_text *record, const char *symbol);
/* What @call is called, of the table or not. Borrowed; it stays what it is while the model lives. */
const char *model_call_name(const struct model *model, unsigned int call);
/* The same as people read it: without C++'s mangling. */
const char *model_call_brief(const struct model *model, unsigned int call);
/* Copies the names of @call, which is not of the table, to @arena. Returns 0 or -ENOMEM. */
int model_extra_names(const struct model *model, struct arena *arena, unsigned int call, struct snap_extra *names);
enum extra_result model_extra_result(const struct model *model, unsigned int call);
void model_extras_free(struct model *model);

/* ledger.c: what allocating, freeing, resetting and ending do to the books. */
int ledger_alloc(struct model *model, struct image *image, const struct rec_alloc *record);
void ledger_free(struct model *model, struct image *image, const struct rec_free *record);
void ledger_reset(struct model *model, struct image *image, const struct rec_reset *record);
/* The memory of @image leaves its devices (@out), or comes back. It stays allocated. */
void ledger_checkpoint(struct model *model, struct image *image, bool out, uint64_t time);
void ledger_end(struct model *model, struct image *image, uint64_t time);
void ledger_hold_site(struct image *image, struct site *site, bool held);
void ledger_expire(struct model *model, struct image *image, uint64_t now);

/* A handle or a mapping more holds @node, a live one. */
void ledger_retain(struct alloc_node *node);
/* One of those that hold @node lets go of it: the last frees it. @node may be gone then. */
void ledger_release(struct model *model, struct image *image, struct alloc_node *node, uint64_t time);

/* mappings.c: where physical memory is mapped. */
int mappings_record(struct model *model, struct image *image, const struct rec_map *record);
/* Returns the physical memory that @address points into, or NULL. */
struct alloc_node *mappings_containing(struct image *image, uint64_t address);
/* The lowest address where the memory of @handle is mapped, 0: nowhere. */
uint64_t mappings_address(struct image *image, uint64_t handle);
/* Walks the mappings by address; NULL at the end. */
struct mapping *mappings_lowest(struct image *image);
struct mapping *mappings_higher(struct mapping *mapping);
/* What @mapping covers, and the memory it shows, NULL if that is not known. */
struct alloc_node *mapping_look(struct image *image, const struct mapping *mapping, uint64_t *address, uint64_t *bytes);
void mappings_free(struct image *image);

/* tiles.c: physical memory that is mapped into sparse arrays. Returns 0 or -ENOMEM. */
int tiles_record(struct model *model, struct image *image, const struct rec_tiles *record);
/* The array with @handle is gone: what was mapped into it is so no more. */
void tiles_end(struct model *model, struct image *image, uint64_t handle, uint64_t time);
/* Forgets all of them: memory that they held stays held. */
void tiles_free(struct image *image);

/* globals.c: what lies on a device and was not allocated, such as variables of modules. */
int globals_learn(struct image *image, uint64_t address, uint64_t bytes);
bool globals_contain(struct image *image, uint64_t address);
void globals_free(struct image *image);

/* statics.c: variables of known size, image->kinds[KIND_STATIC] */
int statics_learn(struct image *image, const struct rec_map *record);
/* Which context the variable goes with, as a MAP_OWNED says. */
void statics_own(struct image *image, const struct rec_map *record);
/* A context ended: @context, or, if that is 0, the primary one of @device. */
void statics_end(struct image *image, uint64_t context, int device);
void statics_unload(struct image *image, uint64_t module);
void statics_free(struct image *image);

/* levels.c: arrays that are levels of mipmapped ones. */
int levels_learn(struct image *image, uint64_t handle, uint64_t whole);
/* Returns the mipmapped array that the one with @handle is a level of, a live one, or NULL. */
struct alloc_node *levels_whole(struct image *image, uint64_t handle);
void levels_free(struct image *image);

/* histogram.c */
/* The log2 bucket of @value: cutop_rows.h says what the buckets of times and sizes hold. */
unsigned int histogram_bucket(uint64_t value, unsigned int shift, unsigned int buckets);
struct snap_latency histogram_latency(const uint64_t hist[CUTOP_HIST_BUCKETS], uint64_t max_ns);

/* copies.c: copies whose direction or size the model resolves. */
int copies_record(struct model *model, struct image *image, const struct rec_copy *record);

/* devices.c: what is held on each device, and how large it is. */
struct device_use *devices_find(struct device_list *devices, int device);
void devices_add(struct model *model, struct image *image, int device, uint64_t bytes, uint64_t time);
void devices_remove(struct model *model, struct image *image, int device, uint64_t bytes);
void devices_size(struct model *model, struct image *image, int device, uint64_t total, uint64_t time);
/* @bytes that lived on @device have outlived their owner, or, with a minus, turn out not to have: leaked, or held. */
void devices_ended(struct image *image, int device, int64_t bytes, bool held);
void devices_free(struct device_list *devices);

/* totals.c: what all processes of a command have done, those that are forgotten included. */
struct totals *totals_new(void);
void totals_free(struct totals *totals);
/* Keeps the counters of @image, which is about to be forgotten. */
void totals_retire(struct model *model, struct image *image);

/* mortem.c: events that keep the circumstances. */
void mortem_out_of_memory(struct model *model, struct image *image, const struct rec_alloc *record);
void mortem_nearly_full(struct model *model, struct image *image, const struct device_use *use, uint64_t time);
/* A sticky error: the first of a process, or since its device was reset. */
void mortem_fault(struct model *model, struct image *image, const struct rec_fail *record);
/* Writes the name of the code at @address of @image, or where it is, cleaned. */
void describe_address(struct image *image, uint64_t address, char *out, size_t size);
/* Writes the name of @site, or where it is. */
void describe_site(const struct image *image, const struct site *site, char *out, size_t size);

/* pending.c: asynchronous copies that are not known to be done, and those that are none. */
/* A copy that came as a record moves @bytes in @direction to @device, the process's number. Returns 0 or -ENOMEM. */
int pending_copy(struct image *image, const struct rec_copy *record, unsigned int direction, int device, uint64_t bytes);
/* Memory of the host at some address is copied asynchronously for the first time. Returns 0 or -ENOMEM. */
int pending_host(struct model *model, struct image *image, const struct rec_host *record);
/* Puts what is pending into the process's list of copies. */
void pending_sum(struct image *image, struct snap_copy *copies, size_t count);
/* Forgets what is known to be done since the image's devices were synchronized. */
void pending_trim(struct image *image);
void pending_free(struct image *image);

/* caches.c: whether memory of a site is held by a cache. */
/* An allocation of @bytes at @site, after which some sites may be held no more. */
void caches_note(struct image *image, struct site *site, unsigned int kind, uint64_t bytes);
/* The flags of the place of @site have changed, or were told for the first time. */
void caches_judge(struct image *image, struct site *site);
/* Bytes that ended at @site and are held, if the cache is on, which nothing proves. */
uint64_t caches_unproven(const struct image *image, const struct site *site);

/* sites.c */
/* What is known of the place at @address, or NULL. */
const struct place *sites_find(struct site_table *sites, uint64_t address);
struct site *sites_get(struct site_table *sites, uint64_t address, uint64_t stack_id);
/* The place at @address, made if there is none. Returns NULL without memory or room. */
struct place *sites_place(struct site_table *sites, uint64_t address);
int place_set_name(struct place *place, const char *text, size_t len);
/* The sites at one address: the first, or NULL; and the one after @site. */
struct site *sites_at(struct site_table *sites, uint64_t address);
struct site *sites_next(struct site *site);
/* Keeps the @count frames that lie at @frames, at any alignment. Returns 0 or -ENOMEM. */
int sites_stack(struct site_table *sites, uint64_t id, const char *frames, size_t count);
void sites_free(struct site_table *sites);

/* counters.c */
struct copy_entry *counters_copy(struct image *image, const struct copy_key *key);
/* Counts a call that came as a record: @ns in it. Returns 0 or -ENOMEM. */
int counters_call(struct image *image, unsigned int call, uint64_t ns, bool failed);
void counters_free(struct image *image);
/* The entry of @key, made if there is none; NULL (already counted) without room or memory. */
struct launch_entry *counters_launch(struct model *model, struct image *image, const struct launch_key *key);
/* Some entry of the same function and device, by whichever call; NULL if there is none. */
struct launch_entry *counters_launch_of(struct image *image, const struct launch_key *key);
struct launch_entry *launch_first(struct image *image);
struct launch_entry *launch_next(struct launch_entry *entry);
struct copy_entry *copy_first(struct image *image);
struct copy_entry *copy_next(struct copy_entry *entry);
struct call_entry *call_first(struct image *image);
struct call_entry *call_next(struct call_entry *entry);
struct fail_entry *fail_first(struct image *image);
struct fail_entry *fail_next(struct fail_entry *entry);

/* kernels.c: names of what is launched, and of addresses in general. */
int kernels_name(struct image *image, uint64_t function, uint64_t stub, unsigned int source, bool truncated,
		 const char *name, size_t len);
int kernels_place(struct image *image, const struct rec_launched_at *record);
int kernels_module(struct image *image, const struct rec_module *record);
/* Returns what is known of @function with its shown names made, or NULL without memory. */
const struct kernel_name *kernels_find(struct image *image, uint64_t function);
/* The stub of @function, or itself if it is not known to be a handle. */
uint64_t kernels_stub(struct image *image, uint64_t function);
/* Whether @address is known to lie in a library that is the runtime. */
bool kernels_is_runtime(const struct image *image, uint64_t address);
/* Writes "file+0x10" or "0x7f00" for @address. */
void kernels_describe(const struct image *image, uint64_t address, char *out, size_t size);
void kernels_free(struct image *image);

/* graphs.c: graphs, and how often their kernels ran. */
int graphs_record(struct model *model, struct image *image, const struct rec_graph *record);
/* Brings launch_entry.graph_launches up to date. */
void graphs_settle(struct image *image);
void graphs_free(struct image *image);

/* readings.c: what the driver says of devices, and of processes on them. */
void readings_clear(struct model *model);
int readings_device(struct model *model, const struct rec_device_reading *reading);
int readings_process(struct model *model, const struct rec_process_reading *reading);
void readings_free(struct model *model);

/* events.c */
void events_add(struct model *model, struct image *image, enum event_kind kind, uint64_t time, uint64_t bytes,
		const char *format, ...) __attribute__((format(printf, 6, 7)));
/* The same with details, which are copied. Returns the event's number, or 0 without memory. */
uint64_t events_add_detail(struct model *model, struct image *image, enum event_kind kind, uint64_t time, uint64_t bytes,
			   const struct snap_detail *detail, const char *format, ...) __attribute__((format(printf, 7, 8)));
/* The event of that number happened again. Nothing if it has left the log. */
void events_repeat(struct model *model, uint64_t number);
void events_free(struct model *model);
/* True if one more event of @kind may be told now; *@hidden: how many were not since the last. */
bool events_allow(struct image *image, enum event_kind kind, uint64_t time, unsigned int *hidden);

/* suspect.c: the rising-floor test. suspect_change() follows each change of site->live. */
void suspect_change(struct model *model, struct site *site, uint64_t time);
/* Returns the bytes by which the floor of @site rose; *@since: when it began to (UINT64_MAX: not). */
uint64_t suspect_bytes(struct model *model, struct site *site, uint64_t now, uint64_t *since);
void suspect_free(struct site *site);

#endif
