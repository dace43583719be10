/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "util/message.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

union descriptors {
	char bytes[CMSG_SPACE(MESSAGE_FDS_MAX * sizeof(int))];
	struct cmsghdr header;
};

int message_send(int socket, const struct iovec *parts, size_t part_count, const int *fds,
		 size_t count, int flags)
{
	struct msghdr message = { .msg_iov = (struct iovec *)(uintptr_t)parts,
				  .msg_iovlen = part_count };
	union descriptors control;
	ssize_t n;

	if (count > MESSAGE_FDS_MAX)
		return -EINVAL;
	if (count) {
		memset(&control, 0, sizeof(control));
		message.msg_control = control.bytes;
		message.msg_controllen = CMSG_SPACE(count * sizeof(int));
		control.header.cmsg_level = SOL_SOCKET;
		control.header.cmsg_type = SCM_RIGHTS;
		control.header.cmsg_len = CMSG_LEN(count * sizeof(int));
		memcpy(CMSG_DATA(&control.header), fds, count * sizeof(int));
	}
	do
		n = sendmsg(socket, &message, flags | MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : 0;
}

ssize_t message_receive(int socket, const struct iovec *parts, size_t part_count, int *fds,
			size_t max, int flags)
{
	union descriptors control;
	struct msghdr message = {
		.msg_iov = (struct iovec *)(uintptr_t)parts,
		.msg_iovlen = part_count,
		.msg_control = control.bytes,
		.msg_controllen = sizeof(control),
	};
	size_t count = 0, i;
	struct cmsghdr *header;
	ssize_t n;

	for (i = 0; i < max; i++)
		fds[i] = -1;
	do
		n = recvmsg(socket, &message, flags | MSG_CMSG_CLOEXEC);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	header = CMSG_FIRSTHDR(&message);
	if (header && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS)
		count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
	for (i = 0; i < count; i++) {
		int fd;

		memcpy(&fd, CMSG_DATA(header) + i * sizeof(fd), sizeof(fd));
		if (i < max)
			fds[i] = fd;
		else
			close(fd);
	}
	return n;
}
