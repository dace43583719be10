/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/objects.h"

#include <errno.h>
#include <linux/types.h>

#include "cuda/calls.h"
#include "model/limits.h"
#include "model/sites.h"
#include "util/util.h"

const struct object_desc object_descs[OBJECT_KIND_COUNT] = {
	[OBJECT_GRAPH] = { "graph", "graphs", 128 },
	[OBJECT_STREAM] = { "stream", "streams", 128 },
	[OBJECT_EVENT] = { "event", "events", 1024 },
	[OBJECT_MODULE] = { "module", "modules", 256 },
	[OBJECT_CONTEXT] = { "context", "contexts", 4 },
};

struct object {
	struct entry entry;
	uint64_t kind, handle;
	struct object_site *site;
	uint64_t context; /* 0: the primary one of device */
	int device;
	bool stays; /* no end of a context ends it */
};

static void object_drop(struct objects *objects, struct object *object, uint64_t leak_age,
			uint64_t time)
{
	struct object_site *site = object->site;

	site->live--;
	suspect_change(&site->suspect, site->live, leak_age, time);
	table_drop(&objects->live, object);
}

void objects_gone(struct objects *objects, enum object_kind kind, uint64_t handle,
		  uint64_t leak_age, uint64_t time)
{
	struct object *object = table_find(&objects->live, KEY(kind, handle));

	if (object)
		object_drop(objects, object, leak_age, time);
}

/* The site of @record; NULL with *@error set. */
static struct object_site *object_site(struct objects *objects, const struct rec_object *record,
				       int *error)
{
	const uint64_t key[] = { record->kind, record->site, record->stack };
	struct object_site *site = table_find(&objects->sites, ARRAY_LEN(key), key);

	*error = 0;
	if (site)
		return site;
	*error = objects->sites.count < OBJECT_SITES_MAX ? -ENOMEM : -ENOSPC;
	if (*error == -ENOMEM)
		site = table_get(&objects->sites, ARRAY_LEN(key), key, sizeof(*site));
	if (site)
		*error = 0;
	return site;
}

struct object_site *objects_record(struct objects *objects, const struct rec_object *record,
				   uint64_t leak_age, int *error)
{
	struct object_site *site;
	struct object *object;

	/* A handle that is given out again: the end of the earlier object was not seen. */
	objects_gone(objects, record->kind, record->handle, leak_age, record->hdr.time);
	*error = 0;
	if (!record->site)
		return NULL;
	site = object_site(objects, record, error);
	if (!site)
		goto out;
	site->made++;
	site->call = record->call;
	*error = objects->live.count < OBJECTS_MAX ? -ENOMEM : -ENOSPC;
	if (*error == -ENOSPC)
		goto out;
	object = table_get(&objects->live, KEY(record->kind, record->handle), sizeof(*object));
	if (!object)
		goto out;
	*error = 0;
	object->site = site;
	object->context = record->context;
	object->device = record->device;
	object->stays = record->kind == OBJECT_GRAPH || record->kind == OBJECT_CONTEXT ||
			call_descs[record->call].flags & CALL_NO_CONTEXT;
	suspect_change(&site->suspect, ++site->live, leak_age, record->hdr.time);
out:
	objects->is_full |= *error != 0;
	return site;
}

void objects_reset(struct objects *objects, uint64_t context, int device, bool is_only,
		   uint64_t leak_age, uint64_t time)
{
	struct object *object, *next;

	for (object = table_first(&objects->live); object; object = next) {
		next = table_next(object);
		if (object->stays || object->context != context)
			continue;
		if (!context && object->device != device && device != CUTOP_DEVICE_UNKNOWN &&
		    (object->device != CUTOP_DEVICE_UNKNOWN || !is_only))
			continue;
		object->site->left++;
		object_drop(objects, object, leak_age, time);
	}
}

/* True if objects of @site are made by calls that are only counted. */
static bool is_plain(const struct object_site *site)
{
	return call_descs[site->call].class == CLASS_PLAIN;
}

void objects_pause(struct objects *objects)
{
	struct object *object, *next;
	struct object_site *site;

	for (object = table_first(&objects->live); object; object = next) {
		next = table_next(object);
		if (is_plain(object->site))
			table_drop(&objects->live, object);
	}
	for (site = table_first(&objects->sites); site; site = table_next(site)) {
		if (!is_plain(site))
			continue;
		site->live = 0;
		suspect_free(&site->suspect);
	}
}

uint64_t objects_rising(const struct object_site *site, uint64_t leak_age, uint64_t now)
{
	uint64_t since;

	return suspect_bytes(site->suspect, leak_age, now, &since);
}

void objects_end(struct objects *objects, uint64_t leak_age, uint64_t time)
{
	struct object_site *site;

	for (site = table_first(&objects->sites); site; site = table_next(site)) {
		site->risen = objects_rising(site, leak_age, time);
		suspect_free(&site->suspect);
	}
	table_free(&objects->live);
}

void objects_free(struct objects *objects)
{
	struct object_site *site;

	for (site = table_first(&objects->sites); site; site = table_next(site))
		suspect_free(&site->suspect);
	table_free(&objects->sites);
	table_free(&objects->live);
}
