/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Key w: the shown snapshot, as JSON, in a new file of the current folder. */
#ifndef APP_SNAPSHOT_FILE_H
#define APP_SNAPSHOT_FILE_H

struct view;

/* Writes it, and shows a message. */
void snapshot_file_write(struct view *view);

#endif
