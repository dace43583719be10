/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rising-floor test: whether the live memory of a call site in a running process looks like a
 * leak.
 */
#ifndef MODEL_SUSPECT_H
#define MODEL_SUSPECT_H

#include <stdbool.h>
#include <stdint.h>

struct suspect; /* NULL until there is something to test */

/* From @time on, @live bytes are live. A window of the test lasts @leak_age ns; 0: no test. */
void suspect_change(struct suspect **suspect, uint64_t live, uint64_t leak_age, uint64_t time);
/*
 * Returns by how many bytes the floor has risen; *@since: when that began (UINT64_MAX: it has not).
 */
uint64_t suspect_bytes(struct suspect *suspect, uint64_t leak_age, uint64_t now, uint64_t *since);
/*
 * True if a site that allocates from @first on, and never frees, would be found by @now: by then
 * its floor has risen as often as the test asks for.
 */
bool suspect_can_tell(uint64_t first, uint64_t leak_age, uint64_t now);
void suspect_free(struct suspect **suspect);

#endif
