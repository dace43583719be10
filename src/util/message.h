/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Messages with file descriptors between cutop and its helper processes, over a socket that
 * preserves message boundaries (SOCK_SEQPACKET).
 */
#ifndef UTIL_MESSAGE_H
#define UTIL_MESSAGE_H

#include <stddef.h>
#include <sys/types.h>
#include <sys/uio.h>

#define MESSAGE_FDS_MAX 64

/*
 * Sends the @part_count @parts as one message, together with the @count descriptors at @fds
 * (MESSAGE_FDS_MAX at most), which remain the caller's. @flags: as for sendmsg(2). Returns 0 or a
 * negative errno. Allocates nothing.
 */
int message_send(int socket, const struct iovec *parts, size_t part_count, const int *fds,
		 size_t count, int flags);

/*
 * Receives one message. Returns its length, 0 at the end of the stream, or a negative errno. @fds:
 * room for the @max descriptors that may come with it, which the caller then owns; unused places
 * become -1, descriptors beyond @max are closed. Allocates nothing.
 */
ssize_t message_receive(int socket, const struct iovec *parts, size_t part_count, int *fds,
			size_t max, int flags);

#endif
