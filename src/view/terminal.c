/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The terminal. Curses reads keys and sets its modes; the screen is written by the renderer. A
 * canvas is compared with the one shown before, and only cells that differ are written: nothing
 * flickers.
 */
#include "view/terminal.h"

#include <curses.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>
#include <wchar.h>

#include "util/starter.h"
#include "util/util.h"
#include "view/keys.h"
#include "view/renderer.h"
#include "view/terminal_crash.h"
#include "view/view.h"
#include "util/utf8.h"

/* Include this last: it defines words like "columns". */
#include <term.h>
#undef columns
#undef lines

#define DOUBLE_CLICK  (400 * NSEC_PER_MSEC)
#define SEQUENCE_MAX  128 /* bytes after an escape; curses can take as many back */
#define SEQUENCE_WAIT 25  /* ms */
#define MOUSE_EVENTS  8   /* as many as curses keeps: EV_MAX of its curses.priv.h */

struct terminal {
	SCREEN *screen;
	const struct output *output;
	struct renderer renderer;
	struct canvas shown;
	const struct theme *theme;
	bool mouse;
	bool to_resize;               /* when it takes output again */
	struct termios before, modes; /* before the screen came, and while it is shown */
	uint64_t click_time;          /* of the last click: ns, CLOCK_MONOTONIC, and where */
	int click_row, click_col;
	MEVENT mouse_events[MOUSE_EVENTS]; /* events that came in one read, the last first */
	int mouse_count;
};

/* ---- life ---- */

static void modes_set(struct terminal *terminal)
{
	struct termios modes;

	cbreak();
	noecho();
	nonl();
	intrflush(stdscr, FALSE);
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	curs_set(0);
	leaveok(stdscr, TRUE);
	set_escdelay(25);
	/*
	 * After a mouse event that was not asked for (a button is released, a wheel is tilted)
	 * curses reads on without checking whether there is more input. That read(2) must not
	 * block.
	 */
	if (!tcgetattr(STDIN_FILENO, &modes)) {
		modes.c_cc[VMIN] = 0;
		modes.c_cc[VTIME] = 0;
		/* A key like others: COMMAND, which runs in the same terminal, is not to be ended. */
		modes.c_cc[VINTR] = _POSIX_VDISABLE;
		tcsetattr(STDIN_FILENO, TCSANOW, &modes);
		def_prog_mode(); /* they are restored after a stop */
		terminal->modes = modes;
	}
}

/*
 * Variables that say where terminal descriptions are. If cutop has rights that the starting user
 * lacks, only the system's descriptions are read: curses checks this itself, but not for rights
 * from file capabilities.
 */
static void descriptions_distrust(void)
{
	static const char *const names[] = { "TERMINFO", "TERMINFO_DIRS", "HOME" };
	size_t i;

	for (i = 0; starter_has_less() && i < ARRAY_LEN(names); i++)
		if (getenv(names[i]))
			unsetenv(names[i]);
}

/* Curses would end the program for an unknown terminal; we say what to do instead. */
int terminal_check(struct reason *why)
{
	const char *name = getenv("TERM"), *move;
	int err = 0;

	descriptions_distrust();
	if (!name || !*name)
		return reason_set(why, -ENOTTY, "TERM is not set; use --batch (-b), or set it");
	if (setupterm(name, STDOUT_FILENO, &err) != OK)
		return reason_set(
			why, -ENOTTY,
			"the terminal '%s' is not known here; use --batch (-b), or set TERM=xterm",
			name);
	move = tigetstr("cup");
	err = !move || move == (const char *)-1;
	del_curterm(cur_term);
	if (err)
		return reason_set(why, -ENOTTY,
				  "the terminal '%s' cannot place its cursor; use --batch (-b)",
				  name);
	return 0;
}

int terminal_open(struct terminal **result, const struct output *output, bool colors,
		  struct reason *why)
{
	struct terminal *terminal;
	int err = terminal_check(why);

	if (err)
		return err;
	terminal = calloc(1, sizeof(*terminal));
	if (!terminal)
		return reason_set(why, -ENOMEM, "no memory");
	if (tcgetattr(STDIN_FILENO, &terminal->before)) {
		err = reason_set(why, -errno, "cannot read the terminal's settings: %s",
				 strerror(errno));
		free(terminal);
		return err;
	}
	terminal->screen = newterm(NULL, stdout, stdin);
	if (!terminal->screen) {
		free(terminal);
		return reason_set(why, -ENOTTY, "cannot open the terminal");
	}
	terminal->output = output;
	terminal_crash_prepare(&terminal->before);
	modes_set(terminal);
	renderer_init(&terminal->renderer, colors);
	clear();
	refresh();
	*result = terminal;
	return 0;
}

/*
 * On a terminal without an alternate screen, clear the last line, so that the shell's output does
 * not mix with ours.
 */
static void last_line_clear(struct terminal *terminal)
{
	const char *apart = tigetstr("rmcup");

	if (apart && apart != (const char *)-1)
		return;
	renderer_line_clear(&terminal->renderer, LINES - 1);
	renderer_flush(&terminal->renderer, terminal->output);
}

#define LAST_WAIT 200 /* ms that the terminal has to take what restores it */

/*
 * Curses would wait for a terminal that takes no output. If Ctrl-S has stopped it, it goes on as
 * soon as that key means nothing.
 */
static bool takes_the_end(const struct terminal *terminal)
{
	struct termios modes;

	if (output_takes(terminal->output, LAST_WAIT))
		return true;
	if (tcgetattr(STDIN_FILENO, &modes))
		return false;
	modes.c_iflag &= ~(tcflag_t)IXON;
	tcsetattr(STDIN_FILENO, TCSANOW, &modes);
	return output_takes(terminal->output, LAST_WAIT);
}

bool terminal_close(struct terminal *terminal)
{
	bool takes;

	if (!terminal)
		return true;
	takes = takes_the_end(terminal);
	if (takes) {
		terminal_mouse(terminal, false);
		last_line_clear(terminal);
		endwin();
	}
	tcsetattr(STDIN_FILENO, TCSANOW, &terminal->before);
	terminal_crash_forget();
	delscreen(terminal->screen);
	canvas_free(&terminal->shown);
	renderer_free(&terminal->renderer);
	free(terminal);
	return takes;
}

void terminal_mouse(struct terminal *terminal, bool on)
{
	if (terminal->mouse == on)
		return;
	terminal->mouse = on;
	mouseinterval(0); /* report clicks at once */
	mousemask(on ? BUTTON1_PRESSED | BUTTON4_PRESSED | BUTTON5_PRESSED : 0, NULL);
}

void terminal_size(const struct terminal *terminal, int *rows, int *cols)
{
	(void)terminal;
	*rows = LINES;
	*cols = COLS;
}

void terminal_resize(struct terminal *terminal)
{
	struct winsize size;

	terminal->to_resize = !output_takes(terminal->output, 0);
	if (terminal->to_resize)
		return;
	if (!ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_row && size.ws_col)
		resizeterm(size.ws_row, size.ws_col);
	canvas_free(&terminal->shown);
	/* At once: what curses has to clear, it would else clear when the next key is read. */
	clearok(stdscr, TRUE);
	erase();
	refresh();
}

/*
 * Stops this process as Ctrl-Z stops others: by SIGTSTP. Where no shell could continue it (its
 * process group is orphaned: ssh -t HOST cutop, xterm -e cutop) the kernel ignores that signal,
 * unlike SIGSTOP.
 */
static void stop(void)
{
	struct sigaction action = { .sa_handler = SIG_DFL }, before;
	sigset_t set, masked;

	sigemptyset(&set);
	sigaddset(&set, SIGTSTP);
	sigaction(SIGTSTP, &action, &before);
	raise(SIGTSTP);
	pthread_sigmask(SIG_UNBLOCK, &set, &masked); /* it stops here */
	pthread_sigmask(SIG_SETMASK, &masked, NULL);
	sigaction(SIGTSTP, &before, NULL);
}

void terminal_suspend(struct terminal *terminal)
{
	def_prog_mode();
	if (output_takes(terminal->output, 0)) {
		mousemask(0, NULL);
		endwin();
	} else {
		tcsetattr(STDIN_FILENO, TCSANOW, &terminal->before);
	}
	terminal_crash_matters(false);
	stop();
	terminal_crash_matters(true);
	terminal_continue(terminal);
}

void terminal_continue(struct terminal *terminal)
{
	bool mouse = terminal->mouse;

	/* Curses writes at once what the terminal needs, and would wait. */
	terminal->to_resize = !output_takes(terminal->output, 0);
	if (terminal->to_resize) {
		tcsetattr(STDIN_FILENO, TCSANOW, &terminal->modes);
		return;
	}
	reset_prog_mode();
	terminal_resize(terminal);
	if (terminal->to_resize)
		return;
	terminal_mouse(terminal, false);
	terminal_mouse(terminal, mouse);
}

/* ---- input ---- */

static int32_t special_key(wint_t code)
{
	static const struct {
		wint_t code;
		int32_t key;
	} keys[] = {
		{ KEY_UP, K_UP },
		{ KEY_DOWN, K_DOWN },
		{ KEY_LEFT, K_LEFT },
		{ KEY_RIGHT, K_RIGHT },
		{ KEY_PPAGE, K_PAGE_UP },
		{ KEY_NPAGE, K_PAGE_DOWN },
		{ KEY_HOME, K_HOME },
		{ KEY_END, K_END },
		{ KEY_FIND, K_HOME },
		{ KEY_SELECT, K_END },
		{ KEY_BTAB, K_BACK_TAB },
		{ KEY_ENTER, K_ENTER },
		{ KEY_BACKSPACE, K_BACKSPACE },
		{ KEY_DC, K_DELETE },
	};

	if (code >= KEY_F(1) && code <= KEY_F(10))
		return K_F1 + (int32_t)(code - KEY_F(1));
	for (size_t i = 0; i < ARRAY_LEN(keys); i++)
		if (keys[i].code == code)
			return keys[i].key;
	return 0;
}

static int32_t plain_key(wint_t character)
{
	switch (character) {
	case '\t': return K_TAB;
	case '\r':
	case '\n': return K_ENTER;
	case 27: return K_ESCAPE;
	case 127:
	case 8: return K_BACKSPACE;
	default: return (int32_t)character;
	}
}

/*
 * Detects two clicks at one place in quick succession. Curses would delay every click to find out.
 */
static bool is_double(struct terminal *terminal, int row, int col)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);
	bool result = row == terminal->click_row && col == terminal->click_col &&
		      now - terminal->click_time < DOUBLE_CLICK;

	terminal->click_time = result ? 0 : now;
	terminal->click_row = row;
	terminal->click_col = col;
	return result;
}

/*
 * Curses announces events that came in one read only once, and returns the last one first: reverse
 * them.
 */
static void mouse_read(struct terminal *terminal)
{
	terminal->mouse_count = 0;
	while (terminal->mouse_count < MOUSE_EVENTS &&
	       getmouse(&terminal->mouse_events[terminal->mouse_count]) == OK)
		terminal->mouse_count++;
}

/* Returns false if there is no further event that means anything. */
static bool mouse_next(struct terminal *terminal, struct terminal_event *event)
{
	while (terminal->mouse_count) {
		const MEVENT *mouse = &terminal->mouse_events[--terminal->mouse_count];

		event->kind = EVENT_MOUSE;
		event->row = mouse->y;
		event->col = mouse->x;
		if (mouse->bstate & BUTTON4_PRESSED)
			event->mouse = MOUSE_WHEEL_UP;
		else if (mouse->bstate & BUTTON5_PRESSED)
			event->mouse = MOUSE_WHEEL_DOWN;
		else if (mouse->bstate & BUTTON1_PRESSED)
			event->mouse = is_double(terminal, mouse->y, mouse->x) ? MOUSE_DOUBLE :
										 MOUSE_CLICK;
		else
			continue;
		return true;
	}
	return false;
}

/*
 * Reads a character that has come already, or, with @wait, one that comes at once; 0 if there is
 * none.
 */
static wint_t sequence_next(bool wait)
{
	struct pollfd input = { .fd = STDIN_FILENO, .events = POLLIN };
	wint_t code;
	int what = get_wch(&code);

	if (what == ERR && wait && poll(&input, 1, SEQUENCE_WAIT) > 0)
		what = get_wch(&code);
	if (what == KEY_CODE_YES)
		ungetch((int)code);
	return what == OK ? code : 0;
}

/* True if @text, which followed an escape, is a whole sequence (ECMA-48): CSI, SS3 or OSC. */
static bool sequence_ends(const wint_t *text, size_t len)
{
	wint_t last = text[len - 1];

	switch (text[0]) {
	case '[':
		/*
		 * A key of the Linux console; or the old mouse protocol, with three bytes after it.
		 */
		if (len > 1 && (text[1] == '[' || text[1] == 'M'))
			return len == (text[1] == '[' ? 3 : 5);
		return len > 1 && last >= 0x40 && last <= 0x7e;
	case 'O': return len > 1;
	default: return last == 7 || (len > 2 && last == '\\' && text[len - 2] == 27);
	}
}

/*
 * An escape has come that begins no key known to curses: the Escape key, a key that this terminal's
 * description lacks, or pasted text. The letters of a sequence are not keys; if it is no sequence,
 * what was read is treated as keys.
 */
static bool sequence_skip(void)
{
	wint_t text[SEQUENCE_MAX];
	size_t len = 0;

	while (len < SEQUENCE_MAX) {
		wint_t code = sequence_next(len > 0);

		if (!code)
			break;
		text[len++] = code;
		if (len == 1 && code != '[' && code != 'O' && code != ']')
			break;
		if (sequence_ends(text, len))
			return true;
	}
	while (len)
		unget_wch((wchar_t)text[--len]);
	return false;
}

bool terminal_event(struct terminal *terminal, struct terminal_event *event)
{
	wint_t code;

	for (;;) {
		int what;

		memset(event, 0, sizeof(*event));
		if (mouse_next(terminal, event))
			return true;
		memset(event, 0, sizeof(*event));
		what = get_wch(&code);
		if (what == ERR)
			return false;
		if (what == OK && code == 27 && sequence_skip())
			continue;
		if (what != KEY_CODE_YES)
			event->key = plain_key(code);
		else if (code == KEY_MOUSE)
			mouse_read(terminal);
		else
			event->key = special_key(code);
		if (event->key)
			return true;
	}
}

/* ---- output ---- */

static bool same_cell(const struct cell *a, const struct cell *b)
{
	return a->style == b->style && a->flags == b->flags && !strcmp(a->text, b->text);
}

/* False says nothing: what is behind a text may differ. */
static bool same_bytes(const struct canvas *a, const struct canvas *b, int row)
{
	return !memcmp(canvas_cell(a, row, 0), canvas_cell(b, row, 0),
		       (size_t)a->cols * sizeof(struct cell));
}

bool terminal_ready(struct terminal *terminal)
{
	if (!output_wait(terminal->output))
		return false;
	if (terminal->to_resize)
		terminal_continue(terminal);
	return !terminal->to_resize;
}

bool terminal_show(struct terminal *terminal, const struct canvas *canvas,
		   const struct theme *theme)
{
	struct renderer *renderer = &terminal->renderer;
	struct canvas *shown = &terminal->shown;
	bool all = shown->rows != canvas->rows || shown->cols != canvas->cols || !shown->cells ||
		   terminal->theme != theme;
	int row, col;

	if (all && canvas_resize(shown, canvas->rows, canvas->cols))
		return true;
	if (all)
		renderer_clear(renderer);
	terminal->theme = theme;
	for (row = 0; row < canvas->rows && row < LINES; row++) {
		if (!all && same_bytes(canvas, shown, row))
			continue;
		for (col = 0; col < canvas->cols && col < COLS; col++) {
			const struct cell *cell = canvas_cell(canvas, row, col);
			struct cell *before = canvas_cell(shown, row, col);

			/* What is cleared has the terminal's own colours, if it has any. */
			if (same_cell(cell, before) && (!all || renderer->has_own_colors))
				continue;
			*before = *cell;
			if (cell->text[0])
				renderer_cell(renderer, row, col, cell,
					      col + 1 < canvas->cols && !cell[1].text[0],
					      theme_look(theme, renderer->colors, cell->style,
							 cell->flags));
		}
	}
	if (renderer_flush(renderer, terminal->output))
		return true;
	canvas_free(shown); /* all of it again */
	return false;
}
