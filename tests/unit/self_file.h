/* SPDX-License-Identifier: GPL-2.0-or-later */
/* This program as a file, which tests of names read, break, and hand on. */
#ifndef SELF_FILE_H
#define SELF_FILE_H

#include <stddef.h>
#include <stdint.h>

extern char *self; /* its bytes, after self_read(); freed at the end */
extern size_t self_size;

void self_read(void);

/* A new file with these bytes, open; a test fails if there can be none. */
int file_of(const void *data, size_t size);

/* Where @address of this program lies in its file. */
uint64_t offset_of(const void *address);

#endif
