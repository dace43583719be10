# SPDX-License-Identifier: GPL-2.0-or-later
# Work that may never come to an end, done by processes that may be lost.
errand_sources = \
	src/errand/again.c src/errand/again.h \
	src/errand/errand.c src/errand/errand.h
