/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What restores the terminal when the program crashes. */
#ifndef VIEW_TERMINAL_CRASH_H
#define VIEW_TERMINAL_CRASH_H

#include <stdbool.h>
#include <termios.h>

/*
 * From now on, a signal that ends the program by a fault restores the terminal first: the line
 * settings @before, and what ends curses' mode. Curses has to know the terminal.
 */
void terminal_crash_prepare(const struct termios *before);
void terminal_crash_forget(void);

/* False while the screen is not shown, and the terminal is another program's. */
void terminal_crash_matters(bool matters);

#endif
