/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What costs memory besides allocations: executable graphs, streams, events, modules and contexts of
 * one program, by the line that makes them. Of objects that were made before cutop watched nothing is
 * known, and their end changes nothing.
 */
#ifndef MODEL_OBJECTS_H
#define MODEL_OBJECTS_H

#include <stdbool.h>
#include <stdint.h>
#include <linux/types.h>

#include "cutop_event.h"
#include "model/ordered_table.h"

struct suspect;

/* A kind of objects: its name, and how many of it are many. */
struct object_desc {
	const char *name, *plural;
	unsigned int many;
};

extern const struct object_desc object_descs[OBJECT_KIND_COUNT];

/* Where a program makes objects of a kind: a line, by each way to it. */
struct object_site {
	struct entry entry;
	uint64_t kind, site, stack; /* as records have them */
	uint16_t call;              /* that made the last of them */
	/* How many, and of them those not destroyed; at the program's end */
	uint64_t made, live;
	uint64_t left;     /* not destroyed either, when their context ended */
	uint64_t launches; /* of graphs */
	uint64_t risen;    /* by how much the floor of `live` had risen at the program's end */
	struct suspect *suspect;
};

struct objects {
	struct table sites, live; /* struct object_site, object */
	bool is_full;             /* there was no room for one */
};

/*
 * Takes in a record. Returns the site if an object was made, NULL if not. *@error: 0, -ENOMEM or
 * -ENOSPC. @leak_age: as suspect_change() has it.
 */
struct object_site *objects_record(struct objects *objects, const struct rec_object *record,
				   uint64_t leak_age, int *error);
/* The object with that handle, if there is one, was destroyed. */
void objects_gone(struct objects *objects, enum object_kind kind, uint64_t handle,
		  uint64_t leak_age, uint64_t time);
/*
 * @context has ended (0: the primary one of @device), with what was in it. @is_only: the program uses
 * no other device.
 */
void objects_reset(struct objects *objects, uint64_t context, int device, bool is_only,
		   uint64_t leak_age, uint64_t time);
/* The calls that are only counted are not watched any more: which objects are live is unknown. */
void objects_pause(struct objects *objects);
/* By how much the floor of what is live from @site has risen. */
uint64_t objects_rising(const struct object_site *site, uint64_t leak_age, uint64_t now);
/* The program has ended. */
void objects_end(struct objects *objects, uint64_t leak_age, uint64_t time);
void objects_free(struct objects *objects);

#endif
