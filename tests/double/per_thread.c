// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The _ptsz and _ptds forms: the same source once more, calling the driver's
 * forms of the same kind.
 */
#define PER_THREAD 1
#include "stream_calls.c"
#include "copy_calls.c"
