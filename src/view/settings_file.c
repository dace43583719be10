/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The settings file. Saving goes line by line through the existing file: known keys get their
 * new value, all other lines are copied, missing keys are added to their section. The result
 * replaces the old file by rename, in the folder where the file really is, so that a symbolic link
 * stays one.
 */
#include "view/setting_items.h"

#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <ini.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

/* @only: the item that is written if it is missing; ITEM_COUNT: each is. */
static void lines_copy(FILE *in, FILE *out, const struct settings *settings, enum item only)
{
	bool written[ITEM_COUNT], ours = false, seen = false;
	char *line = NULL, key[64];
	size_t size = 0;

	for (int i = 0; i < ITEM_COUNT; i++)
		written[i] = only != ITEM_COUNT && only != (enum item)i;
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
		if (ours && item != ITEM_COUNT && (only == ITEM_COUNT || item == only)) {
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

static int file_write(const struct settings *settings, enum item only, const char *path,
		      struct reason *why)
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
		lines_copy(in, out, settings, only);
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

int settings_write(const struct settings *settings, const char *path, struct reason *why)
{
	return file_write(settings, ITEM_COUNT, path, why);
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

int settings_refuse(const char *path, struct reason *why)
{
	struct settings settings;

	settings_default(&settings);
	settings.keep_changes = false;
	return file_write(&settings, ITEM_KEEP, path, why);
}
