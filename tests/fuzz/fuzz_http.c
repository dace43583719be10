/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What clients of --listen send, in one piece or several: the first byte says how many. Whatever it
 * is, the server answers by HTTP or not at all, closes the connection, and answers the next client.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "fuzz.h"
#include "model/model.h"
#include "metrics/serve.h"

#define WAIT_MS 30000 /* for the server, on a machine that has much to do */

static struct serve *serve;
static uint16_t port;

static void server_stop(void)
{
	serve_close(serve);
}

static void server_start(void)
{
	struct model_config config = { .start_real = 1700000000ull * NSEC_PER_SEC, .totals = true };
	const struct metrics_limits limits = { 20, 10 };
	struct model *model = model_new(&config);
	struct snapshot *snapshot = model ? model_snapshot(model, NSEC_PER_SEC, 10) : NULL;
	struct reason why = { "" };
	unsigned int number = 0;

	if (!snapshot || atexit(server_stop) || serve_open(&serve, "127.0.0.1", 0, &limits, &why) ||
	    serve_start(serve, &why) ||
	    sscanf(serve_url(serve), "http://127.0.0.1:%u/", &number) != 1)
		abort();
	port = (uint16_t)number;
	serve_feed(serve, snapshot, UINT64_MAX / 2);
	snapshot_free(snapshot);
	model_free(model);
}

static int client_connect(void)
{
	struct sockaddr_in address = { .sin_family = AF_INET,
				       .sin_port = htons(port),
				       .sin_addr = { htonl(INADDR_LOOPBACK) } };
	/* It leaves no trace in the kernel: a million of them would use up the ports. */
	struct linger linger = { 1, 0 };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof(address)) ||
	    setsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger)))
		abort();
	return fd;
}

/*
 * Reads to the end of what the server says. Returns how many bytes of it are in @answer, with a NUL
 * behind them.
 */
static size_t answer_read(int fd, char *answer, size_t size)
{
	struct pollfd end = { .fd = fd, .events = POLLIN };
	char rest[4096];
	size_t len = 0;
	ssize_t n;

	for (;;) {
		if (poll(&end, 1, WAIT_MS) <= 0)
			abort(); /* it has not closed the connection */
		n = len < size - 1 ? recv(fd, answer + len, size - 1 - len, 0) :
				     recv(fd, rest, sizeof(rest), 0);
		if (n <= 0)
			break;
		if (len < size - 1)
			len += (size_t)n;
	}
	answer[len] = 0;
	return len;
}

static void must_be_well(void)
{
	static const char request[] = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n";
	int fd = client_connect();
	char answer[4096];

	if (send(fd, request, sizeof(request) - 1, MSG_NOSIGNAL) != sizeof(request) - 1)
		abort();
	answer_read(fd, answer, sizeof(answer));
	close(fd);
	if (strncmp(answer, "HTTP/1.1 200 ", 13) || !strstr(answer, "\r\n\r\nok\n"))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static unsigned int count;
	size_t pieces, piece, at;
	char answer[256];
	int fd;

	if (!size)
		return 0;
	if (!serve)
		server_start();
	pieces = data[0] % 8 + 1u;
	data++;
	size--;
	fd = client_connect();
	piece = size / pieces + 1;
	for (at = 0; at < size; at += piece)
		/* It may have heard enough by now. */
		if (send(fd, data + at, at + piece < size ? piece : size - at, MSG_NOSIGNAL) < 0)
			break;
	shutdown(fd, SHUT_WR);
	if (answer_read(fd, answer, sizeof(answer)) && strncmp(answer, "HTTP/1.", 7))
		abort();
	close(fd);
	if (++count % 16 == 1)
		must_be_well();
	return 0;
}
