/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Small things that every room needs. Nothing here keeps state, except what never changes: the time
 * namespace.
 */
#include "util/utf8.h"
#include "util/util.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/openat2.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 8u /* linux/memfd.h, Linux 6.3 */
#endif

uint64_t clock_own_ns(int clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (uint64_t)ts.tv_sec * NSEC_PER_SEC + (uint64_t)ts.tv_nsec;
}

uint64_t process_work_ns(pid_t pid)
{
	clockid_t clock;

	return pid <= 0 || clock_getcpuclockid(pid, &clock) ? 0 : clock_own_ns(clock);
}

/* Offsets of our time namespace in ns; constant as long as the process lives. */
static int64_t offset_monotonic, offset_boottime;

/*
 * Parses lines like "boottime 1000 0": seconds and nanoseconds. A kernel without time namespaces
 * has no such file.
 */
static void offsets_read(void)
{
	char *text = file_read("/proc/self/timens_offsets", 4096, NULL), *line;
	long long seconds, ns;

	line = text ? strstr(text, "monotonic") : NULL;
	if (line && sscanf(line, "%*s %lld %lld", &seconds, &ns) == 2)
		offset_monotonic = seconds * (int64_t)NSEC_PER_SEC + ns;
	line = text ? strstr(text, "boottime") : NULL;
	if (line && sscanf(line, "%*s %lld %lld", &seconds, &ns) == 2)
		offset_boottime = seconds * (int64_t)NSEC_PER_SEC + ns;
	free(text);
}

uint64_t clock_ns(int clock)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	uint64_t now = clock_own_ns(clock);

	pthread_once(&once, offsets_read);
	if (clock == CLOCK_MONOTONIC)
		now -= (uint64_t)offset_monotonic;
	else if (clock == CLOCK_BOOTTIME)
		now -= (uint64_t)offset_boottime;
	return now;
}

static void __attribute__((format(printf, 1, 0))) say(const char *format, va_list args)
{
	char text[1024], clean[1024];

	vsnprintf(text, sizeof(text), format, args);
	fprintf(stderr, "cutop: %s\n", utf8_clean(text, clean, sizeof(clean)));
}

void note(const struct notes *notes, const char *format, ...)
{
	va_list args;

	if (!notes || !notes->verbose || __atomic_load_n(&notes->quiet, __ATOMIC_RELAXED))
		return;
	va_start(args, format);
	say(format, args);
	va_end(args);
}

void warn_user(const struct notes *notes, const char *format, ...)
{
	va_list args;

	if (notes && __atomic_load_n(&notes->quiet, __ATOMIC_RELAXED))
		return;
	va_start(args, format);
	say(format, args);
	va_end(args);
}

int reason_set(struct reason *reason, int error, const char *format, ...)
{
	va_list args;

	if (reason) {
		va_start(args, format);
		vsnprintf(reason->text, sizeof(reason->text), format, args);
		va_end(args);
	}
	return error;
}

int reason_unwritten(struct reason *reason, const char *path, int error)
{
	return reason_set(reason, error, "cannot write %s: %s", path ? path : "standard output",
			  strerror(-error));
}

void warn_unwritten(const struct notes *notes, const char *path, int error)
{
	struct reason why;

	reason_unwritten(&why, path, error);
	warn_user(notes, "%s", why.text);
}

int stream_width(FILE *stream)
{
	struct winsize size;

	return isatty(fileno(stream)) && !ioctl(fileno(stream), TIOCGWINSZ, &size) ? size.ws_col :
										     0;
}

const char *path_base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

bool process_stat_read(pid_t pid, struct process_stat *stat)
{
	unsigned long long ticks;
	char path[32], *text, *at;

	memset(stat, 0, sizeof(*stat));
	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	text = file_read(path, 4096, NULL);
	/*
	 * The name, in parentheses, may contain anything. The state follows it; starttime is the
	 * 20th word after that.
	 */
	at = text ? strrchr(text, ')') : NULL;
	if (at &&
	    sscanf(at + 1,
		   " %c %u %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu",
		   &stat->state, &stat->parent, &ticks) == 3) {
		stat->started = ticks * (NSEC_PER_SEC / (uint64_t)sysconf(_SC_CLK_TCK));
		*at = 0;
		at = strchr(text, '(');
		snprintf(stat->comm, sizeof(stat->comm), "%s", at ? at + 1 : "");
	} else {
		memset(stat, 0, sizeof(*stat));
	}
	free(text);
	return stat->state;
}

int file_in_memory(const char *name)
{
	int fd = memfd_create(name, MFD_CLOEXEC | MFD_NOEXEC_SEAL | MFD_ALLOW_SEALING);

	if (fd < 0) /* Linux before 6.3 */
		fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
	return fd < 0 ? -errno : fd;
}

char *file_read(const char *path, size_t max, size_t *len)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	size_t size = 4096, used = 0;
	char *text = NULL, *more;
	ssize_t n;

	if (fd < 0)
		return NULL;
	for (;;) {
		if (!text || used + 1 == size) {
			if (text)
				size *= 2;
			if (size > max + 1)
				size = max + 1;
			more = realloc(text, size);
			if (!more)
				goto fail;
			text = more;
		}
		if (used + 1 >= size)
			break;
		n = read(fd, text + used, size - used - 1);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			goto fail;
		if (!n)
			break;
		used += (size_t)n;
		if (used >= max)
			break;
	}
	close(fd);
	text[used] = 0;
	if (len)
		*len = used;
	return text;
fail:
	free(text);
	close(fd);
	return NULL;
}

int file_reopen_regular(int place)
{
	struct stat st;
	char path[32];
	int fd = -EINVAL;

	if (fstat(place, &st)) {
		fd = -errno;
	} else if (S_ISREG(st.st_mode)) {
		snprintf(path, sizeof(path), "/proc/self/fd/%d", place);
		fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
		fd = fd < 0 ? -errno : fd;
	}
	close(place);
	return fd;
}

bool file_is_open_to(const char *path, int mode)
{
	return !faccessat(AT_FDCWD, path, mode, AT_EACCESS);
}

bool file_is_same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

int file_open_regular(const char *path)
{
	int place = open(path, O_PATH | O_CLOEXEC);

	return place < 0 ? -errno : file_reopen_regular(place);
}

int file_place_cached(const char *path)
{
	struct open_how how = { .flags = O_PATH | O_CLOEXEC,
				.resolve = RESOLVE_CACHED | RESOLVE_NO_MAGICLINKS };
	int place, tries = 0;

	/* A change somewhere on the path makes openat2() fail once: try again. */
	do
		place = (int)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof(how));
	while (place < 0 && errno == EAGAIN && tries++ < 3);
	return place < 0 ? -errno : place;
}

int file_create(const char *path)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
	sigset_t ending, before;
	struct sigaction action;
	size_t i;
	int fd;

	sigemptyset(&ending);
	/* One that is ignored, as SIGINT in a shell's background, would be lost if it is pending. */
	for (i = 0; i < ARRAY_LEN(signals); i++)
		if (!sigaction(signals[i], NULL, &action) && action.sa_handler != SIG_IGN)
			sigaddset(&ending, signals[i]);
	pthread_sigmask(SIG_UNBLOCK, &ending, &before);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY, 0666);
	fd = fd < 0 ? -errno : fd;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return fd;
}

/* @mask: of capabilities below 32. */
static int capabilities_keep_of(uint32_t mask)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct held[2], kept[2] = { 0 };

	if (mask && !syscall(SYS_capget, &header, held))
		kept[0].effective = kept[0].permitted = held[0].effective & mask;
	/* Clearing the inheritable set also clears the ambient one: capabilities(7). */
	if (syscall(SYS_capset, &header, kept) || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return -errno;
	return 0;
}

int capabilities_clear(void)
{
	return capabilities_keep_of(0);
}

int capabilities_keep_lease(void)
{
	return capabilities_keep_of(1u << CAP_LEASE);
}

char *format_new(const char *format, ...)
{
	char *text = NULL;
	va_list args;

	va_start(args, format);
	if (vasprintf(&text, format, args) < 0)
		text = NULL;
	va_end(args);
	return text;
}

void child_limit(unsigned int seconds)
{
	sigset_t alarm_only;

	signal(SIGALRM, SIG_DFL);
	sigemptyset(&alarm_only);
	sigaddset(&alarm_only, SIGALRM);
	pthread_sigmask(SIG_UNBLOCK, &alarm_only, NULL);
	alarm(seconds);
}

static int ascii_lower(char c)
{
	return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : (unsigned char)c;
}

int ascii_ncasecmp(const char *a, const char *b, size_t len)
{
	for (; len; a++, b++, len--) {
		int order = ascii_lower(*a) - ascii_lower(*b);

		if (order || !*a)
			return order;
	}
	return 0;
}

int ascii_casecmp(const char *a, const char *b)
{
	return ascii_ncasecmp(a, b, SIZE_MAX);
}

/* strsignal() depends on the language and is long; sigabbrev_np() is not available everywhere. */
const char *signal_name(int number)
{
	static const struct {
		int number;
		const char *name;
	} signals[] = {
		{ SIGHUP, "SIGHUP" },   { SIGINT, "SIGINT" },   { SIGQUIT, "SIGQUIT" },
		{ SIGILL, "SIGILL" },   { SIGTRAP, "SIGTRAP" }, { SIGABRT, "SIGABRT" },
		{ SIGBUS, "SIGBUS" },   { SIGFPE, "SIGFPE" },   { SIGKILL, "SIGKILL" },
		{ SIGUSR1, "SIGUSR1" }, { SIGSEGV, "SIGSEGV" }, { SIGUSR2, "SIGUSR2" },
		{ SIGPIPE, "SIGPIPE" }, { SIGALRM, "SIGALRM" }, { SIGTERM, "SIGTERM" },
		{ SIGSYS, "SIGSYS" },   { SIGXCPU, "SIGXCPU" }, { SIGXFSZ, "SIGXFSZ" },
	};

	for (size_t i = 0; i < ARRAY_LEN(signals); i++)
		if (signals[i].number == number)
			return signals[i].name;
	return NULL;
}
