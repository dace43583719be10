/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a process can do no more after rights_drop(): tried, each in a child that has the
 * capabilities of one that probes.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util/rights.h"
#include "run_tests.h"

static void dropped(void)
{
	struct reason why = { "" };

	if (geteuid()) {
		/* Of a process without rights the kernel refuses some of these itself. */
		exit(0);
	}
	ck_assert_msg(!rights_drop(RIGHTS_PROBE, &why), "%s", why.text);
}

/* The error of the system call @number, whose arguments are all @argument. */
static int error_of(long number, long argument)
{
	return syscall(number, argument, argument, argument, argument, argument, argument) < 0 ?
		       errno :
		       0;
}

TEST(test_calls_are_refused)
{
	static const long calls[] = {
		SYS_execve,
		SYS_process_vm_writev,
		SYS_setns,
		SYS_unshare,
		SYS_mount,
		SYS_open_by_handle_at,
		438 /* pidfd_getfd */,
		SYS_io_uring_setup,
		SYS_io_uring_enter,
		SYS_io_uring_register,
	};
	size_t i;

	/* Without the filter these arguments are wrong in other ways. */
	for (i = 0; i < ARRAY_LEN(calls); i++)
		ck_assert_msg(error_of(calls[i], -1) != EPERM, "system call %ld", calls[i]);
	dropped();
	for (i = 0; i < ARRAY_LEN(calls); i++)
		ck_assert_msg(error_of(calls[i], -1) == EPERM, "system call %ld: %s", calls[i],
			      strerror(errno));
}

/* Forks by clone(2) with @flags. Returns 0, or why it failed. */
static int clone_error(unsigned long flags)
{
	pid_t pid = (pid_t)syscall(SYS_clone, flags | SIGCHLD, 0L, 0L, 0L, 0L);

	if (pid < 0)
		return errno;
	if (!pid)
		_exit(0);
	waitpid(pid, NULL, 0);
	return 0;
}

static int clone3_error(void)
{
	struct {
		unsigned long long flags, pidfd, child_tid, parent_tid, exit_signal, stack,
			stack_size, tls;
	} arguments = { .flags = CLONE_NEWUTS, .exit_signal = SIGCHLD };
	pid_t pid = (pid_t)syscall(SYS_clone3, &arguments, sizeof(arguments));

	if (pid < 0)
		return errno;
	if (!pid)
		_exit(0);
	waitpid(pid, NULL, 0);
	return 0;
}

static void *thread_run(void *argument)
{
	return argument;
}

TEST(test_namespaces_are_refused)
{
	static const unsigned int flags[] = {
		CLONE_NEWNS,   CLONE_NEWCGROUP, CLONE_NEWUTS, CLONE_NEWIPC,
		CLONE_NEWUSER, CLONE_NEWPID,    CLONE_NEWNET, CLONE_NEWUSER | CLONE_NEWNET,
	};
	pthread_t thread;
	void *result;
	size_t i;

	dropped();
	/* A user namespace takes no capability: the filter alone stands before it. */
	for (i = 0; i < ARRAY_LEN(flags); i++)
		ck_assert_msg(clone_error(flags[i]) == EPERM, "clone with flags %#x", flags[i]);
	ck_assert_int_eq(clone3_error(), ENOSYS);
	/* Threads and helpers still start. */
	ck_assert_int_eq(clone_error(0), 0);
	ck_assert_int_eq(pthread_create(&thread, NULL, thread_run, &i), 0);
	ck_assert_int_eq(pthread_join(thread, &result), 0);
	ck_assert_ptr_eq(result, &i);
}
