/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Packs blocks: raw deflate (RFC 1951), without zlib's header and checksum, since blocks have their
 * own.
 */
#ifndef RECORD_PACK_H
#define RECORD_PACK_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Packs @size bytes of @in into @out. Returns the packed size, or 0 if it would need @room bytes or
 * more.
 */
size_t pack_bytes(const char *in, size_t size, char *out, size_t room);

/* True if the @size bytes of @in unpack to exactly @bytes bytes, which are then at @out. */
bool unpack_bytes(const char *in, size_t size, char *out, size_t bytes);

#endif
