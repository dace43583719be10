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

/* What the key W saves. */
struct settings {
	const struct theme *theme;
	bool ascii, mouse, tree, follow, full_names;
	enum pane pane;
	enum site_grouping sites_by;
	bool tensors;   /* are listed, instead of the memory they lie in */
	uint64_t delay; /* ns */
	struct sort_order sort;
	const struct column *columns[COLUMNS_MAX]; /* of the process table */
	size_t column_count;
	char site_skip[512]; /* globs between blanks, as --site-skip takes one each */
};

/* Stores the file's default path. Returns 0, or -ENOENT if there is no home folder. */
int settings_path(char *out, size_t size);

/*
 * Reads @path into @settings. A missing file is no error. Returns 0, or a negative errno with @why;
 * what could be read is kept then.
 */
int settings_read(struct settings *settings, const char *path, struct reason *why);

/*
 * Replaces the file atomically, following symbolic links. Returns 0 or a negative errno with @why.
 */
int settings_write(const struct settings *settings, const char *path, struct reason *why);

/*
 * Parses a delay as --delay does, so that both accept the same. Returns 0, or -EINVAL with @ns
 * unchanged.
 */
int delay_parse(const char *text, uint64_t *ns);

#endif
