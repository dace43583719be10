/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What runs in the resolver's process. Before it looks at a file it gives up everything but its
 * socket: rights, most memory, and all system calls except those for reading the files it was
 * given. It can open no file and no connection, so it cannot contact a debuginfod server, whatever
 * the environment says. Each question has a time limit; exceeding it ends the process.
 * The one that demangles runs on a stack of its own, large enough for the deepest name that is
 * accepted: it cannot overflow. It shares no lock with the threads it was forked from, and allocates
 * nothing.
 */
#include "names/resolver_process.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>

#include "util/confine.h"
#include "util/message.h"
#include "names/cfi.h"
#include "names/demangle.h"
#include "names/lines.h"
#include "util/util.h"

#define FILES_OPEN (2 * RESOLVER_FILES_MAX)

struct file {
	uint32_t number; /* 0: free */
	bool lent;       /* fds[0] is a socket that the files come by */
	int fds[2];
	/* Each is opened at the first question for it: rules must not wait for debug information. */
	bool lines_opened, cfi_opened;
	struct lines *lines;
	struct cfi *cfi;
};

struct state {
	struct file files[FILES_OPEN];
};

static const char *const process_names[] = {
	[RESOLVER_LINES] = "cutop-lines",
	[RESOLVER_RULES] = "cutop-rows",
	[RESOLVER_NAMES] = "cutop-names",
};

/* The last lines are for the sanitizers and valgrind. */
static const int calls[] = {
	SYS_recvmsg,       SYS_sendto,       SYS_sendmsg,     SYS_mmap,
	SYS_munmap,        SYS_mremap,       SYS_mprotect,    SYS_madvise,
	SYS_brk,           SYS_fstat,        SYS_newfstatat,  SYS_lseek,
	SYS_pread64,       SYS_read,         SYS_close,       SYS_exit,
	SYS_exit_group,    SYS_rt_sigreturn, SYS_setitimer,   SYS_futex,
	SYS_clock_gettime, SYS_getrandom,    SYS_sched_yield, SYS_rt_sigprocmask,
	SYS_write,         SYS_getpid,       SYS_gettid,      SYS_rt_sigtimedwait,
};

/* ---- files ---- */

static void file_close(struct file *file)
{
	int i;

	lines_close(file->lines);
	cfi_close(file->cfi);
	for (i = 0; i < 2; i++)
		if (file->number && file->fds[i] >= 0)
			close(file->fds[i]);
	*file = (struct file){ .number = 0 };
}

/* There is room: the asking end drops files in time. */
static void file_add(struct state *state, uint32_t number, const int fds[2], bool lent)
{
	struct file *file = state->files;

	while (file->number && file < state->files + FILES_OPEN - 1)
		file++;
	file_close(file);
	*file = (struct file){ .number = number, .lent = lent, .fds = { fds[0], fds[1] } };
}

static struct file *file_find(struct state *state, uint32_t number)
{
	struct file *file;

	for (file = state->files; file < state->files + FILES_OPEN; file++)
		if (file->number == number && number)
			return file;
	return NULL;
}

/* Receives the files from the process that lends them; if it could not open them, none come. */
static void lent_take(struct file *file)
{
	char byte;
	const struct iovec part = { &byte, 1 };
	int fds[2];

	message_receive(file->fds[0], &part, 1, fds, 2, 0);
	close(file->fds[0]);
	file->fds[0] = fds[0];
	file->fds[1] = fds[1];
	file->lent = false;
}

/* The file of a question, received if it was lent; NULL if there is none. */
static struct file *file_asked(struct state *state, uint32_t number)
{
	struct file *file = file_find(state, number);

	if (!file)
		return NULL;
	if (file->lent)
		lent_take(file);
	return file->fds[0] >= 0 ? file : NULL;
}

static struct lines *file_lines(struct file *file)
{
	if (!file->lines_opened)
		file->lines = lines_open(file->fds[0], file->fds[1]);
	file->lines_opened = true;
	return file->lines;
}

static struct cfi *file_cfi(struct file *file)
{
	if (!file->cfi_opened)
		file->cfi = cfi_open(file->fds[0]);
	file->cfi_opened = true;
	return file->cfi;
}

/* ---- questions ---- */

static void time_limit(unsigned int seconds)
{
	setitimer(ITIMER_REAL, &(struct itimerval){ .it_value.tv_sec = seconds }, NULL);
}

/* Copies the end of @path, which may be NULL. */
static void path_copy(char out[RESOLVER_PATH_LEN], const char *path)
{
	size_t len = path ? strlen(path) : 0;

	if (len >= RESOLVER_PATH_LEN)
		path += len - RESOLVER_PATH_LEN + 1;
	strcpy(out, path ? path : "");
}

/* A mangled name that is cut means nothing: the source's name, which is shorter, is then better. */
static void function_copy(char out[RESOLVER_FUNCTION_LEN], const struct source_inlined *function)
{
	const char *name = function->name ? function->name : "";

	if (function->symbol && strlen(function->symbol) < RESOLVER_FUNCTION_LEN)
		name = function->symbol;
	snprintf(out, RESOLVER_FUNCTION_LEN, "%s", name);
}

static void line_answer(struct file *file, const struct resolver_question *question,
			struct resolver_answer *answer)
{
	struct lines *lines = file_lines(file);
	struct source source;
	size_t i;

	if (!lines || !lines_find(lines, question->offset, &source))
		return;
	answer->line = source.line;
	path_copy(answer->path, source.path);
	answer->inlined_count = (uint32_t)source.inlined_count;
	for (i = 0; i < source.inlined_count; i++) {
		answer->inlined[i].line = source.inlined[i].line;
		path_copy(answer->inlined[i].path, source.inlined[i].path);
		function_copy(answer->inlined[i].function, &source.inlined[i]);
	}
}

static void rule_answer(struct file *file, const struct resolver_question *question,
			struct resolver_answer *answer)
{
	struct cfi *cfi = file_cfi(file);

	answer->line = cfi &&
		       !cfi_find(cfi, question->offset, question->after_call != 0, &answer->rule);
}

static void question_answer(struct state *state, const struct resolver_question *question,
			    struct resolver_answer *answer)
{
	struct file *file;

	memset(answer, 0, sizeof(*answer));
	answer->cookie = question->cookie;
	time_limit(RESOLVER_SECONDS_MAX);
	file = file_asked(state, question->file);
	if (file && question->type == RESOLVER_ASK_RULE)
		rule_answer(file, question, answer);
	else if (file)
		line_answer(file, question, answer);
	time_limit(0);
}

/* Returns false if the other end is gone. */
static bool name_answer(const char *symbol)
{
	static char full[DEMANGLE_OUTPUT_MAX + 1];
	const struct itimerval limit = { .it_value.tv_usec = RESOLVER_NAME_TIME / 1000 },
			       none = { .it_value.tv_usec = 0 };
	size_t len;

	setitimer(ITIMER_PROF, &limit, NULL);
	len = demangle_run(symbol, true, full, sizeof(full));
	setitimer(ITIMER_PROF, &none, NULL);
	return send(0, full, len + 1, MSG_NOSIGNAL) >= 0;
}

/* Returns false if the other end is gone. */
static bool offset_answer(struct state *state, const struct resolver_question *question)
{
	static struct resolver_answer answer;
	ssize_t sent;

	question_answer(state, question, &answer);
	sent = send(0, &answer, resolver_answer_size(&answer), MSG_NOSIGNAL);
	/* Where the sysctl net.core.wmem_default is low. */
	if (sent < 0 && errno == EMSGSIZE) {
		answer.inlined_count = 0;
		sent = send(0, &answer, resolver_answer_size(&answer), MSG_NOSIGNAL);
	}
	return sent >= 0;
}

static void answer_all(void)
{
	static struct state state;
	static char symbol[DEMANGLE_INPUT_MAX + 1];
	struct resolver_question question;
	const struct iovec parts[2] = { { &question, sizeof(question) },
					{ symbol, sizeof(symbol) - 1 } };
	struct file *file;
	bool goes_on = true;
	ssize_t n;
	int fds[2];

	while (goes_on &&
	       (n = message_receive(0, parts, 2, fds, 2, 0)) >= (ssize_t)sizeof(question)) {
		symbol[n - (ssize_t)sizeof(question)] = 0;
		switch (question.type) {
		case RESOLVER_ADD:
		case RESOLVER_ADD_LENT:
			file_add(&state, question.file, fds, question.type == RESOLVER_ADD_LENT);
			break;
		case RESOLVER_DROP:
			file = file_find(&state, question.file);
			if (file)
				file_close(file);
			break;
		case RESOLVER_NAME: goes_on = name_answer(symbol); break;
		default: goes_on = offset_answer(&state, &question);
		}
	}
}

/* Apart: to call what never returns, AddressSanitizer asks the kernel what confine() forbids. */
static void answer_all_and_exit(void)
{
	answer_all();
	_exit(0);
}

/* reserved address space; only pages that are touched take memory */
#define STACK_SIZE (256ul * 1024 * 1024)

static _Noreturn void process_run(enum resolver_use use, int socket, uint64_t memory)
{
	ucontext_t context;

	if (getcontext(&context))
		_exit(1);
	if (use == RESOLVER_NAMES) {
		context.uc_stack.ss_size = STACK_SIZE;
		context.uc_stack.ss_sp =
			mmap(NULL, STACK_SIZE, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
		if (context.uc_stack.ss_sp == MAP_FAILED)
			_exit(1);
		makecontext(&context, answer_all_and_exit, 0);
	}
	/*
	 * setcontext() restores the saved signal mask, which would undo what confine() blocks: save
	 * the present one.
	 */
	if (confine(process_names[use], socket, memory, calls, ARRAY_LEN(calls)) ||
	    sigprocmask(SIG_SETMASK, NULL, &context.uc_sigmask))
		_exit(1);
	if (use == RESOLVER_NAMES)
		setcontext(&context);
	else
		answer_all();
	_exit(0);
}

int resolver_process_start(enum resolver_use use, uint64_t memory, pid_t *pid)
{
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		return -errno;
	*pid = fork();
	if (!*pid)
		process_run(use, ends[1], memory);
	close(ends[1]);
	if (*pid > 0)
		return ends[0];
	close(ends[0]);
	return -EAGAIN;
}
