#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Makes the sample recording and what recordings look like in every format anew. To be
# run in the build folder, after records or formats changed; then look at the
# difference, and commit it.
#
#   sh ../tests/recordings/regenerate.sh [formats]
#
# With `formats` the recording stays as it is: it is worth keeping one of an older version.
set -eu
: "${top_builddir:=$(pwd)}"
: "${top_srcdir:=$(cd "$(dirname "$0")/../.." && pwd)}"
here=$top_srcdir/tests/recordings
if [ "${1:-}" != formats ]; then
	make -s -C "$top_builddir" tests/unit/make_recording
	"$top_builddir/tests/unit/make_recording" "$here/sample.cutop"
fi
REGENERATE=1 top_builddir=$top_builddir top_srcdir=$top_srcdir sh "$here/test_recordings.sh"
