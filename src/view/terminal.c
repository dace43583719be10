/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The terminal. Curses reads keys and sets its modes. What goes to the screen is written here, by
 * the terminal's description: a canvas is compared with the one shown before, and only cells that
 * differ are written, so nothing flickers.
 */
#include "view/terminal.h"

#include <curses.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>
#include <wchar.h>

#include "util/starter.h"
#include "util/utf8.h"
#include "util/util.h"
#include "view/canvas.h"
#include "view/keys.h"
#include "view/theme.h"
#include "view/view.h"

/* Include this last: it defines words like "columns". */
#include <term.h>
#undef columns
#undef lines

/* ---- output ---- */

/*
 * A terminal that can be written to takes this much without waiting: poll(2) says so for a serial
 * line while fewer than 256 of some 4,096 bytes are queued, and a pseudo-terminal has its space in
 * units of 256. O_NONBLOCK would be the shell's, too, which has the same open file.
 */
#define PIECE 256

/* True if it takes something within @ms. */
static bool output_takes(const struct output *output, int ms)
{
	struct pollfd fd = { .fd = output->fd, .events = POLLOUT };
	int count;

	do
		count = poll(&fd, 1, ms);
	while (count < 0 && errno == EINTR);
	return count > 0;
}

bool output_wait(const struct output *output)
{
	return output_takes(output, 0) ||
	       (output->wait ? output->wait(output->context) : output_takes(output, -1));
}

/* Returns 0, -EAGAIN if something else came first, or another negative errno. */
static int output_write(const struct output *output, const char *data, size_t len)
{
	while (len) {
		ssize_t done;

		if (!output_wait(output))
			return -EAGAIN;
		done = write(output->fd, data, len < PIECE ? len : PIECE);
		if (done < 0 && errno != EINTR && errno != EAGAIN)
			return -errno;
		if (done > 0) {
			data += done;
			len -= (size_t)done;
		}
	}
	return 0;
}

/* ---- rendering ---- */

struct renderer {
	int colors;           /* as theme_look() takes them */
	bool has_own_colors;  /* the terminal can go back to its own */
	bool ends_colors;     /* what ends attributes ends colours, too: ECMA-48 */
	bool is_described;    /* 24-bit colours: by the description */
	bool keeps_last_cell; /* a character in the last cell does not scroll */
	unsigned int lost;    /* attributes that do not go with a colour */
	struct look pen;      /* as last set */
	int row, col;         /* of the cursor; -1: not known */
	char *buffer;         /* what is not yet written */
	size_t used, size;
	bool failed; /* no memory: what is in the buffer has a gap */
};

/* ---- the buffer ---- */

static void bytes_add(struct renderer *renderer, const char *bytes, size_t len)
{
	if (len > renderer->size - renderer->used) {
		size_t size = renderer->size * 2 + len + 16384;
		char *buffer = realloc(renderer->buffer, size);

		if (!buffer) {
			renderer->failed = true;
			return;
		}
		renderer->buffer = buffer;
		renderer->size = size;
	}
	memcpy(renderer->buffer + renderer->used, bytes, len);
	renderer->used += len;
}

/* A string of the description, without its delays: "$<5>" */
static void string_add(struct renderer *renderer, const char *text)
{
	if (!text)
		return;
	while (*text) {
		const char *end = text[0] == '$' && text[1] == '<' ? strchr(text, '>') : NULL;

		if (!end)
			bytes_add(renderer, text, 1);
		text = end ? end + 1 : text + 1;
	}
}

static char *described(const char *name)
{
	char *text = tigetstr(name);

	return text == (char *)-1 ? NULL : text;
}

static void number_add(struct renderer *renderer, const char *name, int number)
{
	char *text = described(name);

	if (text)
		string_add(renderer, tparm(text, number, 0, 0, 0, 0, 0, 0, 0, 0));
}

/* ---- life ---- */

/* Attributes that the terminal cannot show together with a colour: terminfo(5), ncv */
static unsigned int lost_of(int numbers)
{
	return numbers <= 0 ? 0 :
			      (numbers & 2 ? LOOK_UNDERLINE : 0) | (numbers & 32 ? LOOK_BOLD : 0);
}

/* Once curses has read the terminal's description. */
static void renderer_init(struct renderer *renderer, bool colors)
{
	int count = tigetnum("colors");
	const char *plain;
	bool has_rgb = tigetflag("RGB") > 0 || tigetnum("RGB") > 0 || described("RGB");

	memset(renderer, 0, sizeof(*renderer));
	renderer->row = renderer->col = -1;
	renderer->keeps_last_cell = tigetflag("am") <= 0 || tigetflag("xenl") > 0;
	renderer->has_own_colors = described("op") || described("oc");
	renderer->lost = lost_of(tigetnum("ncv"));
	plain = described("sgr0");
	renderer->ends_colors = plain && (strstr(plain, "\033[m") || strstr(plain, "\033[0m"));
	if (!colors || !described("setaf") || !described("setab"))
		return;
	renderer->is_described = has_rgb && count >= COLORS_RGB;
	renderer->colors = theme_colors(count, has_rgb || tigetflag("Tc") > 0, getenv("TERM"),
					getenv("COLORTERM"), getenv("TMUX"));
}

static void renderer_free(struct renderer *renderer)
{
	free(renderer->buffer);
	renderer->buffer = NULL;
	renderer->used = renderer->size = 0;
}

/* ---- colours and the cursor ---- */

static void color_add(struct renderer *renderer, int32_t color, bool is_back)
{
	char text[32];

	if (color == COLOR_DEFAULT)
		return;
	if (!(color & COLOR_RGB)) {
		number_add(renderer, is_back ? "setab" : "setaf", color);
		return;
	}
	color &= COLOR_RGB - 1;
	if (renderer->is_described) {
		number_add(renderer, is_back ? "setab" : "setaf", color);
		return;
	}
	snprintf(text, sizeof(text), "\033[%d;2;%d;%d;%dm", is_back ? 48 : 38, color >> 16,
		 color >> 8 & 255, color & 255);
	bytes_add(renderer, text, strlen(text));
}

static bool same_look(struct look a, struct look b)
{
	return a.fg == b.fg && a.bg == b.bg && a.attributes == b.attributes;
}

static void pen_set(struct renderer *renderer, struct look look)
{
	struct look pen = renderer->pen;

	if (same_look(pen, look))
		return;
	renderer->pen = look;
	/* The terminal's own colour, and no attribute, can only be had by starting anew. */
	if (pen.attributes != look.attributes || (pen.fg != look.fg && look.fg == COLOR_DEFAULT) ||
	    (pen.bg != look.bg && look.bg == COLOR_DEFAULT)) {
		string_add(renderer, described("sgr0"));
		if (!renderer->ends_colors && (pen.fg != COLOR_DEFAULT || pen.bg != COLOR_DEFAULT))
			string_add(renderer, described("op"));
		pen.fg = pen.bg = COLOR_DEFAULT;
		if (look.attributes & LOOK_BOLD)
			string_add(renderer, described("bold"));
		if (look.attributes & LOOK_REVERSE)
			string_add(renderer, described("rev"));
		if (look.attributes & LOOK_UNDERLINE)
			string_add(renderer, described("smul"));
	}
	if (pen.fg != look.fg)
		color_add(renderer, look.fg, false);
	if (pen.bg != look.bg)
		color_add(renderer, look.bg, true);
}

static void pen_reset(struct renderer *renderer)
{
	pen_set(renderer, (struct look){ COLOR_DEFAULT, COLOR_DEFAULT, 0 });
}

static void move_to(struct renderer *renderer, int row, int col)
{
	char *text = described("cup");

	if (renderer->row == row && renderer->col == col)
		return;
	if (renderer->row == row && renderer->col < col && described("cuf"))
		number_add(renderer, "cuf", col - renderer->col);
	else if (text)
		string_add(renderer, tparm(text, row, col, 0, 0, 0, 0, 0, 0, 0));
	renderer->row = row;
	renderer->col = col;
}

/* ---- what is drawn ---- */

/* The whole screen in the terminal's own colours */
static void renderer_clear(struct renderer *renderer)
{
	/* The terminal's state is not known: curses has written, or another program. */
	renderer->pen = (struct look){ COLOR_DEFAULT, COLOR_DEFAULT, 0 };
	string_add(renderer, described("sgr0"));
	if (renderer->colors)
		string_add(renderer, described("op"));
	string_add(renderer, described("clear"));
	renderer->row = renderer->col = -1;
}

static void renderer_line_clear(struct renderer *renderer, int row)
{
	pen_reset(renderer);
	move_to(renderer, row, 0);
	string_add(renderer, described("el"));
}

/* True if every terminal moves its cursor by one cell for @text. */
static bool is_plain_cell(const char *text)
{
	int32_t point;
	size_t len = utf8_next(text, &point);

	return !text[len] && (point < 0x300 || (point >= 0x2190 && point < 0x2300) ||
			      (point >= 0x2500 && point < 0x25a0));
}

/* The cell at @row and @col; @wide: it takes the next one, too. */
static void renderer_cell(struct renderer *renderer, int row, int col, const struct cell *cell,
			  bool wide, struct look look)
{
	const char *text = cell->text[0] ? cell->text : " ";
	int end = col + (wide ? 2 : 1);

	if (!renderer->keeps_last_cell && row == LINES - 1 && end >= COLS)
		return;
	if (!renderer->colors)
		look.fg = look.bg = COLOR_DEFAULT;
	else if (!renderer->has_own_colors) {
		look.fg = look.fg == COLOR_DEFAULT ? COLOR_WHITE : look.fg;
		look.bg = look.bg == COLOR_DEFAULT ? COLOR_BLACK : look.bg;
	}
	if (look.fg != COLOR_DEFAULT || look.bg != COLOR_DEFAULT)
		look.attributes &= (uint8_t)~renderer->lost;
	move_to(renderer, row, col);
	pen_set(renderer, look);
	bytes_add(renderer, text, strlen(text));
	renderer->col = end;
	/* Terminals differ in where the cursor is now: the next cell has to say its place. */
	if (wide || end >= COLS || !is_plain_cell(text))
		renderer->row = renderer->col = -1;
}

/*
 * Writes all that has come since, and leaves the pen plain. False: something is missing on the
 * screen.
 */
static bool renderer_flush(struct renderer *renderer, const struct output *output)
{
	bool failed;

	pen_reset(renderer);
	failed = output_write(output, renderer->buffer, renderer->used) || renderer->failed;
	renderer->failed = false;
	renderer->used = 0;
	return !failed;
}

/* ---- crashes ---- */

#define LAST_WAIT 2000 /* ms that a terminal has to take what restores it */

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
		/* Else it would wait for good, and nothing but SIGKILL would end the program. */
		if (output_takes(&(struct output){ .fd = STDOUT_FILENO }, LAST_WAIT))
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

/*
 * From now on, a signal that ends the program by a fault restores the terminal first: the line
 * settings @before, and what ends curses' mode. Curses has to know the terminal.
 */
static void terminal_crash_prepare(const struct termios *before)
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

static void terminal_crash_forget(void)
{
	size_t i;

	restore.active = 0;
	for (i = 0; i < ARRAY_LEN(crash_signals); i++)
		signal(crash_signals[i], SIG_DFL);
}

/* False while the screen is not shown, and the terminal is another program's. */
static void terminal_crash_matters(bool matters)
{
	restore.active = matters;
}

/* ---- the terminal ---- */

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
