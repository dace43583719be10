#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# setproctitle 1.3.1 (Debian 12; Ray and Gunicorn set titles by it): a title of one letter empties
# /proc/PID/environ, which keeps its length and holds zeros; a long title stands in it where variables were. The program's
# own environment (os.environ, getenv) is as before: so what it was started with, CUDA_VISIBLE_DEVICES for one, can be read from outside
# before the title is set, and not after.
. "$(dirname "$0")/lib.sh"
package main/p/python3.11/python3.11-minimal_3.11.2-6+deb12u8_amd64.deb 4aba533f7cc5e7b93b7ff24482840e96813f5bcde9cce028395b65a0d799ccee
package main/p/python3.11/libpython3.11-minimal_3.11.2-6+deb12u8_amd64.deb f3beaa03994ffedacf73c43a0843d53b062d347115d8af65bee2034552a4e6f9
package main/p/python-setproctitle/python3-setproctitle_1.3.1-1+b2_amd64.deb 0765a97209cf47d4136f4ca90962ac20e78f0c3292514e797f55b256a1266bf9
cat >"$packages/title.py" <<-'END'
	import os, sys
	import setproctitle

	def outside():
	    return open("/proc/self/environ", "rb").read()

	before = outside()
	setproctitle.setproctitle("x" * int(sys.argv[1]))
	after = outside()
	print(b"CUDA_VISIBLE_DEVICES=1\0" in before, b"CUDA_VISIBLE_DEVICES=1\0" in after, os.environ["CUDA_VISIBLE_DEVICES"],
	      len(before) == len(after), after[:4])
END

# after LETTERS: whether the variable is seen from outside before and after, and from inside; whether the length is the same; the first bytes
after() {
	env -i CUDA_VISIBLE_DEVICES=1 PYTHONHOME="$packages/usr" PYTHONPATH="$packages/usr/lib/python3/dist-packages" \
		"$packages/usr/bin/python3.11" "$packages/title.py" "$1"
}

state "a title of one letter" "$(after 1)" "True False 1 True b'\\x00\\x00\\x00\\x00'"
state "a long title" "$(after 4000)" "True False 1 True b'xxxx'"
finish
