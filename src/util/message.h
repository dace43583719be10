/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Messages with descriptors, between cutop and its helper processes, over a socket that keeps them apart (SOCK_SEQPACKET). */
#ifndef UTIL_MESSAGE_H
#define UTIL_MESSAGE_H

#include <stddef.h>
#include <sys/types.h>
#include <sys/uio.h>

#define MESSAGE_FDS_MAX	64

/*
 * Sends the @part_count @parts as one message, with the @count descriptors at @fds, MESSAGE_FDS_MAX at most, which stay the
 * caller's. @flags: of sendmsg(2). Returns 0 or a negative errno. Allocates nothing.
 */
int message_send(int socket, const struct iovec *parts, size_t part_count, const int *fds, size_t count, int flags);

/*
 * Receives one. Returns its length, 0 at the end, or a negative errno. @fds: the @max descriptors that may come, the caller's then;
 * those that did not come are -1, and those that are too many are closed. Allocates nothing.
 */
ssize_t message_receive(int socket, const struct iovec *parts, size_t part_count, int *fds, size_t max, int flags);

#endif
