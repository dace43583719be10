/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "view/output.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

/*
 * A terminal that can be written to takes this much without waiting: poll(2) says so for a serial
 * line while fewer than 256 of some 4,096 bytes are queued, and a pseudo-terminal has its space in
 * units of 256. O_NONBLOCK would be the shell's, too, which has the same open file.
 */
#define PIECE 256

bool output_takes(const struct output *output, int ms)
{
	struct pollfd fd = { .fd = output->fd, .events = POLLOUT };
	int count;

	do
		count = poll(&fd, 1, ms);
	while (count < 0 && errno == EINTR);
	return count > 0;
}

bool output_wait(const struct output *output)
{
	return output_takes(output, 0) ||
	       (output->wait ? output->wait(output->context) : output_takes(output, -1));
}

int output_write(const struct output *output, const char *data, size_t len)
{
	while (len) {
		ssize_t done;

		if (!output_wait(output))
			return -EAGAIN;
		done = write(output->fd, data, len < PIECE ? len : PIECE);
		if (done < 0 && errno != EINTR && errno != EAGAIN)
			return -errno;
		if (done > 0) {
			data += done;
			len -= (size_t)done;
		}
	}
	return 0;
}
