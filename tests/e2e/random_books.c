// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The books that random_calls keeps of its own calls: from what a call was given and what it
 * returned, by CUDA's rules, and with none of cutop's code.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "random_calls.h"

_Thread_local struct actor *self;
bool tracing, no_runtime, no_driver;

static const char *const kinds[KIND_COUNT] = { "device",   "managed", "async",     "array",
					       "physical", "pinned",  "registered" };
static const char *const directions[DIRECTIONS] = { "H2H", "H2D", "D2H", "D2D", "P2P", "unknown" };

static bool must_be_freed(enum kind kind)
{
	return kind < KIND_PINNED;
}

/* Managed memory may lie on a device or not: CUDA C++ programming guide, unified memory. */
static bool is_vram(enum kind kind)
{
	return must_be_freed(kind) && kind != KIND_MANAGED;
}

/* splitmix64 */
uint64_t any(uint64_t below)
{
	uint64_t z = self->chance += 0x9e3779b97f4a7c15ull;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return (z ^ z >> 31) % below;
}

struct actor *actor_new(uint64_t seed)
{
	struct actor *actor = calloc(1, sizeof(*actor));

	if (!actor)
		abort();
	actor->chance = seed * 0x2545f4914f6cdd1dull + 1;
	return actor;
}

static void *grown(void *list, size_t count, size_t *size, size_t each)
{
	if (count < *size)
		return list;
	*size = *size ? *size * 2 : 64;
	list = realloc(list, *size * each);
	if (!list)
		abort();
	return list;
}

static struct call_book *call_of(struct actor *actor, const char *name)
{
	size_t i;

	for (i = 0; i < actor->call_count; i++)
		if (!strcmp(actor->calls[i].name, name))
			return &actor->calls[i];
	if (i == sizeof(actor->calls) / sizeof(actor->calls[0]))
		abort();
	actor->calls[actor->call_count++].name = name;
	return &actor->calls[i];
}

static struct failure_book *failure_of(struct actor *actor, const char *name, int code)
{
	size_t i;

	for (i = 0; i < actor->failure_count; i++)
		if (actor->failures[i].code == code && !strcmp(actor->failures[i].name, name))
			return &actor->failures[i];
	if (i == sizeof(actor->failures) / sizeof(actor->failures[0]))
		abort();
	actor->failures[actor->failure_count++] =
		(struct failure_book){ .name = name, .code = code };
	return &actor->failures[i];
}

bool is_wanted(const char *name)
{
	bool runtime = strstr(name, "cuda");

	return !(self->left_out = runtime ? no_runtime : no_driver || self->runtime_only);
}

/* A graph that cannot be updated, and memory that is registered already, are no failures. */
static bool is_answer(const char *name, int code)
{
	return (code == 910 && strstr(name, "GraphExecUpdate")) ||
	       (code == 712 && strstr(name, "HostRegister"));
}

int note(const char *name, int code)
{
	struct call_book *call = call_of(self, name);

	if (tracing)
		fprintf(stderr, "  %s = %d\n", name, code);
	if (strstr(name, "cuda") && !self->context && self->device < DEVICES)
		self->runtime_used[self->device] = true;
	call->calls++;
	if (code && !is_answer(name, code)) {
		call->failures++;
		failure_of(self, name, code)->count++;
	}
	return code;
}

/* ---- addresses that were freed ---- */

static uint64_t *slot_of(const struct address_set *set, uint64_t address)
{
	size_t i = (size_t)((address >> 4) * 0x9e3779b97f4a7c15ull >> 20);

	while (set->slots[i % set->size] && set->slots[i % set->size] != address)
		i++;
	return &set->slots[i % set->size];
}

bool was_freed(uint64_t address)
{
	return self->freed.count && *slot_of(&self->freed, address);
}

static void set_add(struct address_set *set, uint64_t address)
{
	struct address_set old = *set;
	uint64_t *slot;
	size_t i;

	if (set->count * 2 >= set->size) {
		set->size = set->size ? set->size * 2 : 1024;
		set->slots = calloc(set->size, sizeof(*set->slots));
		if (!set->slots)
			abort();
		for (i = 0; i < old.size; i++)
			if (old.slots[i])
				*slot_of(set, old.slots[i]) = old.slots[i];
		free(old.slots);
	}
	slot = slot_of(set, address);
	set->count += !*slot;
	*slot = address;
}

/* ---- memory ---- */

static bool has_handle(const struct allocation *allocation)
{
	return allocation->kind == KIND_ARRAY || allocation->kind == KIND_PHYSICAL;
}

static void forget(struct allocation *allocation)
{
	*allocation = self->allocations[--self->allocation_count];
}

struct allocation *allocation_at(uint64_t address)
{
	size_t i;

	for (i = 0; i < self->allocation_count; i++)
		if (self->allocations[i].address == address && !self->allocations[i].ended)
			return &self->allocations[i];
	return NULL;
}

static bool overlaps(const struct allocation *a, uint64_t address, uint64_t bytes)
{
	return has_handle(a) ? a->address == address :
			       address < a->address + a->bytes && a->address < address + bytes;
}

bool is_taken(uint64_t address, uint64_t bytes)
{
	size_t i;

	for (i = 0; i < self->allocation_count; i++)
		if ((!self->allocations[i].ended || has_handle(&self->allocations[i])) &&
		    overlaps(&self->allocations[i], address, bytes))
			return true;
	return false;
}

void note_allocation(const char *call, int code, struct allocation allocation)
{
	size_t i;

	if (self->left_out)
		return;
	if (code) {
		self->failed_allocations += !is_answer(call, code);
		return;
	}
	if (!allocation.address)
		return;
	/* What lay there ended, or it could not be given to anyone. */
	for (i = self->allocation_count; i-- > 0;) {
		struct allocation *old = &self->allocations[i];

		if (has_handle(old) != has_handle(&allocation) ||
		    !overlaps(old, allocation.address, allocation.bytes))
			continue;
		if (!old->ended) {
			fprintf(stderr, "random_calls: 0x%llx was given twice, by %s and %s\n",
				(unsigned long long)allocation.address, old->call, call);
			abort();
		}
		forget(old);
	}
	allocation.call = call;
	allocation.opens = 1;
	self->allocations = grown(self->allocations, self->allocation_count, &self->allocation_size,
				  sizeof(allocation));
	self->allocations[self->allocation_count++] = allocation;
	self->allocated++;
	if (tracing)
		fprintf(stderr, "    0x%llx %llu bytes of %s memory on device %d\n",
			(unsigned long long)allocation.address,
			(unsigned long long)allocation.bytes, kinds[allocation.kind],
			allocation.device);
	if (!is_vram(allocation.kind))
		return;
	self->live += allocation.bytes;
	if (self->live > self->peak)
		self->peak = self->live;
}

void note_retained(struct allocation *allocation)
{
	allocation->opens++;
}

void note_released(struct allocation *allocation)
{
	if (--allocation->opens)
		return;
	self->frees++;
	if (is_vram(allocation->kind))
		self->live -= allocation->bytes;
	set_add(&self->freed, allocation->address);
	forget(allocation);
}

void note_free(uint64_t address, int code)
{
	struct allocation *allocation = allocation_at(address);

	if (tracing)
		fprintf(stderr, "    of 0x%llx\n", (unsigned long long)address);
	if (!address || self->left_out)
		return;
	if (!code && allocation)
		note_released(allocation);
	else if (!code)
		self->unknown_frees++;
	else if (!allocation && was_freed(address))
		self->double_frees++;
	else
		self->failed_frees++;
}

/* cuda.h, cuCtxDestroy(), and cuda_runtime_api.h, cudaDeviceReset(): these belong to no context. */
static bool outlives_contexts(const struct allocation *allocation)
{
	return allocation->kind == KIND_PHYSICAL || allocation->kind == KIND_ASYNC;
}

void note_ended(int device, CUcontext context)
{
	size_t i;

	for (i = self->allocation_count; i-- > 0;) {
		struct allocation *allocation = &self->allocations[i];

		if (allocation->ended || allocation->context != context ||
		    (!context && allocation->device != device) || outlives_contexts(allocation))
			continue;
		if (!must_be_freed(allocation->kind)) {
			forget(allocation);
			continue;
		}
		allocation->ended = true;
		self->live -= is_vram(allocation->kind) ? allocation->bytes : 0;
		self->leaked += allocation->bytes;
	}
	for (i = self->stream_count; i-- > 0;)
		if (self->streams[i].context == context &&
		    (context || self->streams[i].device == device))
			self->streams[i] = self->streams[--self->stream_count];
	for (i = self->graph_count; i-- > 0;)
		if (self->graphs[i].context == context &&
		    (context || self->graphs[i].device == device))
			self->graphs[i] = self->graphs[--self->graph_count];
	for (i = self->exec_count; i-- > 0;)
		if (self->execs[i].held.context == context &&
		    (context || self->execs[i].held.device == device))
			self->execs[i] = self->execs[--self->exec_count];
	for (i = self->pool_count; i-- > 0;)
		if (!context && self->pools[i].device == device)
			self->pools[i] = self->pools[--self->pool_count];
}

/* ---- copies, launches ---- */

void note_copy(int code, enum direction direction, bool async, uint64_t bytes)
{
	struct copy_book *copies = &self->copies[direction][async][self->device];

	if (self->left_out)
		return;
	if (tracing)
		fprintf(stderr, "    %s of %llu bytes\n", directions[direction],
			(unsigned long long)bytes);
	copies->calls++;
	copies->failures += code != 0;
	copies->bytes += code ? 0 : bytes;
}

void note_launch(int code, unsigned int kernel)
{
	struct kernel_book *book = &self->kernels[kernel][self->device];

	if (self->left_out)
		return;
	if (tracing)
		fprintf(stderr, "    of kernel%u\n", kernel);
	book->launches++;
	book->failures += code != 0;
}

/* ---- the sum, and what is written of it ---- */

void actor_add(struct actor *to, const struct actor *from)
{
	const unsigned long *copies = (const unsigned long *)from->copies,
			    *kernels = (const unsigned long *)from->kernels;
	size_t i;

	to->allocated += from->allocated;
	to->frees += from->frees;
	to->failed_allocations += from->failed_allocations;
	to->failed_frees += from->failed_frees;
	to->double_frees += from->double_frees;
	to->unknown_frees += from->unknown_frees;
	to->live += from->live;
	to->leaked += from->leaked;
	for (i = 0; i < from->call_count; i++) {
		struct call_book *call = call_of(to, from->calls[i].name);

		call->calls += from->calls[i].calls;
		call->failures += from->calls[i].failures;
	}
	for (i = 0; i < from->failure_count; i++)
		failure_of(to, from->failures[i].name, from->failures[i].code)->count +=
			from->failures[i].count;
	for (i = 0; i < sizeof(to->copies) / sizeof(*copies); i++)
		((unsigned long *)to->copies)[i] += copies[i];
	for (i = 0; i < sizeof(to->kernels) / sizeof(*kernels); i++)
		((unsigned long *)to->kernels)[i] += kernels[i];
	for (i = 0; i < from->freed.size; i++)
		if (from->freed.slots[i])
			set_add(&to->freed, from->freed.slots[i]);
	for (i = 0; i < from->allocation_count; i++) {
		to->leaks_known &= !from->allocations[i].ended;
		to->allocations = grown(to->allocations, to->allocation_count, &to->allocation_size,
					sizeof(*to->allocations));
		to->allocations[to->allocation_count++] = from->allocations[i];
	}
}

static const char *comma(bool *first)
{
	const char *text = *first ? "" : ",";

	*first = false;
	return text;
}

static void write_memory(FILE *file, const struct actor *actor)
{
	unsigned long leaked = actor->leaked;
	bool first = true;
	size_t i;

	for (i = 0; i < actor->allocation_count; i++)
		if (must_be_freed(actor->allocations[i].kind) && !actor->allocations[i].ended)
			leaked += actor->allocations[i].bytes;
	fprintf(file,
		"\"memory\":{\"allocations\":%lu,\"frees\":%lu,\"failed_allocations\":%lu,\"failed_frees\":%lu,"
		"\"double_frees\":%lu,\"unknown_frees\":%lu,\"leaked_bytes\":%lu",
		actor->allocated, actor->frees, actor->failed_allocations, actor->failed_frees,
		actor->double_frees, actor->unknown_frees, leaked);
	if (actor->peak_known)
		fprintf(file, ",\"peak_bytes\":%lu", actor->peak);
	fprintf(file, "},\"leaks\":%s", actor->leaks_known ? "[" : "null");
	for (i = 0; actor->leaks_known && i < actor->allocation_count; i++) {
		const struct allocation *a = &actor->allocations[i];

		if (must_be_freed(a->kind))
			fprintf(file, "%s[\"0x%llx\",%llu,\"%s\",%d,\"%s\"]", comma(&first),
				(unsigned long long)a->address, (unsigned long long)a->bytes,
				kinds[a->kind], a->device, a->call);
	}
	fputs(actor->leaks_known ? "]" : "", file);
}

static void write_counters(FILE *file, const struct actor *actor)
{
	bool first = true;
	size_t i, j, k;

	fputs(",\"calls\":{", file);
	for (i = 0; i < actor->call_count; i++)
		fprintf(file, "%s\"%s\":[%lu,%lu]", comma(&first), actor->calls[i].name,
			actor->calls[i].calls, actor->calls[i].failures);
	fputs("},\"failures\":{", file);
	first = true;
	for (i = 0; i < actor->failure_count; i++)
		fprintf(file, "%s\"%s %d\":%lu", comma(&first), actor->failures[i].name,
			actor->failures[i].code, actor->failures[i].count);
	fputs("},\"copies\":{", file);
	first = true;
	for (i = 0; i < DIRECTIONS; i++)
		for (j = 0; j < 2; j++)
			for (k = 0; k < DEVICES; k++)
				if (actor->copies[i][j][k].calls)
					fprintf(file, "%s\"%s %s %zu\":[%lu,%lu,%lu]",
						comma(&first), directions[i], j ? "async" : "sync",
						k, actor->copies[i][j][k].calls,
						actor->copies[i][j][k].failures,
						actor->copies[i][j][k].bytes);
	fputs("},\"kernels\":{", file);
	first = true;
	for (i = 0; i < KERNELS; i++)
		for (j = 0; j < DEVICES; j++)
			if (actor->kernels[i][j].launches || actor->kernels[i][j].graph_launches)
				fprintf(file, "%s\"kernel%zu %zu\":[%lu,%lu,%lu]", comma(&first), i,
					j, actor->kernels[i][j].launches,
					actor->kernels[i][j].failures,
					actor->kernels[i][j].graph_launches);
	fputs("}", file);
}

void actor_write(struct actor *actor, const char *path, const char *key)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
	char *text = NULL;
	size_t length;
	FILE *file = open_memstream(&text, &length);

	if (fd < 0 || !file)
		abort();
	fprintf(file, "{\"pid\":%d,\"key\":\"%s\",", getpid(), key);
	write_memory(file, actor);
	write_counters(file, actor);
	fputs("}\n", file);
	if (fclose(file) || write(fd, text, length) != (ssize_t)length)
		abort();
	free(text);
	close(fd);
}
