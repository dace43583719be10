// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The _ptsz and _ptds forms: the same source once more, with the thread's own
 * default stream in place of the legacy one.
 */
#define PER_THREAD 1
#include "driver_stream_calls.c"
#include "driver_copy_calls.c"
