# SPDX-License-Identifier: GPL-2.0-or-later
# What cutop does when it runs: session, screen, batch.
app_sources = \
	src/app/batch.c src/app/batch.h \
	src/app/pipe_output.c src/app/pipe_output.h \
	src/app/screen.c src/app/screen.h \
	src/app/session.c src/app/session.h
