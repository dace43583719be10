/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The settings file: $XDG_CONFIG_HOME/cutop/cutoprc, an INI file. It is read at
 * start and written only when the user asks. Lines that this version does not
 * know stay as they are.
 */
#ifndef VIEW_SETTINGS_H
#define VIEW_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/columns.h"
#include "util/util.h"
#include "view/panes.h"
#include "view/site_groups.h"
#include "view/theme.h"

/* What is saved by W. */
struct settings {
	const struct theme *theme;
	bool ascii, mouse, tree, follow, full_names;
	enum pane pane;
	enum site_grouping sites_by;
	uint64_t delay;				/* ns */
	struct sort_order sort;
	const struct column *columns[COLUMNS_MAX];	/* of the process table */
	size_t column_count;
};

/* Where it is, without --config. Returns 0, or -ENOENT where there is no home. */
int settings_path(char *out, size_t size);

/*
 * Reads @path into @settings. A file that is not there is no error. Returns 0,
 * or a negative errno with @why; what could be read is kept then.
 */
int settings_read(struct settings *settings, const char *path, struct reason *why);

/* Writes it anew, atomically, through symbolic links. Returns 0 or a negative errno with @why. */
int settings_write(const struct settings *settings, const char *path, struct reason *why);

/*
 * Reads a delay as --delay takes it, so that what was chosen there can be kept and typed. Returns 0, or -EINVAL
 * with @ns as it was.
 */
int delay_parse(const char *text, uint64_t *ns);

#endif
