# SPDX-License-Identifier: GPL-2.0-or-later
# The command line.
cli_sources = \
	src/cli/option_table.c src/cli/option_table.h \
	src/cli/option_values.c src/cli/option_values.h \
	src/cli/options.c src/cli/options.h
