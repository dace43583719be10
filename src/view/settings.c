/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Settings: one table of names, with how each is read and written, defines the file and the lines of
 * the settings screen.
 *
 * Saving goes line by line through the existing file: known keys get their new value, all other lines
 * are copied, missing keys are added to their section. The result replaces the old file by rename, in
 * the folder where the file really is, so that a symbolic link stays one.
 *
 * Changed settings are kept, whether they were changed in the menu or by a key. An existing settings
 * file is written without a question: when the menu is left, and with the next snapshot after a key
 * (app/screen.c). The key W makes a file where there is none.
 */
#include <errno.h>
#include <fcntl.h>
#include <ini.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config.h"
#include "view/view_internal.h"

/* ---- the table ---- */

#define SETTING_SIZE 1024 /* of a value, or a line in the file: all columns take 201 */

enum item {
	ITEM_THEME,
	ITEM_ASCII,
	ITEM_MOUSE,
	ITEM_DELAY,
	ITEM_TREE,
	ITEM_FOLLOW,
	ITEM_NAMES,
	ITEM_LOG,
	ITEM_PANE,
	ITEM_SITES,
	ITEM_TENSORS,
	ITEM_SORT,
	ITEM_REVERSE,
	ITEM_KEEP,
	ITEM_COLUMNS,
	/* Only in the file: they are needed before there is a screen */
	ITEM_SKIP,
	ITEM_POOL,
	ITEM_BUDGET,
	ITEM_COUNT
};

static const struct {
	const char *key, *label, *help;
} items[ITEM_COUNT] = {
	[ITEM_THEME] = { "theme", "Theme", "colours" },
	[ITEM_ASCII] = { "ascii", "ASCII only", "no lines and blocks" },
	[ITEM_MOUSE] = { "mouse", "Mouse", "clicks and the wheel" },
	[ITEM_DELAY] = { "delay", "Delay", "seconds between refreshes (key d)" },
	[ITEM_TREE] = { "tree", "Tree", "children below their parents (key t)" },
	[ITEM_FOLLOW] = { "follow", "Follow", "keep the selected process in sight (key F)" },
	[ITEM_NAMES] = { "full_names", "Full kernel names",
			 "with arguments and templates (key c)" },
	[ITEM_LOG] = { "log_bars", "Log bars", "bars of three decades (key y)" },
	[ITEM_PANE] = { "pane", "First pane", "shown at start" },
	[ITEM_SITES] = { "sites_by", "Sites by", "what makes a row (key b)" },
	[ITEM_TENSORS] = { "tensors", "Tensors", "listed in Memory and Sites (key a)" },
	[ITEM_SORT] = { "sort", "Sort by", "key F6" },
	[ITEM_REVERSE] = { "reverse", "Inverted", "key I" },
	[ITEM_KEEP] = { "keep_changes", "Keep changes", "what keys change, for the next time" },
	[ITEM_COLUMNS] = { "columns", NULL, NULL }, /* one line for each column */
	[ITEM_SKIP] = { "site_skip", NULL, NULL },
	[ITEM_POOL] = { "pool", NULL, NULL },
	[ITEM_BUDGET] = { "budget", NULL, NULL },
};

void settings_default(struct settings *settings)
{
	const char *bad;
	size_t len;

	memset(settings, 0, sizeof(*settings));
	settings->theme = &themes[0];
	settings->mouse = settings->tensors = settings->keep_changes = true;
	settings->delay = NSEC_PER_SEC;
	settings->budget = BUDGET_USUAL;
	sort_order_parse(&settings->sort, "live", &bad, &len);
	for (size_t i = 0; i < column_count; i++)
		if (columns[i].rank)
			settings->columns[settings->column_count++] = &columns[i];
}

static bool *flag_of(struct settings *settings, enum item item)
{
	switch (item) {
	case ITEM_ASCII: return &settings->ascii;
	case ITEM_MOUSE: return &settings->mouse;
	case ITEM_TREE: return &settings->tree;
	case ITEM_FOLLOW: return &settings->follow;
	case ITEM_NAMES: return &settings->full_names;
	case ITEM_LOG: return &settings->log_bars;
	case ITEM_TENSORS: return &settings->tensors;
	case ITEM_REVERSE: return &settings->sort.reverse;
	case ITEM_KEEP: return &settings->keep_changes;
	default: return NULL;
	}
}

int delay_parse(const char *text, uint64_t *ns)
{
	char *end;
	double seconds = strtod(text, &end);

	if (*end || end == text || !(seconds >= DELAY_SECONDS_MIN && seconds <= SECONDS_MAX))
		return -EINVAL;
	*ns = (uint64_t)(seconds * 1e9);
	return 0;
}

static bool budget_parse(const char *value, uint64_t *budget)
{
	char *end;
	unsigned long percent = strtoul(value, &end, 10);

	if (*end || end == value || value[0] == '-' || percent > BUDGET_PERCENT_MAX)
		return false;
	*budget = percent;
	return true;
}

/* The value as text. */
static void setting_print(const struct settings *settings, enum item item, char *out, size_t size)
{
	const bool *flag = flag_of((struct settings *)settings, item);
	size_t i, used = 0;

	out[0] = 0;
	if (flag) {
		snprintf(out, size, "%s", *flag ? "yes" : "no");
		return;
	}
	switch (item) {
	case ITEM_THEME: snprintf(out, size, "%s", settings->theme->name); break;
	case ITEM_DELAY: snprintf(out, size, "%g", (double)settings->delay / 1e9); break;
	case ITEM_PANE: snprintf(out, size, "%s", panes[settings->pane]->title); break;
	case ITEM_SITES: snprintf(out, size, "%s", site_grouping_names[settings->sites_by]); break;
	case ITEM_SORT:
		for (i = 0; i < settings->sort.count && used < size; i++)
			used += (size_t)snprintf(out + used, size - used, "%s%s", i ? "," : "",
						 settings->sort.keys[i]->name);
		break;
	case ITEM_COLUMNS:
		for (i = 0; i < settings->column_count && used < size; i++)
			used += (size_t)snprintf(out + used, size - used, "%s%s", i ? " " : "",
						 settings->columns[i]->name);
		break;
	case ITEM_SKIP: snprintf(out, size, "%s", settings->site_skip); break;
	case ITEM_POOL: snprintf(out, size, "%s", settings->pool); break;
	case ITEM_BUDGET: snprintf(out, size, "%llu", (unsigned long long)settings->budget); break;
	default: break;
	}
}

static bool columns_parse(struct settings *settings, const char *value)
{
	const struct column *list[COLUMNS_MAX];
	char words[SETTING_SIZE], *word, *rest = NULL;
	size_t count = 0, i;

	snprintf(words, sizeof(words), "%s", value);
	for (word = strtok_r(words, " ,", &rest); word; word = strtok_r(NULL, " ,", &rest)) {
		const struct column *column = column_find(word);

		for (i = 0; i < count; i++)
			if (list[i] == column)
				return false;
		/* A column from a later version must not make us lose the others. */
		if (column && count < COLUMNS_MAX)
			list[count++] = column;
	}
	if (!count)
		return false;
	memcpy(settings->columns, list, count * sizeof(list[0]));
	settings->column_count = count;
	return true;
}

static bool list_parse(char *list, size_t size, const char *value)
{
	size_t len = strlen(value);

	if (len >= size)
		return false;
	memcpy(list, value, len + 1);
	return true;
}

/* Returns false if @value is none; @settings is as before then. */
static bool setting_parse(struct settings *settings, enum item item, const char *value)
{
	bool *flag = flag_of(settings, item);
	const char *bad;
	size_t len;
	int i;

	if (flag) {
		bool yes = !ascii_casecmp(value, "yes") || !ascii_casecmp(value, "true") ||
			   !strcmp(value, "1");

		if (!yes && ascii_casecmp(value, "no") && ascii_casecmp(value, "false") &&
		    strcmp(value, "0"))
			return false;
		*flag = yes;
		return true;
	}
	switch (item) {
	case ITEM_THEME:
		if (!theme_find(value))
			return false;
		settings->theme = theme_find(value);
		return true;
	case ITEM_DELAY: return !delay_parse(value, &settings->delay);
	case ITEM_PANE:
		for (i = 0; i < PANE_COUNT; i++)
			if (!ascii_casecmp(value, panes[i]->title)) {
				settings->pane = (enum pane)i;
				return true;
			}
		return false;
	case ITEM_SITES:
		for (i = 0; i < SITE_GROUPING_COUNT; i++)
			if (!ascii_casecmp(value, site_grouping_names[i])) {
				settings->sites_by = (enum site_grouping)i;
				return true;
			}
		return false;
	case ITEM_SORT: return !sort_order_parse(&settings->sort, value, &bad, &len);
	case ITEM_COLUMNS: return columns_parse(settings, value);
	case ITEM_SKIP: return list_parse(settings->site_skip, sizeof(settings->site_skip), value);
	case ITEM_POOL: return list_parse(settings->pool, sizeof(settings->pool), value);
	case ITEM_BUDGET: return budget_parse(value, &settings->budget);
	default: return false;
	}
}

static enum item setting_find(const char *key)
{
	int i;

	for (i = 0; i < ITEM_COUNT; i++)
		if (!strcmp(items[i].key, key))
			break;
	return (enum item)i;
}

/* The name of @item in the file; the item with that name, or ITEM_COUNT. */
static const char *setting_key(enum item item)
{
	return items[item].key;
}

static bool differs(const struct settings *before, const struct settings *now, enum item item)
{
	char old[SETTING_SIZE], new[SETTING_SIZE];

	setting_print(before, item, old, sizeof(old));
	setting_print(now, item, new, sizeof(new));
	return strcmp(old, new) != 0;
}

bool settings_differ(const struct settings *before, const struct settings *now)
{
	/* Most often nothing has changed, and this is asked for each snapshot. */
	if (!memcmp(before, now, sizeof(*before)))
		return false;
	for (int i = 0; i < ITEM_COUNT; i++)
		if (differs(before, now, (enum item)i))
			return true;
	return false;
}

/* Gives @to what differs between @before and @now. */
static void setting_changes(struct settings *to, const struct settings *before,
			    const struct settings *now)
{
	char value[SETTING_SIZE];

	for (int i = 0; i < ITEM_COUNT; i++) {
		if (!differs(before, now, (enum item)i))
			continue;
		setting_print(now, (enum item)i, value, sizeof(value));
		setting_parse(to, (enum item)i, value);
	}
}

/* ---- the file ---- */

#define SECTION "screen"

int settings_path(char *out, size_t size)
{
	const char *base = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
	int len;

	if (base && base[0] == '/')
		len = snprintf(out, size, "%s/cutop/cutoprc", base);
	else if (home && home[0] == '/')
		len = snprintf(out, size, "%s/.config/cutop/cutoprc", home);
	else
		return -ENOENT;
	return len < (int)size ? 0 : -ENAMETOOLONG;
}

struct reading {
	struct settings *settings;
	char bad[64];
};

static int line_read(void *context, const char *section, const char *name, const char *value)
{
	struct reading *reading = context;
	enum item item = setting_find(name);

	if (!strcmp(section, SECTION) && item != ITEM_COUNT &&
	    !setting_parse(reading->settings, item, value))
		snprintf(reading->bad, sizeof(reading->bad), "%s cannot be '%.30s'", name, value);
	return 1;
}

/*
 * Lines as we write them may be longer than the library's default when many columns are shown. An
 * indented line is a setting, not a continuation.
 */
static int file_parse(FILE *file, struct reading *reading)
{
#if HAVE_DECL_INI_MAX_LINE
	ini_max_line = SETTING_SIZE;
	ini_allow_multiline = false;
#endif
	return ini_parse_file(file, line_read, reading);
}

int settings_read(struct settings *settings, const char *path, struct reason *why)
{
	struct reading reading = { settings, "" };
	/* Opening a FIFO must not wait for a writer; one without a writer reads as empty. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK), line, err = 0;
	FILE *file = fd < 0 ? NULL : fdopen(fd, "r");

	if (!file && fd >= 0)
		close(fd);
	if (!file)
		return errno == ENOENT || errno == ENOTDIR ?
			       0 :
			       reason_set(why, -errno, "cannot read %s: %s", path, strerror(errno));
	errno = 0;
	line = file_parse(file, &reading);
	if (ferror(file)) /* for example, because it is a folder */
		err = errno ? -errno : -EIO;
	fclose(file);
	if (err)
		return reason_set(why, err, "cannot read %s: %s", path, strerror(-err));
	if (line > 0)
		return reason_set(why, -EINVAL, "%s, line %d is no setting", path, line);
	if (reading.bad[0])
		return reason_set(why, -EINVAL, "%s: %s", path, reading.bad);
	return 0;
}

static void item_print(FILE *out, const struct settings *settings, enum item item)
{
	char value[SETTING_SIZE];

	setting_print(settings, item, value, sizeof(value));
	fprintf(out, "%s = %s\n", setting_key(item), value);
}

static void missing_print(FILE *out, const struct settings *settings, bool written[ITEM_COUNT])
{
	for (int i = 0; i < ITEM_COUNT; i++) {
		/* They are set by hand, if at all. */
		if (!written[i] && i != ITEM_BUDGET && (i != ITEM_SKIP || settings->site_skip[0]))
			item_print(out, settings, (enum item)i);
		written[i] = true;
	}
}

/* The key of a line "key = value", or "". */
static void line_key(const char *line, char key[64])
{
	size_t len;

	line += strspn(line, " \t");
	len = strcspn(line, "=: \t\n");
	key[0] = 0;
	if (len < 64 && strchr("=:", line[len + strspn(line + len, " \t")]) && line[len]) {
		memcpy(key, line, len);
		key[len] = 0;
	}
}

static void lines_copy(FILE *in, FILE *out, const struct settings *settings)
{
	bool written[ITEM_COUNT] = { false }, ours = false, seen = false;
	char *line = NULL, key[64];
	size_t size = 0;

	while (in && getline(&line, &size, in) >= 0) {
		const char *text = line + strspn(line, " \t");
		enum item item;

		if (*text == '[') {
			if (ours)
				missing_print(out, settings, written);
			ours = !strncmp(text, "[" SECTION "]", sizeof("[" SECTION "]") - 1);
			seen |= ours;
		}
		line_key(line, key);
		item = setting_find(key);
		if (ours && item != ITEM_COUNT) {
			if (!written[item])
				item_print(out, settings, item);
			written[item] = true;
			continue;
		}
		fputs(line, out);
		if (line[0] && line[strlen(line) - 1] != '\n')
			fputc('\n', out);
	}
	free(line);
	if (!seen)
		fprintf(out, "[%s]\n", SECTION);
	missing_print(out, settings, written);
}

static int folders_make(const char *path)
{
	char folder[PATH_MAX];
	char *slash;

	snprintf(folder, sizeof(folder), "%s", path);
	for (slash = strchr(folder + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = 0;
		if (mkdir(folder, 0700) && errno != EEXIST)
			return -errno;
		*slash = '/';
	}
	return 0;
}

/*
 * The name that a file at @path will have when links are followed; the last link may lead to a file
 * that does not exist yet.
 */
static int path_resolve(const char *path, char out[PATH_MAX])
{
	char target[PATH_MAX], *slash;
	ssize_t len;

	if (realpath(path, out))
		return 0;
	if (errno != ENOENT)
		return -errno;
	len = readlink(path, target, sizeof(target) - 1);
	if (len < 0) {
		snprintf(out, PATH_MAX, "%s", path);
		return 0;
	}
	target[len] = 0;
	if (target[0] == '/') {
		snprintf(out, PATH_MAX, "%s", target);
		return 0;
	}
	snprintf(out, PATH_MAX, "%s", path);
	slash = strrchr(out, '/');
	slash = slash ? slash + 1 : out;
	if ((size_t)(slash - out) + strlen(target) >= PATH_MAX)
		return -ENAMETOOLONG;
	strcpy(slash, target);
	return 0;
}

int settings_write(const struct settings *settings, const char *path, struct reason *why)
{
	char real[PATH_MAX], temporary[PATH_MAX + 16];
	struct stat old;
	FILE *in, *out;
	int err = folders_make(path), fd;

	if (!err)
		err = path_resolve(path, real);
	if (err)
		return reason_unwritten(why, path, err);
	snprintf(temporary, sizeof(temporary), "%s.XXXXXX", real);
	fd = mkostemp(temporary, O_CLOEXEC);
	if (fd < 0)
		return reason_unwritten(why, real, -errno);
	in = fopen(real, "re");
	if (in && !fstat(fileno(in), &old)) {
		/* With sudo the file is the calling user's, and stays so. */
		if (fchown(fd, old.st_uid, old.st_gid) || fchmod(fd, old.st_mode & 07777))
			err = -errno;
	} else if (fchmod(fd, 0644)) {
		err = -errno;
	}
	out = fdopen(fd, "w");
	if (!out)
		close(fd);
	if (out && !err)
		lines_copy(in, out, settings);
	if (in)
		fclose(in);
	if (!out || fflush(out) || ferror(out) || fsync(fd))
		err = err ? err : -errno;
	if (out && fclose(out) && !err)
		err = -errno;
	if (!err && rename(temporary, real))
		err = -errno;
	if (err) {
		unlink(temporary);
		return reason_unwritten(why, real, err);
	}
	return 0;
}

int settings_keep(const struct settings *before, const struct settings *now, const char *path,
		  struct reason *why)
{
	struct settings merged;
	int err;

	settings_default(&merged);
	err = settings_read(&merged, path, why);
	if (err)
		return err;
	setting_changes(&merged, before, now);
	return settings_write(&merged, path, why);
}

/* ---- keeping ---- */

void view_settings_begin(struct view *view)
{
	view->settings_before = view->settings;
}

bool view_settings_changed(const struct view *view)
{
	return settings_differ(&view->settings_before, &view->settings);
}

int view_settings_keep(struct view *view, const char *path, struct reason *why)
{
	int err = settings_keep(&view->settings_before, &view->settings, path, why);

	if (!err)
		view_settings_begin(view);
	return err;
}

void keep_left(struct view *view)
{
	if (!view->host.settings_path || !view_settings_changed(view))
		return;
	if (view->host.settings_kept)
		view->request = REQUEST_KEEP;
	else
		view_message(view, "W saves these settings for the next time");
}

/* ---- the screen ---- */

size_t settings_lines(const struct view *view)
{
	(void)view;
	return ITEM_COLUMNS + column_count;
}

static size_t column_place(const struct settings *settings, const struct column *column)
{
	size_t i;

	for (i = 0; i < settings->column_count; i++)
		if (settings->columns[i] == column)
			break;
	return i;
}

/* The shown columns come first, in their order; then the others. */
static const struct column *line_column(const struct settings *settings, size_t line)
{
	size_t i, at = line - ITEM_COLUMNS;

	if (at < settings->column_count)
		return settings->columns[at];
	at -= settings->column_count;
	for (i = 0; i < column_count; i++)
		if (column_place(settings, &columns[i]) == settings->column_count && !at--)
			return &columns[i];
	return NULL;
}

void settings_line(const struct view *view, size_t line, char *name, char *value, size_t size,
		   const char **help)
{
	const struct settings *settings = &view->settings;
	const struct column *column;

	*help = "";
	if (line < ITEM_COLUMNS) {
		snprintf(name, size, "%s", items[line].label);
		setting_print(settings, (enum item)line, value, size);
		*help = items[line].help;
		return;
	}
	column = line_column(settings, line);
	snprintf(name, size, "Column %s", column ? column->title : "?");
	snprintf(value, size, "%s", line - ITEM_COLUMNS < settings->column_count ? "shown" : "-");
	if (column)
		*help = column->help;
}

static void column_toggle(struct settings *settings, size_t line)
{
	const struct column *column = line_column(settings, line);
	size_t at = line - ITEM_COLUMNS;

	if (!column)
		return;
	if (at < settings->column_count) {
		if (settings->column_count == 1)
			return;
		settings->column_count--;
		memmove(settings->columns + at, settings->columns + at + 1,
			(settings->column_count - at) * sizeof(column));
	} else if (settings->column_count < COLUMNS_MAX) {
		settings->columns[settings->column_count++] = column;
		/* COMMAND takes the rest of the line, so it stays last. */
		at = settings->column_count - 1;
		if (at && !settings->columns[at - 1]->width) {
			settings->columns[at] = settings->columns[at - 1];
			settings->columns[at - 1] = column;
		}
	}
}

static void column_move(struct view *view, int step)
{
	struct settings *settings = &view->settings;
	size_t at = view->menu.row - ITEM_COLUMNS, to = at + (size_t)step;
	const struct column *column;

	if (view->menu.row < ITEM_COLUMNS || at >= settings->column_count ||
	    to >= settings->column_count)
		return;
	column = settings->columns[at];
	settings->columns[at] = settings->columns[to];
	settings->columns[to] = column;
	view->menu.row += (size_t)step;
}

static void item_next(struct view *view, enum item item, int step)
{
	struct settings *settings = &view->settings;
	bool *flag = flag_of(settings, item);
	size_t i;

	if (flag) {
		*flag = !*flag;
		rows_arrange(view);
		return;
	}
	switch (item) {
	case ITEM_THEME:
		i = (size_t)(settings->theme - themes);
		settings->theme = &themes[(i + theme_count + (size_t)step) % theme_count];
		break;
	case ITEM_DELAY:
		settings->delay = step > 0 ? settings->delay * 2 : settings->delay / 2;
		if (settings->delay < NSEC_PER_SEC / 8 || settings->delay > 64 * NSEC_PER_SEC)
			settings->delay = NSEC_PER_SEC;
		view->request = REQUEST_DELAY;
		break;
	case ITEM_PANE:
		settings->pane = (enum pane)((settings->pane + PANE_COUNT + (unsigned int)step) %
					     PANE_COUNT);
		break;
	case ITEM_SITES:
		settings->sites_by = (enum site_grouping)(
			(settings->sites_by + SITE_GROUPING_COUNT + (unsigned int)step) %
			SITE_GROUPING_COUNT);
		break;
	case ITEM_SORT:
		i = (size_t)(settings->sort.keys[0] - columns);
		settings->sort.keys[0] = &columns[(i + column_count + (size_t)step) % column_count];
		settings->sort.count = 1;
		rows_arrange(view);
		break;
	default: break;
	}
}

void settings_key(struct view *view, int32_t key)
{
	if (key == 'W') {
		view->request = REQUEST_SAVE;
		return;
	}
	if (key == '<' || key == '>')
		return column_move(view, key == '<' ? -1 : 1);
	if (key != ' ' && key != K_ENTER && key != K_LEFT && key != K_RIGHT && key != '+' &&
	    key != '-')
		return;
	if (view->menu.row < ITEM_COLUMNS)
		item_next(view, (enum item)view->menu.row, key == K_LEFT || key == '-' ? -1 : 1);
	else
		column_toggle(&view->settings, view->menu.row);
}
