/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The server, by libmicrohttpd: one thread for all connections. A snapshot is rendered when it is
 * first asked for, and all clients get the same bytes.
 * Clients are kept from using up resources by libmicrohttpd's limits: connections in all and of one
 * address, memory of each, time without a byte. After its answer a connection is closed.
 * A foreign web page in a browser on this machine may map its own host name to 127.0.0.1, and read
 * what a server there says (DNS rebinding). The request then carries that name: so on loopback
 * addresses only requests for our own names are answered.
 */
#include "metrics/serve.h"

#include <arpa/inet.h>
#include <errno.h>
#include <microhttpd.h>
#include <netdb.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "config.h"
#include "metrics/openmetrics.h"

#define CONNECTIONS_MAX   128
#define OF_ADDRESS_MAX    64   /* connections of one client's address */
#define CONNECTION_MEMORY 8192 /* per connection, for the request and its headers */
#define IDLE_SECONDS      5
#define BACKLOG           1024
/* How late a snapshot may be before /healthz reports a failure */
#define LATE_MAX (10 * NSEC_PER_SEC)

struct serve {
	struct MHD_Daemon *daemon;
	int socket;     /* -1: the daemon has it */
	bool loopback;  /* reachable from this machine only */
	char host[256]; /* the host, as given to --listen */
	char url[300];
	struct metrics_limits limits;
	/* Used by the daemon's thread only, like the following: what the answer was rendered from */
	struct snapshot *rendered;
	struct MHD_Response *metrics_answer; /* NULL: not rendered yet */

	pthread_mutex_t lock;    /* guards the following */
	struct snapshot *latest; /* NULL: none yet */
	uint64_t due;
};

static const char content_type[] = "application/openmetrics-text; version=1.0.0; charset=utf-8";

static const char page[] =
	"<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>cutop</title></head>\n"
	"<body><h1>cutop " PACKAGE_VERSION "</h1>\n<p>What CUDA programs do to the GPU.</p>\n"
	"<ul><li><a href=\"/metrics\">/metrics</a>: for Prometheus</li>\n"
	"<li><a href=\"/healthz\">/healthz</a>: whether collecting goes on</li></ul></body></html>\n";

/* ---- answers ---- */

/* Takes over @text, from malloc(), unless @is_static. Returns NULL without memory. */
static struct MHD_Response *response_new(const char *text, size_t size, bool is_static,
					 const char *type)
{
	struct MHD_Response *response = MHD_create_response_from_buffer(
		size, (void *)text, is_static ? MHD_RESPMEM_PERSISTENT : MHD_RESPMEM_MUST_FREE);

	if (!response) {
		if (!is_static)
			free((char *)text);
		return NULL;
	}
	MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type);
	MHD_add_response_header(response, MHD_HTTP_HEADER_CACHE_CONTROL, "no-store");
	MHD_add_response_header(response, MHD_HTTP_HEADER_CONNECTION, "close");
	return response;
}

/* Queues @response, which may be NULL, and releases it. */
static enum MHD_Result answer(struct MHD_Connection *connection, unsigned int status,
			      struct MHD_Response *response)
{
	enum MHD_Result result;

	if (!response)
		return MHD_NO; /* without memory the connection is closed */
	result = MHD_queue_response(connection, status, response);
	MHD_destroy_response(response);
	return result;
}

static enum MHD_Result answer_line(struct MHD_Connection *connection, unsigned int status,
				   const char *line)
{
	char *text = format_new("%s\n", line);

	return answer(connection, status,
		      text ? response_new(text, strlen(text), false, "text/plain; charset=utf-8") :
			     NULL);
}

/* ---- /metrics ---- */

static void answer_drop(struct serve *serve)
{
	if (serve->metrics_answer)
		MHD_destroy_response(serve->metrics_answer);
	serve->metrics_answer = NULL;
	snapshot_free(serve->rendered);
	serve->rendered = NULL;
}

/* Renders the latest snapshot, if that is not done. Returns false if there is no snapshot yet. */
static bool latest_take(struct serve *serve)
{
	struct snapshot *snapshot = NULL;

	pthread_mutex_lock(&serve->lock);
	if (serve->latest != serve->rendered)
		snapshot = snapshot_hold(serve->latest);
	pthread_mutex_unlock(&serve->lock);
	if (snapshot) {
		answer_drop(serve);
		serve->rendered = snapshot;
	}
	return serve->rendered != NULL;
}

static struct MHD_Response *render(struct serve *serve)
{
	char *text = NULL;
	size_t size = 0;
	FILE *stream = open_memstream(&text, &size);
	int err;

	if (!stream)
		return NULL;
	err = openmetrics_write(stream, serve->rendered, &serve->limits, PACKAGE_VERSION,
				EXPOSITION_OPENMETRICS);
	if (fclose(stream) || err) {
		free(text);
		return NULL;
	}
	return response_new(text, size, false, content_type);
}

static enum MHD_Result answer_metrics(struct serve *serve, struct MHD_Connection *connection)
{
	if (!latest_take(serve))
		return answer_line(connection, MHD_HTTP_SERVICE_UNAVAILABLE,
				   "nothing was collected yet");
	if (!serve->metrics_answer)
		serve->metrics_answer = render(serve);
	if (!serve->metrics_answer)
		return answer_line(connection, MHD_HTTP_INTERNAL_SERVER_ERROR, "no memory");
	return MHD_queue_response(connection, MHD_HTTP_OK, serve->metrics_answer);
}

/* ---- /healthz ---- */

static enum MHD_Result answer_health(struct serve *serve, struct MHD_Connection *connection)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC), due;
	char line[128];
	bool any;

	pthread_mutex_lock(&serve->lock);
	any = serve->latest != NULL;
	due = serve->due;
	pthread_mutex_unlock(&serve->lock);
	if (!any)
		return answer_line(connection, MHD_HTTP_SERVICE_UNAVAILABLE,
				   "nothing was collected yet");
	if (now > due + LATE_MAX) {
		snprintf(line, sizeof(line), "collecting stalls: figures were due %.0f seconds ago",
			 (double)(now - due) / 1e9);
		return answer_line(connection, MHD_HTTP_SERVICE_UNAVAILABLE, line);
	}
	return answer_line(connection, MHD_HTTP_OK, "ok");
}

/* ---- the daemon's calls ---- */

/*
 * True if the request names us. A numeric address is fine: it is not a name that could be made to
 * lead here.
 */
static bool is_host_ours(const struct serve *serve, const char *host)
{
	unsigned char address[sizeof(struct in6_addr)];
	char name[256], end;
	size_t len;

	if (!serve->loopback || !host || !*host)
		return true;
	end = *host == '[' ? ']' : ':';
	host += *host == '[';
	len = strcspn(host, (char[]){ end, '\0' });
	if (len >= sizeof(name) ||
	    (end == ']' && host[len] && host[len + 1] && host[len + 1] != ':'))
		return false;
	memcpy(name, host, len);
	name[len] = '\0';
	return !ascii_casecmp(name, "localhost") || !ascii_casecmp(name, serve->host) ||
	       inet_pton(AF_INET, name, address) == 1 || inet_pton(AF_INET6, name, address) == 1;
}

static enum MHD_Result request(void *context, struct MHD_Connection *connection, const char *path,
			       const char *method, const char *version, const char *data,
			       size_t *size, void **state)
{
	struct serve *serve = context;
	struct MHD_Response *response;

	(void)version;
	(void)data;
	(void)size;
	(void)state;
	if (!is_host_ours(serve, MHD_lookup_connection_value(connection, MHD_HEADER_KIND,
							     MHD_HTTP_HEADER_HOST)))
		return answer_line(connection, MHD_HTTP_FORBIDDEN,
				   "only for localhost, or an address of this machine");
	if (strcmp(method, MHD_HTTP_METHOD_GET) && strcmp(method, MHD_HTTP_METHOD_HEAD)) {
		static const char text[] = "only GET and HEAD\n";

		response = response_new(text, sizeof(text) - 1, true, "text/plain; charset=utf-8");
		if (response)
			MHD_add_response_header(response, MHD_HTTP_HEADER_ALLOW, "GET, HEAD");
		return answer(connection, MHD_HTTP_METHOD_NOT_ALLOWED, response);
	}
	if (!strcmp(path, "/metrics"))
		return answer_metrics(serve, connection);
	if (!strcmp(path, "/healthz"))
		return answer_health(serve, connection);
	if (!strcmp(path, "/"))
		return answer(connection, MHD_HTTP_OK,
			      response_new(page, sizeof(page) - 1, true,
					   "text/html; charset=utf-8"));
	return answer_line(connection, MHD_HTTP_NOT_FOUND, "there are /metrics and /healthz");
}

void serve_feed(struct serve *serve, struct snapshot *snapshot, uint64_t due)
{
	struct snapshot *old = NULL;

	pthread_mutex_lock(&serve->lock);
	serve->due = due;
	if (snapshot) {
		old = serve->latest;
		serve->latest = snapshot_hold(snapshot);
	}
	pthread_mutex_unlock(&serve->lock);
	snapshot_free(old);
}

/* ---- life ---- */

static int socket_open(const struct addrinfo *address)
{
	int fd = socket(address->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), on = 1,
	    err;

	if (fd < 0)
		return -errno;
	/* Allow a restarted cutop to bind the port at once. */
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (!bind(fd, address->ai_addr, address->ai_addrlen) && !listen(fd, BACKLOG))
		return fd;
	err = -errno;
	close(fd);
	return err;
}

static bool is_loopback(int fd)
{
	struct sockaddr_storage address = { 0 };
	socklen_t len = sizeof(address);

	if (getsockname(fd, (struct sockaddr *)&address, &len))
		return false;
	if (address.ss_family == AF_INET6)
		return IN6_IS_ADDR_LOOPBACK(&((const struct sockaddr_in6 *)&address)->sin6_addr);
	return address.ss_family == AF_INET &&
	       ntohl(((const struct sockaddr_in *)&address)->sin_addr.s_addr) >> 24 ==
		       IN_LOOPBACKNET;
}

static int port_of(int fd)
{
	struct sockaddr_storage address;
	socklen_t len = sizeof(address);
	char port[8];

	if (getsockname(fd, (struct sockaddr *)&address, &len) ||
	    getnameinfo((struct sockaddr *)&address, len, NULL, 0, port, sizeof(port),
			NI_NUMERICSERV))
		return 0;
	return atoi(port);
}

/* Advice that follows the error message. */
static const char *advice(int err)
{
	switch (err) {
	case -EADDRINUSE: return "; choose another port, or see who has it with 'ss -ltnp'";
	case -EADDRNOTAVAIL: return "; this machine has no such address";
	case -EACCES: return "; ports below 1024 need CAP_NET_BIND_SERVICE";
	default: return "";
	}
}

static int listen_at(struct serve *serve, const char *host, uint16_t port, struct reason *why)
{
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM,
				  .ai_flags = AI_NUMERICSERV | AI_PASSIVE },
			*list, *address;
	const char *open = strchr(host, ':') ? "[" : "", *close = *open ? "]" : "";
	char number[8];
	int err;

	snprintf(number, sizeof(number), "%u", port);
	err = getaddrinfo(host, number, &hints, &list);
	if (err)
		return reason_set(why, -EINVAL, "--listen: '%s' is no address of this machine: %s",
				  host, gai_strerror(err));
	serve->socket = -EINVAL;
	for (address = list; address && serve->socket < 0; address = address->ai_next)
		serve->socket = socket_open(address);
	freeaddrinfo(list);
	if (serve->socket < 0)
		return reason_set(why, serve->socket, "cannot listen on %s%s%s:%u: %s%s", open,
				  host, close, port, strerror(-serve->socket),
				  advice(serve->socket));
	serve->loopback = is_loopback(serve->socket);
	snprintf(serve->host, sizeof(serve->host), "%s", host);
	snprintf(serve->url, sizeof(serve->url), "http://%s%s%s:%d/metrics", open, host, close,
		 port_of(serve->socket));
	return 0;
}

int serve_open(struct serve **result, const char *host, uint16_t port,
	       const struct metrics_limits *limits, struct reason *why)
{
	struct serve *serve = calloc(1, sizeof(*serve));
	int err;

	*result = NULL;
	if (!serve)
		return reason_set(why, -ENOMEM, "no memory");
	serve->socket = -1;
	pthread_mutex_init(&serve->lock, NULL);
	serve->limits = *limits;
	err = listen_at(serve, host, port, why);
	if (err) {
		serve_close(serve);
		return err;
	}
	*result = serve;
	return 0;
}

int serve_start(struct serve *serve, struct reason *why)
{
	/*
	 * With epoll(7) it would miss that some clients closed, and keep their places until the
	 * idle timeout.
	 */
	serve->daemon = MHD_start_daemon(MHD_USE_POLL_INTERNAL_THREAD, 0, NULL, NULL, request,
					 serve, MHD_OPTION_LISTEN_SOCKET, serve->socket,
					 MHD_OPTION_CONNECTION_LIMIT, (unsigned int)CONNECTIONS_MAX,
					 MHD_OPTION_PER_IP_CONNECTION_LIMIT,
					 (unsigned int)OF_ADDRESS_MAX,
					 MHD_OPTION_CONNECTION_MEMORY_LIMIT,
					 (size_t)CONNECTION_MEMORY, MHD_OPTION_CONNECTION_TIMEOUT,
					 (unsigned int)IDLE_SECONDS, MHD_OPTION_END);
	if (!serve->daemon)
		return reason_set(why, -EIO, "cannot start to serve metrics");
	serve->socket = -1;
	return 0;
}

const char *serve_url(const struct serve *serve)
{
	return serve->url;
}

void serve_close(struct serve *serve)
{
	if (!serve)
		return;
	if (serve->daemon)
		MHD_stop_daemon(serve->daemon);
	if (serve->socket >= 0)
		close(serve->socket);
	answer_drop(serve);
	snapshot_free(serve->latest);
	pthread_mutex_destroy(&serve->lock);
	free(serve);
}
