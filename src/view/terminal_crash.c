/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * When the program crashes, curses cannot be called. What restores the terminal (the string that
 * ends its mode, and the earlier line settings) is prepared at the start, so that the handler only
 * has to call write(2) and tcsetattr(3), which a signal handler may. The signal then takes its
 * usual effect.
 */
#include "view/terminal_crash.h"

#include <curses.h>
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "util/util.h"
#include "view/output.h"

/* Include this last: it defines words like "columns". */
#include <term.h>

#define MOUSE_OFF "\033[?1000l\033[?1002l\033[?1006l"

/*
 * What a crash handler needs. The only state outside a structure: signal handlers get no argument.
 */
static struct {
	volatile sig_atomic_t active;
	struct termios termios;
	char text[256];
	size_t len;
} restore;

static const int crash_signals[] = { SIGSEGV, SIGBUS,  SIGILL, SIGFPE,
				     SIGABRT, SIGQUIT, SIGSYS, SIGTRAP };

static void crash(int number)
{
	int saved = errno;

	if (restore.active) {
		restore.active = 0;
		/* Else it would wait, and nothing but SIGKILL would end the program. */
		if (output_takes(&(struct output){ .fd = STDOUT_FILENO }, 0))
			saved = write(STDOUT_FILENO, restore.text, restore.len) < 0 ? errno : saved;
		tcsetattr(STDIN_FILENO, TCSANOW, &restore.termios);
	}
	errno = saved;
	raise(number); /* its default action, by SA_RESETHAND, when the handler returns */
}

static void restore_add(const char *text)
{
	size_t len = text && text != (const char *)-1 ? strlen(text) : 0;

	/* Padding ("$<5>") is for old terminals; its marks must not be written. */
	if (!len || strchr(text, '$') || restore.len + len >= sizeof(restore.text))
		return;
	memcpy(restore.text + restore.len, text, len);
	restore.len += len;
}

void terminal_crash_prepare(const struct termios *before)
{
	struct sigaction action = { .sa_handler = crash, .sa_flags = SA_RESETHAND };
	size_t i;

	restore.termios = *before;
	restore.len = 0;
	restore_add(MOUSE_OFF);
	restore_add(tigetstr("sgr0"));
	restore_add(tigetstr("rmkx"));
	restore_add(tigetstr("cnorm"));
	restore_add(tigetstr("rmcup"));
	sigemptyset(&action.sa_mask);
	for (i = 0; i < ARRAY_LEN(crash_signals); i++)
		sigaction(crash_signals[i], &action, NULL);
	restore.active = 1;
}

void terminal_crash_forget(void)
{
	size_t i;

	restore.active = 0;
	for (i = 0; i < ARRAY_LEN(crash_signals); i++)
		signal(crash_signals[i], SIG_DFL);
}

void terminal_crash_matters(bool matters)
{
	restore.active = matters;
}
