/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A stream that remembers its first error, and the locale that printers run in.
 * The error is stored at the write that failed: after a full buffer could not be written, a later
 * fflush() may find nothing left to do and succeed, and by then errno may belong to another call.
 * The locale is set for the calling thread alone (uselocale), so that the user's LC_NUMERIC does
 * not change how numbers look; other threads keep theirs.
 */
#include <errno.h>
#include <string.h>
#include <time.h>

#include "util/sink.h"

#define NS_PER_SECOND 1000000000ull

locale_t sink_locale(void)
{
	return newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

int sink_open(struct sink *sink, FILE *stream)
{
	memset(sink, 0, sizeof(*sink));
	sink->stream = stream;
	sink->ours = sink_locale();
	if (!sink->ours)
		return -ENOMEM;
	sink->previous = uselocale(sink->ours);
	return 0;
}

int sink_close(struct sink *sink)
{
	errno = 0;
	if (fflush(sink->stream) == EOF && !sink->error)
		sink->error = errno ? -errno : -EIO;
	if (ferror(sink->stream) && !sink->error)
		sink->error = -EIO;
	uselocale(sink->previous);
	freelocale(sink->ours);
	return sink->error;
}

void sink_write(struct sink *sink, const char *data, size_t size)
{
	if (sink->error || !size)
		return;
	errno = 0;
	if (fwrite(data, 1, size, sink->stream) != size)
		sink->error = errno ? -errno : -EIO;
}

void sink_puts(struct sink *sink, const char *text)
{
	sink_write(sink, text, strlen(text));
}

const char *format_rfc3339(uint64_t time, char out[RFC3339_SIZE])
{
	time_t seconds = (time_t)(time / NS_PER_SECOND);
	unsigned int micros = (unsigned int)(time % NS_PER_SECOND / 1000);
	struct tm tm;
	size_t len;

	/* 64 bits of ns end in the year 2554: gmtime_r() cannot fail, nor the text be cut */
	gmtime_r(&seconds, &tm);
	len = strftime(out, RFC3339_SIZE, "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(out + len, RFC3339_SIZE - len, ".%06uZ", micros);
	return out;
}
