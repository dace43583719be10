/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The view: what the screen shows and how it answers keys, without a terminal. Snapshots and keys
 * go in; a canvas comes out, and requests for what only the program around it can do: quit, signal,
 * write a file. The selection is a process (its program number), never a row: it survives sorting
 * and filtering, and an action never hits another process.
 */
#ifndef VIEW_VIEW_H
#define VIEW_VIEW_H

#include <stdbool.h>
#include <stdint.h>

#include "model/snapshot.h"
#include "view/canvas.h"
#include "view/keys.h"

struct reason;
struct settings;
struct view;

/* The state of a replay. */
struct play {
	bool is_on; /* a recording is shown */
	bool paused, ended;
	uint64_t position, total; /* ns */
	double speed;
};

/* What the program around the view tells it. */
struct host {
	/* The terminal can show nothing else, whatever the settings say */
	bool ascii;
	bool readonly, from_command, command_ended;
	bool is_partial; /* only some processes are watched: others that the driver lists are no rows */
	/* Shown in the status line: demonstration, fallback; borrowed */
	const char *note;
	/* Where REQUEST_SAVE writes to; NULL: nowhere. Borrowed */
	const char *settings_path;
	bool settings_kept; /* there is such a file: changes go there unasked */
	struct play play;
};

enum request {
	REQUEST_NONE,
	REQUEST_QUIT,
	REQUEST_WRITE,
	REQUEST_SAVE,
	REQUEST_KEEP, /* what has changed */
	REQUEST_CLEAR,
	REQUEST_DELAY,
	REQUEST_SIGNAL,
	REQUEST_PAUSE,
	REQUEST_FASTER,
	REQUEST_SLOWER,
	REQUEST_BACKWARD,
	REQUEST_FORWARD,
	REQUEST_REDRAW
};

/* Returns NULL without memory. */
struct view *view_new(void);
void view_free(struct view *view);

/* Both live as long as the view, and may be changed at any time. */
struct host *view_host(struct view *view);
struct settings *view_settings(struct view *view);

/*
 * view_settings_begin(): the present settings are those of the file and the options.
 * view_settings_changed(): some have changed since.
 */
void view_settings_begin(struct view *view);
bool view_settings_changed(const struct view *view);
/* Writes what has changed to @path: settings_keep(). */
int view_settings_keep(struct view *view, const char *path, struct reason *why);

/* Shows @snapshot, and takes it over. */
void view_feed(struct view *view, struct snapshot *snapshot);

void view_key(struct view *view, int32_t key);

enum mouse { MOUSE_CLICK, MOUSE_DOUBLE, MOUSE_WHEEL_UP, MOUSE_WHEEL_DOWN };
void view_mouse(struct view *view, int row, int col, enum mouse what);

void view_draw(struct view *view, struct canvas *canvas);

/* Shows a message in the bar for some seconds. */
void view_message(struct view *view, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Returns what a key or a click has requested since the last call. */
enum request view_request(struct view *view);

/*
 * After REQUEST_SIGNAL: the signal; how many processes it is for; and each of them as it is now, or
 * NULL if it is gone.
 */
int view_signal(struct view *view);
size_t view_signal_count(const struct view *view);
const struct snap_process *view_signal_target(const struct view *view, size_t i);

/* The shown snapshot, or NULL; while the view is frozen it is older than the latest. */
const struct snapshot *view_shown(const struct view *view);
bool view_is_frozen(const struct view *view);

/* The program of the selected process; 0: there is none. */
uint32_t view_focus(const struct view *view);

#endif
