# SPDX-License-Identifier: GPL-2.0-or-later
# From the lines of tests/checks/table.sh: each function, as LAYER_RUNTIME(name) or LAYER_DRIVER(name). Those that NVIDIA has
# dropped are there for versions of CUDA (DOUBLE_CUDA) that had them.

BEGIN {
	FS = ";"
}

# version(WORD): 11080 for WORD(11, 8)
function version(word,    at, number)
{
	at = $5
	sub(".*" word "[(]", "", at)
	split(at, number, /[,)] */)
	return number[1] * 1000 + number[2] * 10
}

$1 ~ /_v12000$/ {
	next
}

$5 ~ /CALL_UNTIL/ {
	printf "#if DOUBLE_CUDA >= %d && DOUBLE_CUDA <= %d\n", $5 ~ /CALL_SINCE/ ? version("CALL_SINCE") : 0, version("CALL_UNTIL")
}

{
	print $2 "(" $1 ")"
}

$5 ~ /CALL_UNTIL/ {
	print "#endif"
}
