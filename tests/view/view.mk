# SPDX-License-Identifier: GPL-2.0-or-later
# The view without a terminal. Golden screens are written anew by
# UPDATE_GOLDEN=1 tests/view/test_view, and then looked at.
if HAVE_CHECK
check_PROGRAMS += tests/view/test_view
TESTS += tests/view/test_view
endif

tests_view_test_view_SOURCES = \
	tests/view/at_screen.h \
	tests/view/cast.c tests/unit/holds.h tests/view/cast.h \
	tests/view/cast_devices.c \
	tests/view/cast_python.c \
	tests/view/cast_tensors.c \
	tests/view/golden.c tests/view/golden.h \
	tests/view/test_canvas.c \
	tests/view/test_cells.c \
	tests/view/test_details.c \
	tests/view/test_fold.c \
	tests/view/test_golden.c \
	tests/view/test_golden_devices.c \
	tests/view/test_help.c \
	tests/view/test_history.c \
	tests/view/test_input.c \
	tests/view/test_layout.c \
	tests/view/test_map.c \
	tests/view/test_modes.c \
	tests/view/test_mouse.c \
	tests/view/test_narrow.c \
	tests/view/test_no_memory.c \
	tests/view/test_places.c \
	tests/view/test_log.c \
	tests/view/test_plot.c \
	tests/view/test_rows.c \
	tests/view/test_settings.c \
	tests/view/test_tags.c \
	tests/view/test_sites.c \
	tests/view/test_sizes.c \
	tests/view/test_tensors.c \
	tests/view/test_users.c \
	tests/view/test_themes.c \
	tests/view/test_view.c
tests_view_test_view_CPPFLAGS = $(AM_CPPFLAGS) -DGOLDEN_DIR='"$(srcdir)/tests/view/golden"'
tests_view_test_view_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_view_test_view_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=malloc -Wl,--wrap=calloc -Wl,--wrap=realloc
tests_view_test_view_LDADD = $(view_libs) $(core_libs) $(CHECK_LIBS)

CLEANFILES += golden.actual
EXTRA_DIST += \
	tests/view/golden/ascii-80x24.txt \
	tests/view/golden/details.txt tests/view/golden/devices.txt \
	tests/view/golden/full-80x24.txt \
	tests/view/golden/graphs.txt \
	tests/view/golden/many-devices.txt \
	tests/view/golden/overlays.txt \
	tests/view/golden/sites.txt \
	tests/view/golden/places.txt \
	tests/view/golden/states.txt \
	tests/view/golden/tensors.txt \
	tests/view/golden/tensors-themes.txt \
	tests/view/golden/theme-default.txt \
	tests/view/golden/utf8-20x5.txt \
	tests/view/golden/utf8-40x10.txt \
	tests/view/golden/utf8-80x24.txt \
	tests/view/golden/utf8-200x60.txt
