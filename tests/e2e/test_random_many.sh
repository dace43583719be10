#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The programs of random calls of test_random_calls.sh, with more seeds and more options.
: "${RANDOM_SEEDS:=6}" "${RANDOM_FIRST:=1000}" "${RANDOM_STEPS:=2000}"
RANDOM_ALL=1
export RANDOM_SEEDS RANDOM_FIRST RANDOM_STEPS RANDOM_ALL
exec sh "${top_srcdir:-.}/tests/e2e/test_random_calls.sh"
