/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How a session ends: what its exit status says about COMMAND, signals, and leaks. With
 * --fail-on-leak an unanswered question is not "no leak": cutop says what is unknown, and fails.
 */
#include "app/session.h"

#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>

#include "cuda/calls.h"
#include "print/text.h"
#include "util/saturated.h"

static void warn_unfound(void *context, const char *request, const char *library, bool found)
{
	const struct session *session = context;

	(void)library;
	if (!found)
		warn_user(&session->notes,
			  "--probe %s: no process that was watched had such a function", request);
}

/*
 * Fails if something could not be seen because of @cause. Returns EXIT_DONE if nothing is missing.
 */
static int unseen_status(const struct session *session, const struct snapshot *snapshot,
			 enum unseen_cause cause)
{
	char text[UNSEEN_SIZE + 64], why[UNSEEN_SIZE];

	if (!text_unseen(snapshot, cause, why))
		return EXIT_DONE;
	snprintf(text, sizeof(text), "--fail-on-leak cannot answer: %s", why);
	return session_fail(session, EXIT_FAILED, text);
}

/* What the tensors of all programs did: bytes that were live at their ends, and of that risen. */
struct tensors {
	uint64_t risen, unjudged;
};

static struct tensors tensors_sum(const struct snapshot *snapshot)
{
	struct tensors sum = { snapshot->gone.tensors_rising, snapshot->gone.tensors_unjudged };
	size_t i;

	for (i = 0; i < snapshot->process_count; i++) {
		const struct snap_process *process = &snapshot->processes[i];

		if (!process->exited)
			continue;
		sum.risen = add_saturated(sum.risen, process->tensors_rising);
		if (!process->tensors_judged)
			sum.unjudged = add_saturated(sum.unjudged, process->tensors_ended);
	}
	return sum;
}

static int leak_status(const struct session *session, const struct snapshot *snapshot)
{
	struct tensors tensors;
	bool any_call, any_lost = false, any_unreturned, any_late, any_running = false,
		       any_unproven, any_unknown;
	size_t i;

	if (!session->options->fail_on_leak)
		return EXIT_DONE;
	if (!snapshot)
		return session_fail(session, EXIT_FAILED, "no memory for the final snapshot");
	if (snapshot->leaked > session->options->leak_bytes)
		return unseen_status(session, snapshot, UNSEEN_FREE) ?: EXIT_LEAK;
	tensors = tensors_sum(snapshot);
	if (tensors.risen > session->options->leak_bytes)
		return EXIT_LEAK;
	any_call = snapshot->gone.calls > 0;
	any_unreturned = snapshot->gone.unreturned;
	any_late = snapshot->gone.from_attach;
	any_unproven = snapshot->gone.held_unproven > 0;
	any_unknown = snapshot->gone.suspect > 0;
	for (i = 0; i < snapshot->process_count; i++) {
		any_call = any_call || snapshot->processes[i].calls;
		any_unreturned = any_unreturned || snapshot->processes[i].unreturned;
		any_late = any_late || snapshot->processes[i].from_attach;
		any_unproven = any_unproven || snapshot->processes[i].held_unproven;
		any_unknown = any_unknown ||
			      (snapshot->processes[i].exited && snapshot->processes[i].suspect);
		any_running = any_running ||
			      (!snapshot->processes[i].exited && snapshot->processes[i].calls);
	}
	for (i = 0; i < LOST_COUNT; i++)
		any_lost = any_lost || (snapshot->lost[i] && !lost_is_names((enum lost_cause)i));
	if (any_lost)
		return session_fail(
			session, EXIT_FAILED,
			"--fail-on-leak cannot answer: events were lost; try a larger --ring-size");
	if (any_unreturned)
		return session_fail(
			session, EXIT_FAILED,
			"--fail-on-leak cannot answer: the returns of some program's calls are not "
			"probed, so that what it allocates is not known");
	if (any_late)
		return session_fail(
			session, EXIT_FAILED,
			"--fail-on-leak cannot answer: some program ran before its CUDA library "
			"was probed; --library names it, or the library, ahead");
	if (unseen_status(session, snapshot, UNSEEN_DRIVER) ||
	    unseen_status(session, snapshot, UNSEEN_LATE) ||
	    unseen_status(session, snapshot, UNSEEN_ALLOC) ||
	    unseen_status(session, snapshot, UNSEEN_LAYER))
		return EXIT_FAILED;
	if (any_running)
		return session_fail(
			session, EXIT_FAILED,
			"--fail-on-leak cannot answer: a program that made CUDA calls has not ended; "
			"let the command wait for its children");
	if (any_unproven)
		return session_fail(
			session, EXIT_FAILED,
			"--fail-on-leak cannot answer: memory of PyTorch's allocator is live at the end, and "
			"nothing shows whether it is its cache or tensors; --leak-ignore 'libc10_cuda*' takes it for the cache");
	if (any_unknown)
		return session_fail(
			session, EXIT_FAILED,
			"--fail-on-leak cannot answer: memory is live at the end that the runtime allocated for "
			"a library that is not known; --stacks shows which");
	if (tensors.unjudged > session->options->leak_bytes)
		return session_fail(
			session, EXIT_FAILED,
			"--fail-on-leak cannot answer: PyTorch's tensors were live at the end, and it ran too short "
			"to tell whether they rise: that takes five times --leak-age, which may be shorter");
	if (!any_call && !session->options->allow_no_cuda)
		return session_fail(
			session, EXIT_FAILED,
			"--fail-on-leak cannot answer: the command made no CUDA call that cutop "
			"saw (--allow-no-cuda, if that is right)");
	return EXIT_DONE;
}

int session_status(struct session *session, const struct snapshot *snapshot)
{
	int status;

	if (session->replay)
		session_replay_tell(session, replay_reader(session->replay));
	/* Only the collector's thread can find these. */
	if (session->extras && session->collector)
		collector_stop(session->collector);
	extra_functions_visit(session->extras, warn_unfound, session);
	if (session->extras && extra_functions_full(session->extras))
		warn_user(&session->notes,
			  "--probe names more than %d functions: some were left out",
			  CUTOP_EXTRA_MAX);
	if (session->recording && !session->ended_by)
		return session->replay_damaged ? EXIT_FAILED : leak_status(session, snapshot);
	/* Recordings normally end by a signal. */
	if (session->options->mode == MODE_RECORD && !session->have_command)
		return EXIT_DONE;
	if (session->options->mode == MODE_DEMO)
		return session->ended_by ? 128 + session->ended_by : EXIT_DONE;
	if (session->have_command && !command_reap(&session->command)) {
		/*
		 * --duration is over, or the user has seen enough. COMMAND is not cutop's to end.
		 */
		warn_user(&session->notes,
			  "the command still runs, unwatched from now on (process %d)",
			  session->command.pid);
		if (session->options->fail_on_leak)
			return session_fail(
				session, EXIT_FAILED,
				"--fail-on-leak cannot answer: the command has not ended");
	} else if (session->have_command) {
		status = command_exit_status(&session->command);
		if (!status)
			status = leak_status(session, snapshot);
		if (status)
			return status;
	}
	return session->ended_by ? 128 + session->ended_by : EXIT_DONE;
}

void session_close(struct session *session)
{
	/* The demonstration's program ends with the session. */
	if (session->options->mode == MODE_DEMO && session->command_started &&
	    !session->command.ended) {
		kill(session->command.pid, SIGKILL);
		waitpid(session->command.pid, NULL, 0);
	}
	collector_free(session->collector);
	session->collector = NULL;
	errands_stop(session->errands);
	session->errands = NULL;
	extra_functions_free(session->extras);
	session->extras = NULL;
	replay_close(session->replay);
	session->replay = NULL;
	serve_close(session->serve);
	session->serve = NULL;
	command_environment_free(session->environment);
	session->environment = NULL;
}
