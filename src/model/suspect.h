/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rising-floor test: whether what is live at a call site of a running process looks like a leak. */
#ifndef MODEL_SUSPECT_H
#define MODEL_SUSPECT_H

#include <stdint.h>

struct suspect;			/* NULL until there is something to watch */

/* From @time on @live bytes are live. A window of the test lasts @leak_age ns; 0: there is none. */
void suspect_change(struct suspect **suspect, uint64_t live, uint64_t leak_age, uint64_t time);
/* Returns the bytes by which the floor rose, of those live; *@since: when it began to (UINT64_MAX: not). */
uint64_t suspect_bytes(struct suspect *suspect, uint64_t leak_age, uint64_t now, uint64_t *since);
void suspect_free(struct suspect **suspect);

#endif
