/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The screen: the full-screen monitor. */
#ifndef APP_SCREEN_H
#define APP_SCREEN_H

#include "cli/options.h"

/* Runs the screen and returns the exit status. */
int screen_run(const struct options *options);

#endif
