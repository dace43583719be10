#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Prints the table of hooked functions as the C preprocessor sees it: a line for each, in order, of
#
#   symbol;layer;class;group;options;arguments;
#
# for example cudaStreamGetId;LAYER_RUNTIME;CLASS_PLAIN;GROUP_STREAM;(0 | CALL_SINCE(12, 0));"hStream:s streamId:z*";
here=$(cd "$(dirname "$0")" && pwd)
{
	echo '#define CUTOP_CALL(symbol, layer, class, group, options, a, b, c, d, arguments) @symbol;layer;class;group;options;arguments;@'
	echo '#include "cutop_call_table.h"'
} | ${CC:-cc} -E -P -I "$here/../../include" - | tr '\n@' ' \n' | sed -n 's/" *"\([^;]\)/\1/g; s/^ *\([A-Za-z_]\)/\1/; s/ *; */;/gp'
