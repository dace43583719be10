/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The screen: the full-screen monitor. */
#ifndef SCREEN_H
#define SCREEN_H

#include "options.h"

/* Runs the screen and returns the exit status. */
int screen_run(const struct options *options);

#endif
