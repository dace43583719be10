# SPDX-License-Identifier: GPL-2.0-or-later
# What cutop does when it runs: session, screen, batch, demo.
app_sources = \
	src/app/batch.c src/app/batch.h \
	src/app/demo.c src/app/demo.h \
	src/app/errands.c src/app/errands.h \
	src/app/kept_output.c src/app/kept_output.h \
	src/app/pipe_output.c src/app/pipe_output.h \
	src/app/screen.c src/app/screen.h \
	src/app/screen_settings.c src/app/screen_settings.h \
	src/app/session.c src/app/session.h \
	src/app/session_end.c \
	src/app/snapshot_file.c src/app/snapshot_file.h \
	src/app/wall_clocks.c src/app/wall_clocks.h
