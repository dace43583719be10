/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The terminal: shows a canvas, reads keys and the mouse, and restores the terminal however the
 * program ends. The only room that uses curses.
 */
#ifndef VIEW_TERMINAL_H
#define VIEW_TERMINAL_H

#include <stdbool.h>
#include <stdint.h>

#include "util/util.h"
#include "view/canvas.h"
#include "view/theme.h"

/*
 * What is written to the terminal. A terminal may take nothing for a long time (Ctrl-S, a
 * connection that stalls), and all signals that end cutop are blocked and read from a descriptor: a
 * write(2) that waits would make it impossible to end. So writes do not wait; the program decides
 * how long to.
 */
struct output {
	int fd;
	/* Waits until it takes more; false: something else comes first. NULL: it waits for ever. */
	bool (*wait)(void *context);
	void *context;
};

/* True if it takes something, after the program's own wait. */
bool output_wait(const struct output *output);

struct terminal;

/*
 * Checks whether the terminal can be used, before anything is started that would have to be undone.
 * Returns 0 or a negative errno with @why.
 */
int terminal_check(struct reason *why);

/*
 * Takes the terminal over, to which @output (borrowed) writes. Returns 0 or a negative errno with
 * @why.
 */
int terminal_open(struct terminal **terminal, const struct output *output, bool colors,
		  struct reason *why);
/* False: it takes no output, so that only its settings were restored. */
bool terminal_close(struct terminal *terminal);

/*
 * Turns mouse reporting on or off. While it is on, the terminal itself cannot be used to mark and
 * copy.
 */
void terminal_mouse(struct terminal *terminal, bool on);

void terminal_size(const struct terminal *terminal, int *rows, int *cols);

/*
 * For SIGWINCH, and when another program has written over the screen: asks for the size, and draws
 * everything anew.
 */
void terminal_resize(struct terminal *terminal);

/*
 * For SIGCONT: if the program was stopped by SIGSTOP, the shell has set its own terminal settings
 * meanwhile.
 */
void terminal_continue(struct terminal *terminal);

/*
 * Gives the terminal back, stops this process, and takes the terminal again when it is continued.
 */
void terminal_suspend(struct terminal *terminal);

struct terminal_event {
	enum { EVENT_KEY, EVENT_MOUSE } kind;
	int32_t key;
	int row, col, mouse; /* enum mouse */
};

/* Reads the next event without waiting; false if there is none. */
bool terminal_event(struct terminal *terminal, struct terminal_event *event);

/*
 * Whether the terminal takes output, after the output's own wait. Only then may its mouse be turned
 * on or off and a canvas be shown.
 */
bool terminal_ready(struct terminal *terminal);

/* False: it has stopped to take output, and all has to be shown again. */
bool terminal_show(struct terminal *terminal, const struct canvas *canvas,
		   const struct theme *theme);

#endif
