/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The server, by libmicrohttpd: one thread for all connections. A snapshot is rendered when it is
 * first asked for, once per format, and all clients get the same bytes.
 * Clients are kept from using up resources: there are few connections, each with little memory; a
 * connection ends when it is idle for a while, and at the latest some time after it began. When
 * places become scarce, an old connection is closed for each new one, so that no number of them
 * keeps others out. After its answer a connection is closed.
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
#include "metrics/serve_accept.h"

#define CONNECTIONS_MAX   128
#define CONNECTION_MEMORY 8192 /* per connection, for the request and its headers */
#define IDLE_SECONDS      10
#define AGE_MAX           (30 * NSEC_PER_SEC)
#define REQUEST_MAX       (5 * NSEC_PER_SEC) /* time for the whole request to arrive */
#define SPARE             16                 /* places that are kept free */
#define BACKLOG           1024
/* How late a snapshot may be before /healthz reports a failure */
#define LATE_MAX   (10 * NSEC_PER_SEC)
#define FORM_COUNT 2

struct connection {
	struct MHD_Connection *handle; /* NULL: free */
	uint64_t began;                /* CLOCK_MONOTONIC */
	struct in6_addr address;       /* of the client */
	bool asked;                    /* its request has arrived */
	bool cut;
};

struct serve {
	struct MHD_Daemon *daemon;
	int socket;     /* -1: the daemon has it */
	bool loopback;  /* reachable from this machine only */
	char host[256]; /* the host, as given to --listen */
	char url[300];
	struct openmetrics *metrics; /* used by the daemon's thread only, like the following */
	struct snapshot *rendered;   /* the snapshot that the answers were rendered from */
	struct MHD_Response *answers[FORM_COUNT];

	pthread_mutex_t lock;    /* guards the following */
	struct snapshot *latest; /* NULL: none yet */
	uint64_t due;
	struct connection connections[CONNECTIONS_MAX];
};

static const char *const content_types[FORM_COUNT] = {
	[EXPOSITION_OPENMETRICS] = "application/openmetrics-text; version=1.0.0; charset=utf-8",
	[EXPOSITION_PROMETHEUS] = "text/plain; version=0.0.4; charset=utf-8",
};

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

static void answers_drop(struct serve *serve)
{
	unsigned int i;

	for (i = 0; i < FORM_COUNT; i++)
		if (serve->answers[i])
			MHD_destroy_response(serve->answers[i]);
	memset(serve->answers, 0, sizeof(serve->answers));
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
		answers_drop(serve);
		serve->rendered = snapshot;
	}
	return serve->rendered != NULL;
}

static struct MHD_Response *render(struct serve *serve, enum exposition_form form)
{
	char *text = NULL;
	size_t size = 0;
	FILE *stream = open_memstream(&text, &size);
	int err;

	if (!stream)
		return NULL;
	err = openmetrics_write(serve->metrics, stream, serve->rendered, PACKAGE_VERSION, form);
	if (fclose(stream) || err) {
		free(text);
		return NULL;
	}
	return response_new(text, size, false, content_types[form]);
}

static enum MHD_Result answer_metrics(struct serve *serve, struct MHD_Connection *connection)
{
	const char *accept =
		MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_ACCEPT);
	enum exposition_form form = accepts_openmetrics(accept) ? EXPOSITION_OPENMETRICS :
								  EXPOSITION_PROMETHEUS;

	if (!latest_take(serve))
		return answer_line(connection, MHD_HTTP_SERVICE_UNAVAILABLE,
				   "nothing was collected yet");
	if (!serve->answers[form])
		serve->answers[form] = render(serve, form);
	if (!serve->answers[form])
		return answer_line(connection, MHD_HTTP_INTERNAL_SERVER_ERROR, "no memory");
	return MHD_queue_response(connection, MHD_HTTP_OK, serve->answers[form]);
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

static void asked_note(struct serve *serve, const struct MHD_Connection *handle)
{
	unsigned int i;

	pthread_mutex_lock(&serve->lock);
	for (i = 0; i < CONNECTIONS_MAX; i++)
		if (serve->connections[i].handle == handle)
			serve->connections[i].asked = true;
	pthread_mutex_unlock(&serve->lock);
}

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
	asked_note(serve, connection);
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

/* Call with the lock held. The daemon sees the end of the stream and closes the connection. */
static void connection_cut(struct connection *connection)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(connection->handle, MHD_CONNECTION_INFO_CONNECTION_FD);

	if (info)
		shutdown(info->connect_fd, SHUT_RDWR);
	connection->cut = true;
}

static struct in6_addr address_of(struct MHD_Connection *handle)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(handle, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
	struct in6_addr address = { 0 };

	if (info && info->client_addr && info->client_addr->sa_family == AF_INET6)
		address = ((const struct sockaddr_in6 *)info->client_addr)->sin6_addr;
	else if (info && info->client_addr && info->client_addr->sa_family == AF_INET)
		memcpy(&address, &((const struct sockaddr_in *)info->client_addr)->sin_addr,
		       sizeof(struct in_addr));
	return address;
}

static unsigned int same_address(const struct serve *serve, const struct connection *of)
{
	unsigned int i, count = 0;

	for (i = 0; i < CONNECTIONS_MAX; i++)
		count += serve->connections[i].handle && !serve->connections[i].cut &&
			 !memcmp(&serve->connections[i].address, &of->address, sizeof(of->address));
	return count;
}

/*
 * Whether to close @a rather than @b: one that has sent no request; one of the client with most
 * connections; the older.
 */
static bool is_first_to_go(const struct serve *serve, const struct connection *a,
			   const struct connection *b)
{
	unsigned int of_a, of_b;

	if (a->asked != b->asked)
		return b->asked;
	of_a = same_address(serve, a);
	of_b = same_address(serve, b);
	return of_a != of_b ? of_a > of_b : a->began < b->began;
}

/* Call with the lock held: if places are scarce, closes one connection for @comer. */
static void room_make(struct serve *serve, const struct connection *comer)
{
	struct connection *connection, *first = NULL;
	unsigned int taken = 0;

	for (connection = serve->connections; connection < serve->connections + CONNECTIONS_MAX;
	     connection++) {
		if (!connection->handle || connection->cut || connection == comer)
			continue;
		taken++;
		if (!first || is_first_to_go(serve, connection, first))
			first = connection;
	}
	if (taken >= CONNECTIONS_MAX - SPARE)
		connection_cut(first);
}

/*
 * Keeps the list of connections, in the daemon's thread; the descriptor of a connection that ends
 * is still valid here.
 */
static void connection_note(void *context, struct MHD_Connection *handle, void **state,
			    enum MHD_ConnectionNotificationCode code)
{
	struct serve *serve = context;
	bool begins = code == MHD_CONNECTION_NOTIFY_STARTED;
	unsigned int i;

	(void)state;
	pthread_mutex_lock(&serve->lock);
	for (i = 0; i < CONNECTIONS_MAX; i++)
		if (serve->connections[i].handle == (begins ? NULL : handle))
			break;
	if (i < CONNECTIONS_MAX) {
		serve->connections[i] = (struct connection){ .began = clock_ns(CLOCK_MONOTONIC) };
		if (begins) {
			serve->connections[i].handle = handle;
			serve->connections[i].address = address_of(handle);
			room_make(serve, &serve->connections[i]);
		}
	}
	pthread_mutex_unlock(&serve->lock);
}

/* Closes connections that have lasted too long. */
void serve_tend(struct serve *serve, uint64_t now)
{
	struct connection *connection;

	pthread_mutex_lock(&serve->lock);
	for (connection = serve->connections; connection < serve->connections + CONNECTIONS_MAX;
	     connection++)
		if (connection->handle && !connection->cut &&
		    now >= connection->began + (connection->asked ? AGE_MAX : REQUEST_MAX))
			connection_cut(connection);
	pthread_mutex_unlock(&serve->lock);
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
	serve->metrics = openmetrics_new(limits);
	err = serve->metrics ? listen_at(serve, host, port, why) :
			       reason_set(why, -ENOMEM, "no memory");
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
					 MHD_OPTION_CONNECTION_MEMORY_LIMIT,
					 (size_t)CONNECTION_MEMORY, MHD_OPTION_CONNECTION_TIMEOUT,
					 (unsigned int)IDLE_SECONDS, MHD_OPTION_NOTIFY_CONNECTION,
					 connection_note, serve, MHD_OPTION_END);
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
	answers_drop(serve);
	snapshot_free(serve->latest);
	openmetrics_free(serve->metrics);
	pthread_mutex_destroy(&serve->lock);
	free(serve);
}
