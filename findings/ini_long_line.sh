#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# inih 55 (Debian 12's shared library, as it is built): a line of 200 bytes and more is read as two lines. Its value ends early, and what
# is left of the line, if it has a "=", is a setting of its own; ini_parse() returns 0, as it does for a file that was read whole.
. "$(dirname "$0")/lib.sh"
package main/libi/libinih/libinih1_55-1_amd64.deb 1286ddab2ef1050389e585ad3bfd0a0d9bdd26475003a33b4eec884bccd50477
package main/libi/libinih/libinih-dev_55-1_amd64.deb 0355b0799b508b0973bb8e48923be65f905bdc2c48f20db02455f1c1fa13253d
cat >"$packages/read.c" <<'END'
#include <ini.h>
#include <stdio.h>
#include <string.h>

static int tell(void *user, const char *section, const char *name, const char *value)
{
	return printf("%s of %zu letters, ", name, strlen(value)) > 0;
}

int main(int argc, char **argv)
{
	return printf("ini_parse() %d\n", ini_parse(argv[1], tell, NULL)) < 0;
}
END
cc -I "$packages/usr/include" -o "$packages/read" "$packages/read.c" "$packages/usr/lib/x86_64-linux-gnu/libinih.so.1" || exit 1
export LD_LIBRARY_PATH="$packages/usr/lib/x86_64-linux-gnu"

# read_of LETTERS: what is read of a line "list=aaa...a,last=1" with so many "a"
read_of() {
	printf '[all]\nlist=%s,last=1\nnext=1\n' "$(printf "%${1}s" '' | tr ' ' a)" >"$packages/settings"
	"$packages/read" "$packages/settings"
}

state "a line of 194 bytes" "$(read_of 182)" "list of 189 letters, next of 1 letters, ini_parse() 0"
state "a line of 204 bytes" "$(read_of 192)" "list of 194 letters, ast of 1 letters, next of 1 letters, ini_parse() 0"
finish
