/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The server of metrics, fed by hand: what it says before there is anything, while all is well, and
 * when nothing comes.
 */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "model/model.h"
#include "metrics/serve.h"
#include "run_tests.h"

static struct serve *serve;
static struct model *model;
static char answer[1 << 16];
static const struct metrics_limits limits = { 20, 10 };

static void setup(void)
{
	struct model_config config = { .start_real = 1700000000ull * NSEC_PER_SEC, .totals = true };
	struct reason why;

	model = model_new(&config);
	ck_assert_ptr_nonnull(model);
	ck_assert_msg(!serve_open(&serve, "127.0.0.1", 0, &limits, &why), "%s", why.text);
	ck_assert_msg(!serve_start(serve, &why), "%s", why.text);
}

static void teardown(void)
{
	serve_close(serve);
	model_free(model);
}

FIXTURE(setup, teardown);

static uint16_t port(void)
{
	unsigned int number = 0;

	ck_assert_int_eq(sscanf(serve_url(serve), "http://127.0.0.1:%u/metrics", &number), 1);
	return (uint16_t)number;
}

/* A connection from the address 127.0.0.@from. */
static int connect_from(unsigned int from)
{
	struct sockaddr_in own = { .sin_family = AF_INET,
				   .sin_addr = { htonl((INADDR_LOOPBACK & ~0xffu) | from) } };
	struct sockaddr_in address = { .sin_family = AF_INET,
				       .sin_port = htons(port()),
				       .sin_addr = { htonl(INADDR_LOOPBACK) } };
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(bind(fd, (struct sockaddr *)&own, sizeof(own)), 0);
	ck_assert_int_eq(connect(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	return fd;
}

static int connect_to(void)
{
	return connect_from(1);
}

/* Asks @host for @path; the whole of the answer is in `answer`. Returns its status. */
static int get_from(const char *host, const char *path)
{
	int fd = connect_to(), status = 0;
	size_t len = 0;
	ssize_t n;

	dprintf(fd, "GET %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n", path, host);
	while ((n = read(fd, answer + len, sizeof(answer) - 1 - len)) > 0)
		len += (size_t)n;
	answer[len] = 0;
	close(fd);
	ck_assert_int_eq(sscanf(answer, "HTTP/1.1 %d", &status), 1);
	return status;
}

static int get(const char *path)
{
	return get_from("localhost", path);
}

/* A snapshot at @time; the next is due at @due. */
static void feed(uint64_t time, uint64_t due)
{
	struct snapshot *snapshot = model_snapshot(model, time, 10);

	ck_assert_ptr_nonnull(snapshot);
	serve_feed(serve, snapshot, due);
	snapshot_free(snapshot); /* it holds its own */
}

TEST(health)
{
	ck_assert_int_eq(get("/healthz"), 503);
	ck_assert_ptr_nonnull(strstr(answer, "nothing was collected yet"));
	ck_assert_int_eq(get("/metrics"), 503);
	ck_assert_int_eq(get("/"), 200);

	feed(NSEC_PER_SEC, clock_ns(CLOCK_MONOTONIC) + NSEC_PER_SEC);
	ck_assert_int_eq(get("/healthz"), 200);
	ck_assert_int_eq(get("/metrics"), 200);
	ck_assert_ptr_nonnull(strstr(answer, "cutop_build_info"));

	/* The next was due a minute ago. What is known is still told. */
	feed(NSEC_PER_SEC, clock_ns(CLOCK_MONOTONIC) - 60 * NSEC_PER_SEC);
	ck_assert_int_eq(get("/healthz"), 503);
	ck_assert_ptr_nonnull(strstr(answer, "collecting stalls"));
	ck_assert_int_eq(get("/metrics"), 200);

	/* Put off: the user asked for longer intervals. */
	serve_feed(serve, NULL, clock_ns(CLOCK_MONOTONIC) + 60 * NSEC_PER_SEC);
	ck_assert_int_eq(get("/healthz"), 200);
}

TEST(the_latest_is_served)
{
	char first[64], second[64];
	const char *at;

	feed(NSEC_PER_SEC, UINT64_MAX);
	get("/metrics");
	at = strstr(answer, "\ncutop_snapshot_time_seconds ");
	ck_assert_ptr_nonnull(at);
	snprintf(first, sizeof(first), "%.60s", at);
	get("/metrics");
	ck_assert_ptr_nonnull(strstr(answer, first));
	feed(99 * NSEC_PER_SEC, UINT64_MAX);
	get("/metrics");
	at = strstr(answer, "\ncutop_snapshot_time_seconds ");
	snprintf(second, sizeof(second), "%.60s", at);
	ck_assert_str_ne(first, second);
}

TEST(ends_with_clients)
{
	int fds[50];
	size_t i;

	feed(NSEC_PER_SEC, UINT64_MAX);
	for (i = 0; i < 50; i++)
		fds[i] = connect_to();
	ck_assert_int_eq(get("/metrics"), 200);
	serve_close(serve); /* waits for none of them */
	serve = NULL;
	for (i = 0; i < 50; i++)
		close(fds[i]);
}

/* A client that says nothing loses its place. */
TEST(ends_what_is_idle)
{
	struct timeval patience = { .tv_sec = 30 };
	char byte;
	int fd;

	feed(NSEC_PER_SEC, UINT64_MAX);
	fd = connect_to();
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	dprintf(fd, "GET /metrics HTTP/1.1\r\nHost: ");
	ck_assert_int_eq(read(fd, &byte, 1), 0);
	close(fd);
}

/*
 * A thousand at one address that say nothing, that say half of it, that do not read: those at
 * another address are answered all the same.
 */
TIMED_TEST_LOOP(crowds, 3)
{
	static const char *const says[] = { "", "GET /healthz HTTP/1.1\r\nHost: ",
					    "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n" };
	struct rlimit files = { 4096, 4096 };
	static int fds[1000];
	uint64_t began;
	size_t i;
	int small = 1;

	feed(NSEC_PER_SEC, clock_ns(CLOCK_MONOTONIC) + 60 * NSEC_PER_SEC);
	if (setrlimit(RLIMIT_NOFILE, &files))
		ck_abort_msg("needs 4,096 open files");
	for (i = 0; i < 1000; i++) {
		fds[i] = connect_from(2);
		setsockopt(fds[i], SOL_SOCKET, SO_RCVBUF, &small, sizeof(small));
		/* Those beyond the limit are gone already: no SIGPIPE. */
		send(fds[i], says[_i], strlen(says[_i]), MSG_NOSIGNAL);
	}
	began = clock_ns(CLOCK_MONOTONIC);
	ck_assert_int_eq(get("/healthz"), 200);
	ck_assert_int_eq(get("/metrics"), 200);
	ck_assert_uint_lt(clock_ns(CLOCK_MONOTONIC) - began, NSEC_PER_SEC);
	for (i = 0; i < 1000; i++)
		close(fds[i]);
}

/* A name of a stranger's that leads to this machine is none of ours. */
TEST(hosts)
{
	static const char *const ours[] = { "localhost",  "LOCALHOST:9400", "127.0.0.1:9400",
					    "[::1]:9400", "192.0.2.7",      "" };
	static const char *const others[] = { "evil.example",           "evil.example:9400",
					      "localhost.evil.example", "127.0.0.1.evil.example",
					      "[::1].evil.example:1",   "x" };
	size_t i;

	feed(NSEC_PER_SEC, UINT64_MAX);
	for (i = 0; i < ARRAY_LEN(ours); i++)
		ck_assert_msg(get_from(ours[i], "/metrics") == 200, "%s", ours[i]);
	for (i = 0; i < ARRAY_LEN(others); i++) {
		ck_assert_msg(get_from(others[i], "/metrics") == 403, "%s", others[i]);
		ck_assert_ptr_null(strstr(answer, "cutop_build_info"));
	}
}

TEST(taken)
{
	struct serve *other;
	struct reason why;

	ck_assert_int_ne(serve_open(&other, "127.0.0.1", port(), &limits, &why), 0);
	ck_assert_ptr_nonnull(strstr(why.text, "already in use"));
	ck_assert_ptr_null(other);
}
