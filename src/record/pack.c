/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/pack.h"

#include <string.h>
#include <zlib.h>

#define LEVEL      1     /* the fastest: other work waits while records are written */
#define WINDOW_RAW (-15) /* zlib.h, deflateInit2(): no header, no checksum */
#define MEMORY     8     /* the default */

size_t pack_bytes(const char *in, size_t size, char *out, size_t room)
{
	z_stream stream = {
		.next_in = (Bytef *)in,
		.avail_in = (uInt)size,
		.next_out = (Bytef *)out,
		.avail_out = (uInt)room,
	};
	int result;

	if (!size || deflateInit2(&stream, LEVEL, Z_DEFLATED, WINDOW_RAW, MEMORY,
				  Z_DEFAULT_STRATEGY) != Z_OK)
		return 0;
	result = deflate(&stream, Z_FINISH);
	deflateEnd(&stream);
	return result == Z_STREAM_END && stream.total_out < room ? stream.total_out : 0;
}

bool unpack_bytes(const char *in, size_t size, char *out, size_t bytes)
{
	z_stream stream = {
		.next_in = (Bytef *)in,
		.avail_in = (uInt)size,
		.next_out = (Bytef *)out,
		.avail_out = (uInt)bytes,
	};
	int result;

	if (inflateInit2(&stream, WINDOW_RAW) != Z_OK)
		return false;
	result = inflate(&stream, Z_FINISH);
	inflateEnd(&stream);
	return result == Z_STREAM_END && stream.total_out == bytes && !stream.avail_in;
}
