/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How to recognize the code of NVIDIA's runtime in a program that has no symbols. */
#ifndef CUDA_RUNTIME_MARK_H
#define CUDA_RUNTIME_MARK_H

/*
 * The runtime names its shared memory like this, in all versions that were looked at (11.8, 13.0).
 * Other libraries and programs have no use for the name, unlike for its messages or the names of
 * its functions.
 */
#define RUNTIME_MARK "/cudart.shm."

#endif
