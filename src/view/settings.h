/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The settings file: $XDG_CONFIG_HOME/cutop/cutoprc, an INI file. It is read at start. Where there
 * is one, it is written when something has changed; the key W makes it. Lines that
 * this version does not know stay as they are.
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
	bool ascii, mouse, tree, follow, full_names, log_bars;
	enum pane pane;
	enum site_grouping sites_by;
	bool tensors;      /* are listed, instead of the memory they lie in */
	bool keep_changes; /* of keys: they are saved without being asked for */
	uint64_t delay;    /* ns */
	struct sort_order sort;
	const struct column *columns[COLUMNS_MAX]; /* of the process table */
	size_t column_count;
	/* What an option takes one by one, with blanks between them: */
	char site_skip[512]; /* globs of --site-skip */
	char pool[512];      /* files of --pool, by whole paths */
	uint64_t budget;     /* per cent, where --budget is not given; BUDGET_USUAL */
};

/* What holds without a file and options. */
void settings_default(struct settings *settings);

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
 * Writes what differs between @before and @now, and leaves what else the file says: what an option
 * has set for once does not get there, and what another cutop has written stays. A file that cannot
 * be read whole is not touched. Returns 0 or a negative errno with @why.
 */
int settings_keep(const struct settings *before, const struct settings *now, const char *path,
		  struct reason *why);

bool settings_differ(const struct settings *before, const struct settings *now);

/*
 * Parses a delay as --delay does, so that both accept the same. Returns 0, or -EINVAL with @ns
 * unchanged.
 */
int delay_parse(const char *text, uint64_t *ns);

#endif
