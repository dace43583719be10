/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The asking end. A worker is idle; at work on an errand that the caller waits for; late (the
 * caller has stopped waiting, and the answer will be kept); holding something; or dying (given
 * up, but not gone yet). Late and dying workers count against the limit, so that a machine full
 * of servers that do not answer has that many sleeping workers and no more.
 * Waiting is paid for from a budget, which is refilled with a part of the time that passes: however
 * many errands get no answer, cutop spends no more than that part of its time waiting. An errand
 * asked when the budget is used up is given very little time, which is enough for nearly all that
 * do get an answer.
 */
#include "errand/errand.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util/allowance.h"
#include "util/confine.h"
#include "util/message.h"
#include "util/util.h"

#define TOLD_MAX 32 /* how many things without an answer are reported */

enum worker_state {
	WORKER_NONE,
	WORKER_IDLE,
	WORKER_BUSY,
	WORKER_LATE,
	WORKER_HOLDING,
	WORKER_DYING
};

/* An errand that may be asked for again. */
struct kept {
	errand_job *job;
	char *question;
	size_t len;
	uint64_t group;
	char *what;
	enum { KEPT_UNDER_WAY, KEPT_DONE, KEPT_DEAD } state;
	uint64_t began; /* CLOCK_MONOTONIC */
	/* States DONE and DEAD: when to forget it; CLOCK_MONOTONIC */
	uint64_t until;
	struct errand_answer answer; /* state DONE */
	struct kept *next;
};

struct worker {
	enum worker_state state;
	int socket;
	pid_t pid; /* 0: it has not told its pid yet */
	/* When the errand began, and the worker's processor time then */
	uint64_t began, work;
	uint64_t group;
	struct kept *kept; /* state LATE: where to put its answer; NULL: nowhere */
};

struct errands {
	struct errands_settings settings;
	int orders; /* -1: there is no process */
	pid_t pid;
	unsigned int starts;
	struct worker workers[ERRAND_WORKERS];
	struct kept *kept;
	size_t kept_count;
	struct allowance waiting;
	unsigned int news;
	char *told[TOLD_MAX];
	size_t told_count;
};

/* ---- processes that work ---- */

/*
 * The process that forks workers, and the workers themselves. The former touches no file and no
 * other process's memory, so that it always gets its orders; nothing but its socket is open in it.
 * It exists so that cutop, which holds links and maps, need not fork itself, and has no child that
 * cannot die.
 */

/* ---- messages ---- */

/* A worker's first message. */
struct errand_hello {
	int32_t pid;
};

/* Before the question itself. */
struct errand_asked {
	uint32_t job;
	/* What the job holds is kept until the socket is closed; then the worker exits */
	uint32_t holds;
};

struct errand_told {
	int32_t result;
	uint32_t fd_mask; /* which of the answer's descriptors are attached */
	uint64_t len;
	uint32_t has_data; /* in a memory file, the last descriptor */
	uint32_t pad;
};

#define ERRAND_MESSAGE_FDS (ERRAND_FDS + 1)

/*
 * Sends @head and then @body as one message, with @count descriptors. Returns 0 or a negative
 * errno; -EAGAIN if there is no room and @flags has MSG_DONTWAIT.
 */
static int errand_send(int socket, const void *head, size_t head_len, const void *body,
		       size_t body_len, const int *fds, int count, int flags)
{
	const struct iovec parts[2] = { { (void *)(uintptr_t)head, head_len },
					{ (void *)(uintptr_t)body, body_len } };

	return message_send(socket, parts, body_len ? 2 : 1, fds, (size_t)count, flags);
}

/*
 * Receives one message. Returns its length, 0 at the end, or a negative errno. Unused places in
 * @fds become -1.
 */
static long errand_receive(int socket, void *head, size_t head_len, void *body, size_t body_max,
			   int fds[ERRAND_MESSAGE_FDS], int flags)
{
	const struct iovec parts[2] = { { head, head_len }, { body, body_max } };

	return message_receive(socket, parts, body_max ? 2 : 1, fds, ERRAND_MESSAGE_FDS, flags);
}

/* ---- a worker ---- */

/* The answer's data in a memory file; -1 on failure. */
static int file_of(const struct errand_answer *answer)
{
	int fd = file_in_memory("cutop");
	size_t at = 0;
	ssize_t n;

	for (; fd >= 0 && at < answer->len; at += (size_t)n) {
		n = write(fd, answer->data + at, answer->len - at);
		if (n <= 0) {
			close(fd);
			return -1;
		}
	}
	return fd;
}

static int answer_send(int socket, const struct errand_answer *answer)
{
	struct errand_told told = { .result = answer->result, .len = answer->len };
	int fds[ERRAND_MESSAGE_FDS], count = 0, file = -1, i, err;

	for (i = 0; i < ERRAND_FDS; i++)
		if (answer->fds[i] >= 0) {
			told.fd_mask |= 1u << i;
			fds[count++] = answer->fds[i];
		}
	if (answer->data) {
		file = file_of(answer);
		if (file < 0)
			told = (struct errand_told){ .result = -ENOMEM };
		else
			fds[count++] = file;
		told.has_data = file >= 0;
	}
	err = errand_send(socket, &told, sizeof(told), NULL, 0, fds, count, 0);
	if (file >= 0)
		close(file);
	return err;
}

/* Longer than the asking end waits, so that it is told in time what was given up */
#define LIMIT_MORE NSEC_PER_SEC

/* Sets, or with 0 unsets, the time after which SIGALRM ends this process, if the kernel lets it. */
static void limit_set(uint64_t ns)
{
	const struct itimerval limit = {
		.it_value = { .tv_sec = (time_t)(ns / NSEC_PER_SEC),
			      .tv_usec = (suseconds_t)(ns % NSEC_PER_SEC / 1000) },
	};

	setitimer(ITIMER_REAL, &limit, NULL);
}

static _Noreturn void worker(int socket, const struct errands_settings *settings)
{
	static char question[ERRAND_QUESTION_MAX + 1];
	struct errand_hello hello = { .pid = getpid() };
	struct errand_asked asked;
	int fds[ERRAND_MESSAGE_FDS], i;
	long n;

	if (errand_send(socket, &hello, sizeof(hello), NULL, 0, NULL, 0, 0))
		_exit(1);
	for (;;) {
		struct errand_answer answer = errand_nothing;

		n = errand_receive(socket, &asked, sizeof(asked), question, ERRAND_QUESTION_MAX,
				   fds, 0);
		if (n < (long)sizeof(asked) || asked.job >= settings->job_count)
			_exit(0);
		n -= (long)sizeof(asked);
		question[n] = 0;
		limit_set(settings->limit + LIMIT_MORE);
		answer.result = settings->jobs[asked.job](question, (size_t)n, fds, &answer);
		limit_set(0);
		for (i = 0; i < ERRAND_MESSAGE_FDS; i++)
			if (fds[i] >= 0)
				close(fds[i]);
		if (answer_send(socket, &answer))
			_exit(1);
		errand_answer_free(&answer);
		if (asked.holds)
			while (recv(socket, question, 1, 0) < 0 && errno == EINTR)
				;
		if (asked.holds)
			_exit(0);
	}
}

/* ---- the process that forks them ---- */

/* Room for more than may be at work: one that is given up may take its time to end */
#define CHILDREN_MAX  (4 * ERRAND_WORKERS)
#define FAMILY_END_MS 100

/* Blocks or unblocks a signal. */
static void signal_block(int how, int number, sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, number);
	sigprocmask(how, set, NULL);
}

static pid_t child_fork(int signals, int socket, const struct errands_settings *settings)
{
	pid_t pid = fork();
	sigset_t set;

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal_block(SIG_UNBLOCK, SIGALRM, &set);
	close(0); /* orders */
	close(signals);
	worker(socket, settings);
}

/* Returns how many have ended. */
static unsigned int children_reap(int signals)
{
	struct signalfd_siginfo info;
	unsigned int count = 0;

	while (read(signals, &info, sizeof(info)) == sizeof(info))
		;
	while (waitpid(-1, NULL, WNOHANG) > 0)
		count++;
	return count;
}

/*
 * Ends the workers, and waits a moment for those that can: the process that inherits the rest may
 * not reap them.
 */
static void children_end(int signals, unsigned int children)
{
	uint64_t end = clock_ns(CLOCK_MONOTONIC) + FAMILY_END_MS * NSEC_PER_MSEC;

	signal(SIGALRM, SIG_IGN);
	kill(0, SIGALRM); /* all that are of this session */
	while (children && clock_ns(CLOCK_MONOTONIC) < end) {
		struct pollfd wanted = { .fd = signals, .events = POLLIN };

		poll(&wanted, 1, 10);
		children -= children_reap(signals);
	}
}

#define LOCKED_MAX (64ul << 20) /* memory that a worker may lock: pages of probed files */

/* In a new child: forks a worker for each socket that comes through @socket, until that is closed. */
static _Noreturn void errand_process(int socket, const struct errands_settings *settings)
{
	unsigned int children = 0;
	int fds[ERRAND_MESSAGE_FDS], signals;
	sigset_t set;
	char byte;
	long n;

	setsid(); /* the terminal's signals are not for this process */
	setrlimit(RLIMIT_MEMLOCK, &(struct rlimit){ LOCKED_MAX, LOCKED_MAX });
	setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
	if (confine_leave("cutop-errands", socket) || (settings->give_up && settings->give_up()))
		_exit(1);
	/*
	 * Other processes, such as COMMAND before it runs, may hold the other end, too: so do not
	 * rely on its closing.
	 */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal_block(SIG_BLOCK, SIGCHLD, &set);
	signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	for (;;) {
		struct pollfd wanted[2] = { { .fd = 0, .events = POLLIN },
					    { .fd = signals, .events = POLLIN } };

		if (poll(wanted, 2, -1) < 0 && errno != EINTR)
			break;
		children -= children_reap(signals);
		if (!wanted[0].revents)
			continue;
		n = errand_receive(0, &byte, 1, NULL, 0, fds, MSG_DONTWAIT);
		if (n == -EAGAIN)
			continue;
		if (n != 1)
			break;
		if (fds[0] >= 0 && children < CHILDREN_MAX &&
		    child_fork(signals, fds[0], settings) > 0)
			children++;
		if (fds[0] >= 0)
			close(fds[0]);
	}
	children_end(signals, children);
	_exit(0);
}

/* ---- workers, as cutop's own process sees them ---- */

/* Workers, as seen by cutop's own process: a socket each, and the process that forks them. */

/* Additional time for a worker that waits for a processor */
#define WAIT_PROCESSOR (2 * NSEC_PER_SEC)
#define WAIT_STEP      (10 * NSEC_PER_MSEC)
/* Processor time of a worker that is given that time */
#define WORK_MAX      (50 * NSEC_PER_MSEC)
#define LONG_SLICE_MS 50 /* how often to check whether cutop has to end */
#define LATE_MAX      (ERRAND_WORKERS - 8)
#define STARTS_MAX    16 /* starts of the process that forks workers */
#define ANSWER_MAX    (64u << 20)

/* ---- the process that forks workers ---- */

/* Start and end the process that forks workers. The first returns 0 or a negative errno. */
static int workers_start(struct errands *errands)
{
	int ends[2];

	if (errands->starts >= STARTS_MAX)
		return -EAGAIN;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		return -errno;
	errands->starts++;
	errands->pid = fork();
	if (!errands->pid)
		errand_process(ends[1], &errands->settings);
	close(ends[1]);
	if (errands->pid < 0) {
		close(ends[0]);
		return -EAGAIN;
	}
	errands->orders = ends[0];
	return 0;
}

#define END_MS 500

/*
 * It ends when its socket closes, and so do its workers as soon as they can. It touches nothing
 * that could keep it asleep.
 */
static void workers_stop(struct errands *errands)
{
	int ms;

	if (errands->orders < 0)
		return;
	close(errands->orders);
	errands->orders = -1;
	for (ms = 0; ms < END_MS; ms++) {
		if (waitpid(errands->pid, NULL, WNOHANG))
			return;
		usleep(1000);
	}
	kill(errands->pid, SIGKILL);
	while (waitpid(errands->pid, NULL, 0) < 0 && errno == EINTR)
		;
}

/* Has a worker forked that gets @socket. Returns 0 or a negative errno. */
static int worker_order(struct errands *errands, int socket)
{
	int err = -EPIPE;

	if (errands->orders >= 0)
		err = errand_send(errands->orders, "", 1, NULL, 0, &socket, 1, MSG_DONTWAIT);
	if (err != -EPIPE && err != -ECONNRESET)
		return err;
	/* The process was killed, perhaps because memory was short. */
	workers_stop(errands);
	err = workers_start(errands);
	return err ? err : errand_send(errands->orders, "", 1, NULL, 0, &socket, 1, MSG_DONTWAIT);
}

/* ---- workers ---- */

/* The worker is gone, or will end by itself. */
static void worker_forget(struct errands *errands, struct worker *worker)
{
	close(worker->socket);
	*worker = (struct worker){ .socket = -1 };
	errands->news++;
}

static size_t workers_count(const struct errands *errands, enum worker_state state)
{
	size_t i, count = 0;

	for (i = 0; i < ERRAND_WORKERS; i++)
		count += errands->workers[i].state == state;
	return count;
}

/* Returns an idle worker; NULL: too many do not answer, or none can be started. */
static struct worker *worker_get(struct errands *errands)
{
	struct worker *worker = NULL;
	size_t i;
	int ends[2], err;

	for (i = 0; i < ERRAND_WORKERS; i++)
		if (errands->workers[i].state == WORKER_IDLE)
			return &errands->workers[i];
	if (workers_count(errands, WORKER_LATE) + workers_count(errands, WORKER_DYING) >= LATE_MAX)
		return NULL;
	for (i = 0; i < ERRAND_WORKERS && !worker; i++)
		if (errands->workers[i].state == WORKER_NONE)
			worker = &errands->workers[i];
	if (!worker || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		return NULL;
	err = worker_order(errands, ends[1]);
	close(ends[1]);
	if (err) {
		close(ends[0]);
		return NULL;
	}
	*worker = (struct worker){ .state = WORKER_IDLE, .socket = ends[0] };
	return worker;
}

/*
 * Reads what the worker at @worker sends. Returns 1 with an answer, 0 for another message or none,
 * -EPIPE if the worker is gone.
 */
static int worker_hear(struct worker *worker, struct errand_answer *answer)
{
	union {
		struct errand_told told;
		struct errand_hello hello;
	} head;
	int fds[ERRAND_MESSAGE_FDS], i, at = 0;
	long n = errand_receive(worker->socket, &head, sizeof(head.told), NULL, 0, fds,
				MSG_DONTWAIT);

	if (n == -EAGAIN)
		return 0;
	if (n == sizeof(head.hello)) {
		worker->pid = head.hello.pid;
		return 0;
	}
	if (n < (long)sizeof(head.told)) {
		for (i = 0; i < ERRAND_MESSAGE_FDS; i++)
			if (fds[i] >= 0)
				close(fds[i]);
		return -EPIPE;
	}
	*answer = errand_nothing;
	answer->result = head.told.result;
	for (i = 0; i < ERRAND_FDS; i++)
		if (head.told.fd_mask & 1u << i)
			answer->fds[i] = fds[at++];
	if (!head.told.has_data || head.told.len > ANSWER_MAX)
		goto out;
	answer->data = malloc((size_t)head.told.len + 1);
	if (!answer->data ||
	    pread(fds[at], answer->data, (size_t)head.told.len, 0) != (ssize_t)head.told.len) {
		free(answer->data);
		answer->data = NULL;
		answer->result = -ENOMEM;
		goto out;
	}
	answer->len = (size_t)head.told.len;
	answer->data[answer->len] = 0;
out:
	for (; at < ERRAND_MESSAGE_FDS; at++)
		if (fds[at] >= 0)
			close(fds[at]);
	return 1;
}

/* True if a blocked signal is pending that asks cutop to end. */
static bool is_to_end(void)
{
	sigset_t pending;

	return !sigpending(&pending) &&
	       (sigismember(&pending, SIGTERM) || sigismember(&pending, SIGINT) ||
		sigismember(&pending, SIGHUP));
}

/*
 * True if the worker only waits for a processor, on a busy machine; false once it has used one for
 * long.
 */
static bool is_starved(const struct worker *worker)
{
	struct process_stat stat;

	if (!worker->pid)
		return true; /* it has not even started */
	return process_work_ns(worker->pid) - worker->work <= WORK_MAX &&
	       process_stat_read(worker->pid, &stat) && stat.state == 'R';
}

/*
 * Waits for the worker's answer until @end (CLOCK_MONOTONIC; 0: not at all), or, with @patient,
 * until cutop has to end. Time in which the worker waits for a processor does not count. Returns 1
 * with @answer, 0 if there is none, -EPIPE if the worker is gone.
 */
static int worker_wait(struct worker *worker, uint64_t end, bool patient,
		       struct errand_answer *answer)
{
	uint64_t most = end + (end ? WAIT_PROCESSOR : 0);

	for (;;) {
		uint64_t now;
		struct pollfd wanted = { .fd = worker->socket, .events = POLLIN };
		int said = worker_hear(worker, answer), wait;

		if (said)
			return said;
		now = clock_ns(CLOCK_MONOTONIC);
		if (patient && is_to_end())
			return 0;
		if (now >= end) {
			if (now >= most || !is_starved(worker))
				return 0;
			end = now + WAIT_STEP;
		}
		wait = (int)((end - now + NSEC_PER_MSEC - 1) / NSEC_PER_MSEC);
		poll(&wanted, 1, patient && wait > LONG_SLICE_MS ? LONG_SLICE_MS : wait);
	}
}

/* Gives the worker up: its own limit ends it, and it counts as dying until its socket is closed. */
static void worker_give_up(struct worker *worker)
{
	worker->kept = NULL;
	worker->state = WORKER_DYING;
}

/* ---- asking ---- */

#define WAIT_MAX       (100 * NSEC_PER_MSEC) /* longest wait for one answer */
#define WAIT_PATIENT   NSEC_PER_SEC          /* the same with errands_settings.patient */
#define WAIT_MIN       (2 * NSEC_PER_MSEC)
#define WAIT_MEDIUM    (2 * NSEC_PER_SEC)
#define BUDGET_MAX     (400 * NSEC_PER_MSEC)
#define BUDGET_PATIENT (5 * NSEC_PER_SEC)
#define BUDGET_SHARE   10 /* one part in this many of the time that passes */
#define KEEP_DONE      (30 * NSEC_PER_SEC)
#define KEEP_DEAD      (60 * NSEC_PER_SEC)
/* How long other errands of its group are refused then */
#define GROUP_DEAD     (15 * NSEC_PER_SEC)
#define KEPT_MAX       256
#define GROUP_LATE_MAX 2 /* workers that may wait for one group */
#define HOLDING_MAX    16
#define IDLE_MAX       4

const struct errand_answer errand_nothing = { .fds = { -1, -1, -1 } };

void errand_answer_free(struct errand_answer *answer)
{
	int i;

	for (i = 0; i < ERRAND_FDS; i++)
		if (answer->fds[i] >= 0)
			close(answer->fds[i]);
	free(answer->data);
	*answer = errand_nothing;
}

int errands_start(struct errands **result, const struct errands_settings *settings,
		  struct reason *why)
{
	struct errands *errands = calloc(1, sizeof(*errands));
	int err;

	*result = NULL;
	if (!errands)
		return reason_set(why, -ENOMEM, "no memory");
	errands->settings = *settings;
	if (!settings->limit)
		errands->settings.limit = ERRAND_LIMIT;
	errands->orders = -1;
	errands->waiting = (struct allowance){
		.most = settings->patient ? BUDGET_PATIENT : BUDGET_MAX,
		.share = BUDGET_SHARE,
	};
	err = workers_start(errands);
	if (err) {
		free(errands);
		return reason_set(why, err, "cannot start a process: %s", strerror(-err));
	}
	*result = errands;
	return 0;
}

/* ---- errands that may be asked for again ---- */

static void kept_free(struct errands *errands, struct kept *kept)
{
	struct kept **at;

	for (at = &errands->kept; *at && *at != kept; at = &(*at)->next)
		;
	if (*at) {
		*at = kept->next;
		errands->kept_count--;
	}
	errand_answer_free(&kept->answer);
	free(kept->question);
	free(kept->what);
	free(kept);
}

static struct kept *kept_find(struct errands *errands, const struct errand *errand)
{
	struct kept *kept;

	for (kept = errands->kept; kept; kept = kept->next)
		if (kept->job == errand->job && kept->len == errand->len &&
		    !memcmp(kept->question, errand->question, errand->len))
			break;
	return kept;
}

/* Makes room for one more: drops the entry that would be forgotten first. */
static void kept_bound(struct errands *errands)
{
	struct kept *kept, *oldest = NULL;

	if (errands->kept_count < KEPT_MAX)
		return;
	for (kept = errands->kept; kept; kept = kept->next)
		if (kept->state != KEPT_UNDER_WAY && (!oldest || kept->until < oldest->until))
			oldest = kept;
	if (oldest)
		kept_free(errands, oldest);
}

static struct kept *kept_new(struct errands *errands, const struct errand *errand, uint64_t began)
{
	struct kept *kept;

	kept_bound(errands);
	kept = calloc(1, sizeof(*kept));
	if (!kept)
		return NULL;
	*kept = (struct kept){
		.job = errand->job,
		.len = errand->len,
		.group = errand->group,
		.began = began,
		.answer = errand_nothing,
		.next = errands->kept,
		.question = malloc(errand->len + 1),
		.what = errand->what ? strdup(errand->what) : NULL,
	};
	if (!kept->question) {
		free(kept->what);
		free(kept);
		return NULL;
	}
	memcpy(kept->question, errand->question, errand->len);
	errands->kept = kept;
	errands->kept_count++;
	return kept;
}

/* Prints one note for each thing that does not answer. */
static void lost_tell(struct errands *errands, const char *what)
{
	size_t i;

	for (i = 0; i < errands->told_count && what; i++)
		if (!strcmp(errands->told[i], what))
			return;
	if (!what || errands->told_count == TOLD_MAX ||
	    !(errands->told[errands->told_count] = strdup(what)))
		return;
	errands->told_count++;
	warn_user(errands->settings.notes,
		  "%s: no answer within %llu s; what is there stays unknown", what,
		  (unsigned long long)(errands->settings.limit / NSEC_PER_SEC));
}

static void kept_end(struct kept *kept, const struct errand_answer *answer, uint64_t now)
{
	kept->state = answer ? KEPT_DONE : KEPT_DEAD;
	kept->until = now + (answer ? KEEP_DONE : KEEP_DEAD);
	if (answer)
		kept->answer = *answer;
}

/* ---- looking after workers ---- */

static void late_tend(struct errands *errands, struct worker *worker, uint64_t now)
{
	struct errand_answer answer;
	int said = worker_wait(worker, 0, false, &answer);

	if (said > 0) {
		if (worker->kept)
			kept_end(worker->kept, &answer, now);
		else
			errand_answer_free(&answer);
		worker->kept = NULL;
		worker->state = WORKER_IDLE;
		errands->news++;
	} else if (said < 0 || now - worker->began > errands->settings.limit) {
		lost_tell(errands, worker->kept ? worker->kept->what : NULL);
		if (worker->kept)
			kept_end(worker->kept, NULL, now);
		if (said < 0)
			worker_forget(errands, worker);
		else
			worker_give_up(worker);
		errands->news++;
	}
}

/* As long as its socket is open, it sleeps somewhere in the kernel. */
static void dying_tend(struct errands *errands, struct worker *worker)
{
	struct errand_answer answer;
	int said = worker_wait(worker, 0, false, &answer);

	if (said > 0) {
		/* It came to its end all the same. */
		errand_answer_free(&answer);
		worker_forget(errands, worker);
	} else if (said < 0) {
		worker_forget(errands, worker);
	}
}

void errands_tend(struct errands *errands)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);
	struct kept *kept, *next;
	size_t i, idle = 0;

	if (!errands)
		return;
	for (i = 0; i < ERRAND_WORKERS; i++) {
		struct worker *worker = &errands->workers[i];

		if (worker->state == WORKER_LATE)
			late_tend(errands, worker, now);
		else if (worker->state == WORKER_DYING)
			dying_tend(errands, worker);
		if (worker->state == WORKER_IDLE && ++idle > IDLE_MAX)
			worker_forget(errands, worker);
	}
	for (kept = errands->kept; kept; kept = next) {
		next = kept->next;
		if (kept->state != KEPT_UNDER_WAY && now > kept->until)
			kept_free(errands, kept);
	}
}

uint64_t errands_work_ns(const struct errands *errands)
{
	uint64_t work = 0;

	for (size_t i = 0; errands && i < ERRAND_WORKERS; i++) {
		const struct worker *worker = &errands->workers[i];

		if (worker->pid && (worker->state == WORKER_BUSY || worker->state == WORKER_LATE))
			work += process_work_ns(worker->pid);
	}
	return work;
}

unsigned int errands_news(const struct errands *errands)
{
	return errands ? errands->news : 0;
}

void errands_stop(struct errands *errands)
{
	size_t i;

	if (!errands)
		return;
	workers_stop(errands);
	for (i = 0; i < ERRAND_WORKERS; i++)
		if (errands->workers[i].state != WORKER_NONE)
			worker_forget(errands, &errands->workers[i]);
	while (errands->kept)
		kept_free(errands, errands->kept);
	while (errands->told_count)
		free(errands->told[--errands->told_count]);
	free(errands);
}

/* ---- asking ---- */

static uint64_t wait_choose(struct errands *errands, enum errand_patience patience, uint64_t now)
{
	uint64_t wait = allowance_left(&errands->waiting, now),
		 most = errands->settings.patient ? WAIT_PATIENT : WAIT_MAX;

	if (patience == ERRAND_NONE)
		return 0;
	if (patience == ERRAND_LONG)
		return errands->settings.limit;
	if (patience == ERRAND_MEDIUM)
		return WAIT_MEDIUM;
	return wait > most ? most : wait < WAIT_MIN ? WAIT_MIN : wait;
}

/* Checks what is known about the errand's group: 0, or why not to try it now. */
static int others_look(const struct errands *errands, const struct errand *errand, uint64_t now)
{
	size_t i, late = 0;
	const struct kept *kept;

	for (kept = errands->kept; kept && errand->group; kept = kept->next)
		if (kept->group == errand->group && kept->state == KEPT_DEAD &&
		    now + KEEP_DEAD < kept->until + GROUP_DEAD)
			return -ETIMEDOUT;
	for (i = 0; i < ERRAND_WORKERS; i++) {
		const struct worker *worker = &errands->workers[i];

		late += (worker->state == WORKER_LATE || worker->state == WORKER_DYING) &&
			errand->group && worker->group == errand->group;
	}
	return late >= GROUP_LATE_MAX ? -EAGAIN : 0;
}

/*
 * Checks what is known about the errand itself: 1 with @answer, 0 if nothing is, or a negative
 * errno.
 */
static int kept_ask(struct errands *errands, const struct errand *errand, uint64_t now,
		    struct errand_answer *answer)
{
	struct kept *kept = kept_find(errands, errand);

	if (!kept)
		return 0;
	if (kept->state == KEPT_UNDER_WAY)
		return -EAGAIN;
	if (kept->state == KEPT_DONE && kept->began < errand->since) {
		kept_free(errands, kept);
		return 0;
	}
	if (kept->state == KEPT_DONE) {
		*answer = kept->answer;
		kept->answer = errand_nothing;
		kept_free(errands, kept);
		return 1;
	}
	if (now < kept->until)
		return -ETIMEDOUT;
	kept_free(errands, kept);
	return 0;
}

static int question_send(struct errands *errands, struct worker *worker,
			 const struct errand *errand, bool holds)
{
	struct errand_asked asked = { .holds = holds };
	int fds[ERRAND_FDS], count = 0, i;

	for (; asked.job < errands->settings.job_count &&
	       errands->settings.jobs[asked.job] != errand->job;
	     asked.job++)
		;
	if (asked.job == errands->settings.job_count || errand->len > ERRAND_QUESTION_MAX)
		return -EINVAL;
	for (i = 0; i < ERRAND_FDS; i++)
		if (errand->fds[i] >= 0)
			fds[count++] = errand->fds[i];
	return errand_send(worker->socket, &asked, sizeof(asked), errand->question, errand->len,
			   fds, count, MSG_DONTWAIT);
}

/*
 * Has a worker do the errand. Returns 0 with @answer, or a negative errno; @worker is the one that
 * did it, or is still at it.
 */
static int errand_do(struct errands *errands, const struct errand *errand, bool holds,
		     struct errand_answer *answer, struct worker **result)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC),
		 wait = wait_choose(errands, errand->patience, now), took;
	struct worker *worker;
	int said, tries = 0;

	do {
		worker = worker_get(errands);
		if (!worker)
			return -EBUSY;
		said = question_send(errands, worker, errand, holds);
		/* An idle worker may have been killed by something else. */
		if (said == -EPIPE || said == -ECONNRESET)
			worker_forget(errands, worker);
	} while ((said == -EPIPE || said == -ECONNRESET) && tries++ < IDLE_MAX);
	if (said)
		return said == -EINVAL ? said : -EIO;
	worker->state = WORKER_BUSY;
	worker->began = now;
	worker->work = process_work_ns(worker->pid);
	worker->group = errand->group;
	said = worker_wait(worker, now + wait,
			   errand->patience == ERRAND_LONG || errand->patience == ERRAND_MEDIUM,
			   answer);
	took = clock_ns(CLOCK_MONOTONIC) - now;
	if (took > wait)
		took = wait;
	if (errand->patience == ERRAND_SHORT)
		allowance_spend(&errands->waiting, took);
	*result = worker;
	if (said > 0) {
		worker->state = WORKER_IDLE;
		return 0;
	}
	if (said < 0) {
		worker_forget(errands, worker);
		return -EIO;
	}
	worker->state = WORKER_LATE;
	return errand->patience == ERRAND_LONG && is_to_end() ? -EINTR : -EAGAIN;
}

int errand_ask(struct errands *errands, const struct errand *errand, struct errand_answer *answer)
{
	uint64_t now;
	struct worker *worker;
	int known;

	*answer = errand_nothing;
	if (!errands) {
		answer->result = errand->job(errand->question, errand->len, errand->fds, answer);
		return 0;
	}
	now = clock_ns(CLOCK_MONOTONIC);
	if (errands->kept) {
		errands_tend(errands);
		known = kept_ask(errands, errand, now, answer);
		if (known)
			return known > 0 ? 0 : known;
	}
	known = others_look(errands, errand, now);
	if (known)
		return known;
	known = errand_do(errands, errand, false, answer, &worker);
	if ((known == -EAGAIN || known == -EINTR) && errand->patience != ERRAND_NONE &&
	    worker->state == WORKER_LATE)
		worker->kept = kept_new(errands, errand, worker->began);
	return known;
}

int errand_hold(struct errands *errands, const struct errand *errand, struct errand_answer *answer,
		int *hold)
{
	struct worker *worker;
	int err;

	*answer = errand_nothing;
	*hold = -1;
	if (!errands)
		return -ENOSYS;
	if (workers_count(errands, WORKER_HOLDING) >= HOLDING_MAX)
		return -EBUSY;
	err = others_look(errands, errand, clock_ns(CLOCK_MONOTONIC));
	if (!err)
		err = errand_do(errands, errand, true, answer, &worker);
	if (err == -EAGAIN && worker->state == WORKER_LATE)
		worker_give_up(worker);
	if (err)
		return err;
	if (answer->result) {
		worker_forget(errands, worker);
		return answer->result;
	}
	worker->state = WORKER_HOLDING;
	*hold = (int)(worker - errands->workers);
	return 0;
}

void errand_release(struct errands *errands, int hold)
{
	if (errands && hold >= 0 && hold < ERRAND_WORKERS &&
	    errands->workers[hold].state == WORKER_HOLDING)
		worker_forget(errands, &errands->workers[hold]);
}
