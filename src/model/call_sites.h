/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where one program launches its kernels, and where it waits. */
#ifndef MODEL_CALL_SITES_H
#define MODEL_CALL_SITES_H

#include <stddef.h>
#include <stdint.h>
#include <linux/types.h>

#include "cutop_event.h"
#include "model/name_store.h"
#include "model/tree.h"

struct call_site_entry {
	RB_ENTRY(call_site_entry) link;
	struct call_site_key key;
	struct call_site_row row;
	struct place *place; /* NULL: it stands for all sites without room */
	struct stack *stack; /* NULL: none */
};

RB_HEAD(call_site_tree, call_site_entry);

struct call_sites {
	struct call_site_tree tree;
	size_t count;
};

/* Adds @row to what is known of @key. Returns 0 or -ENOMEM. */
int call_sites_add(struct call_sites *sites, struct name_store *names,
		   const struct call_site_key *key, const struct call_site_row *row);
void call_sites_free(struct call_sites *sites);

/* All, ordered by kernel (launch_key) first; NULL at the end. */
const struct call_site_entry *call_sites_first(const struct call_sites *sites);
const struct call_site_entry *call_sites_next(const struct call_site_entry *entry);

#endif
