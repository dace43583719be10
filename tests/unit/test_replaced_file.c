/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A file that is replaced as a whole: its name, its mode, links to it, and what cannot be replaced.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "out_sample.h"
#include "util/replaced_file.h"

static char folder[] = "/tmp/cutop-replaced.XXXXXX";

static void folder_make(void)
{
	strcpy(folder + sizeof(folder) - 7, "XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	ck_assert_int_eq(chdir(folder), 0);
}

static void folder_drop(void)
{
	ck_assert_int_eq(chdir("/"), 0);
	/* Only if nothing was left behind. */
	ck_assert_int_eq(rmdir(folder), 0);
}

FIXTURE(folder_make, folder_drop);

static void contents_are(const char *path, const char *expected)
{
	char text[64] = "";
	FILE *in = fopen(path, "r");

	ck_assert_ptr_nonnull(in);
	text[fread(text, 1, sizeof(text) - 1, in)] = '\0';
	fclose(in);
	ck_assert_str_eq(text, expected);
}

static int contents_replace(struct replaced *file, const char *text, int error)
{
	FILE *out = replaced_begin(file);

	ck_assert_ptr_nonnull(out);
	fputs(text, out);
	return replaced_end(file, error);
}

TEST(new_and_replaced)
{
	struct replaced file;
	struct stat status;

	umask(027);
	ck_assert_int_eq(replaced_open(&file, "new"), 0);
	/* That it can be made has left nothing. */
	ck_assert_int_eq(access("new", F_OK), -1);
	ck_assert_int_eq(contents_replace(&file, "one", 0), 0);
	contents_are("new", "one");
	ck_assert_int_eq(stat("new", &status), 0);
	ck_assert_uint_eq(status.st_mode & 0777, 0640);
	/* What is not complete changes nothing. */
	ck_assert_int_eq(contents_replace(&file, "half", -EIO), -EIO);
	contents_are("new", "one");
	ck_assert_int_eq(chmod("new", 0604), 0);
	ck_assert_int_eq(replaced_open(&file, "new"), 0);
	contents_are("new", "one");
	ck_assert_int_eq(contents_replace(&file, "two", 0), 0);
	contents_are("new", "two");
	ck_assert_int_eq(stat("new", &status), 0);
	ck_assert_uint_eq(status.st_mode & 0777, 0604);
	ck_assert_int_eq(unlink("new"), 0);
}

TEST(links_stay_links)
{
	struct replaced file;
	struct stat status;

	/* To a file that is there, and to one that is not yet. */
	ck_assert_int_eq(mkdir("below", 0755), 0);
	ck_assert_int_eq(symlink("below/target", "link"), 0);
	ck_assert_int_eq(replaced_open(&file, "link"), 0);
	ck_assert_int_eq(contents_replace(&file, "one", 0), 0);
	ck_assert_int_eq(replaced_open(&file, "link"), 0);
	ck_assert_int_eq(contents_replace(&file, "two", 0), 0);
	contents_are("below/target", "two");
	ck_assert_int_eq(lstat("link", &status), 0);
	ck_assert(S_ISLNK(status.st_mode));
	ck_assert_int_eq(unlink("link") | unlink("below/target") | rmdir("below"), 0);
}

TEST(not_to_be_replaced)
{
	char longer[PATH_MAX + 2];
	struct replaced file;

	ck_assert_int_eq(replaced_open(&file, "/dev/null"), 1);
	ck_assert_int_eq(replaced_open(&file, "."), 1);
	ck_assert_int_eq(replaced_open(&file, "nowhere/file"), -ENOENT);
	ck_assert_int_eq(symlink("nowhere/file", "dangling"), 0);
	ck_assert_int_eq(replaced_open(&file, "dangling"), -ENOENT);
	ck_assert_int_eq(unlink("dangling"), 0);
	memset(longer, 'x', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = '\0';
	ck_assert_int_eq(replaced_open(&file, longer), -ENAMETOOLONG);
}

/* A folder that goes away between two replacements. */
TEST(no_folder_left)
{
	struct replaced file;

	ck_assert_int_eq(mkdir("gone", 0755), 0);
	ck_assert_int_eq(replaced_open(&file, "gone/file"), 0);
	ck_assert_ptr_nonnull(replaced_begin(&file));
	ck_assert_int_eq(unlink(file.temporary), 0);
	ck_assert_int_eq(rmdir("gone"), 0);
	ck_assert_int_eq(replaced_end(&file, 0), -ENOENT);
	ck_assert_ptr_null(replaced_begin(&file));
	ck_assert_int_eq(errno, ENOENT);
}
