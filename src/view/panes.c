/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of panes, by enum pane. */
#include "view/panes.h"

#define PANE_ENTRY(constant, name) [PANE_##constant] = &pane_##name,
const struct pane_desc *const panes[PANE_COUNT] = { PANES(PANE_ENTRY) };
