/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The options and the modes. A test compares the man page and the completions with these tables. */
#include "cli/option_table.h"

#include <string.h>

#include "cli/option_values.h"
#include "util/util.h"

#define HELP_MIN 50 /* cells; on a narrower terminal, the terminal wraps */
#define HELP_MAX 109

/* clang-format off */
const struct option_entry option_table[] = {
	{ 'b', "batch", NULL, IN_SHOWING, "print snapshots to standard output, no screen" },
	{ 'n', "iterations", "N", IN_SHOWING | IN_TRACE, "stop after N snapshots, or lines of a trace (with COMMAND: until it ends)" },
	{ 'd', "delay", "SECONDS", IN_SHOWING, "time between snapshots, decimals allowed (default 1)" },
	{ OPTION_DURATION, "duration", "SECONDS", IN_SHOWING | IN_TRACE, "stop after this time" },
	{ 'f', "format", "FORMAT", IN_ALL, "" },
	{ OPTION_FOLDED_BY, "folded-by", "WHAT", IN_SHOWING, "folded: " },
	{ 'o', "output", "FILE", IN_ALL, "write there, not to standard output; record: the recording" },
	{ OPTION_LISTEN, "listen", "[ADDR:]PORT", IN_SHOWING, "serve metrics for Prometheus there (default address 127.0.0.1)" },
	{ OPTION_TOP_KERNELS, "top-kernels", "N", IN_SHOWING, "kernels named in metrics, per process (default 20)" },
	{ OPTION_TOP_SITES, "top-sites", "N", IN_SHOWING, "call sites in metrics, per process, of leaks and of tensors (default 10)" },
	{ OPTION_REPLAY, "replay", "FILE", IN_WATCH | IN_TRACE | IN_REPLAY, "show a recording, on the screen, with --batch, or as a trace" },
	{ 'p', "pid", "PID[,PID...]", IN_PROBING | IN_REPLAY, "only these processes" },
	{ 'u', "user", "USER", IN_SHOWING | IN_TRACE, "only this user's processes" },
	{ 'c', "command", "GLOB", IN_SHOWING | IN_TRACE, "only processes whose command matches" },
	{ 's', "sort", "COLUMN[,...]", IN_SHOWING, "sort by these columns (default live); 'help' lists them" },
	{ 'r', "reverse", NULL, IN_SHOWING, "reverse the sort order" },
	{ 'l', "layer", "LAYER", IN_PROBING, "what to probe: runtime, driver, or both (default: both, but of launches only what it takes)" },
	{ OPTION_CALLS, "calls", "GROUP[,...]", IN_PROBING, "functions to probe: default, all, or names; 'help' lists them" },
	{ OPTION_EXACT, "exact-launches", NULL, IN_SNAPSHOTS, "time every launch, not a sample; failures become exact" },
	{ OPTION_RETURNS, "returns", "WHEN", IN_SNAPSHOTS | IN_TRACE, "probe returns: auto (where it does no harm), always or never" },
	{ OPTION_NO_SINGLE_STEP, "no-single-step", NULL, IN_PROBING, "leave out functions whose probe would be single-stepped" },
	{ OPTION_STACKS, "stacks", "[=WHEN]", IN_SNAPSHOTS | IN_TRACE, "native stacks of calls: auto (default), of allocations, always (with --launch-sites), never; trace: below each line" },
	{ OPTION_SITE_SKIP, "site-skip", "GLOB", IN_SNAPSHOTS, "functions, files that match are not shown as call sites, as wrappers and installed packages are not" },
	{ OPTION_LAUNCH_SITES, "launch-sites", NULL, IN_SNAPSHOTS, "where kernels are launched, from a sample, and where threads wait" },
	{ OPTION_TENSOR_SITES, "tensor-sites", "WHICH", IN_SNAPSHOTS, "where tensors are made: of all, or of a sample (default), by their bytes" },
	{ OPTION_BUDGET, "budget", "PERCENT", IN_SNAPSHOTS, "what a program may pay of its processor time before less of it is watched (default 10; no limit, 0, with COMMAND and record)" },
	{ OPTION_NO_PYTHON, "no-python", NULL, IN_SNAPSHOTS | IN_TRACE, "native call sites in Python programs, too" },
	{ OPTION_LEAK_AGE, "leak-age", "SECONDS", IN_SHOWING, "first window of the rising-floor test (default 10)" },
	{ OPTION_LEAK_IGNORE, "leak-ignore", "GLOB", IN_SNAPSHOTS, "memory allocated in such libraries is held, not leaked" },
	{ OPTION_FAIL_ON_LEAK, "fail-on-leak", "[=BYTES]", IN_SHOWING, "exit 3 if COMMAND leaked (more than BYTES), 1 if that cannot be told" },
	{ OPTION_ALLOW_NO_CUDA, "allow-no-cuda", NULL, IN_SHOWING, "with --fail-on-leak: no CUDA call at all is fine" },
	{ OPTION_MAP, "map", "N|all|none", IN_SHOWING, "allocations listed per process, largest first (default 1000; text: none)" },
	{ OPTION_RUN_AS, "run-as", "USER", IN_SNAPSHOTS | IN_TRACE, "run COMMAND as USER (default: who called sudo)" },
	{ OPTION_LIBRARY, "library", "PATH", IN_PROBING, "probe this library or program too" },
	{ OPTION_PROBE, "probe", "LIBRARY:SYMBOL", IN_SNAPSHOTS | IN_TRACE, "count and time any further function, or those that a glob names" },
	{ OPTION_RING_SIZE, "ring-size", "BYTES", IN_PROBING, "ring buffer, a power of two, K or M (default 16M, every call 64M)" },
	{ OPTION_NAMES_MEMORY, "names-memory", "BYTES", IN_PROBING, "memory for functions' names from files, K or M (default 128M)" },
	{ OPTION_TRACE, "trace", NULL, IN_RECORD, "record: every call as well, for cutop trace --replay" },
	{ 't', "no-time", NULL, IN_TRACE | IN_REPLAY, "trace: lines without the time" },
	{ 'E', "entries", NULL, IN_TRACE, "trace: a line at each call's entry, and no return probes" },
	{ OPTION_PAIRS, "pairs", NULL, IN_TRACE, "trace: a line at each call's entry and one at its return" },
	{ OPTION_ARGS, "args", NULL, IN_TRACE | IN_RECORD, "trace: with the arguments of kernels, the first 16" },
	{ 'C', "color", "WHEN", IN_ALL & ~IN_TRACE, "auto (default), always or never" },
	{ OPTION_ASCII, "ascii", NULL, IN_ALL & ~IN_TRACE, "no characters beyond ASCII" },
	{ OPTION_THEME, "theme", "NAME", IN_SCREEN, "colours of the screen: default, mono, colorblind or light" },
	{ OPTION_NO_MOUSE, "no-mouse", NULL, IN_SCREEN, "leave the mouse to the terminal" },
	{ OPTION_READONLY, "readonly", NULL, IN_SCREEN, "no signals from the screen" },
	{ OPTION_NO_CONFIG, "no-config", NULL, IN_SCREEN, "neither read nor save settings" },
	{ OPTION_CONFIG, "config", "FILE", IN_SCREEN, "settings file (default $XDG_CONFIG_HOME/cutop/cutoprc)" },
	{ 'v', "verbose", NULL, IN_ALL, "say on standard error what is attached, and why something is not" },
	{ 'h', "help", NULL, IN_ALL, "print this" },
	{ 'V', "version", NULL, IN_ALL, "print the version" },
};
/* clang-format on */

const size_t option_count = ARRAY_LEN(option_table);
_Static_assert(ARRAY_LEN(option_table) <= OPTION_MAX, "more options than OPTION_MAX");

#define PRINTS(formats) (0 formats(FORMAT_BIT))

const struct mode_entry mode_table[MODE_COUNT] = {
	[MODE_WATCH] = { .formats = PRINTS(SNAPSHOT_FORMATS),
			 .takes_command = true,
			 .has_screen = true },
	[MODE_DEMO] = { .word = "demo", .formats = PRINTS(SNAPSHOT_FORMATS), .has_screen = true },
	[MODE_DOCTOR] = { .word = "doctor", .formats = PRINTS(DOCTOR_FORMATS) },
	[MODE_TRACE] = { .word = "trace", .formats = PRINTS(TRACE_FORMATS), .takes_command = true },
	[MODE_RECORD] = { .word = "record",
			  .formats = PRINTS(SNAPSHOT_FORMATS),
			  .takes_command = true },
};

bool option_is_optional(const struct option_entry *option)
{
	return option->argument && !strncmp(option->argument, "[=", 2);
}

/*
 * Appends the @names of the bits in @which to @out; bit 0 is the default.
 */
static void choices_add(char *out, size_t size, const char *before, const char *const *names,
			unsigned int which)
{
	for (unsigned int i = 0; which >> i; i++) {
		size_t len = strlen(out);

		if (!(which >> i & 1))
			continue;
		snprintf(out + len, size - len, "%s%s%s", before, names[i], i ? "" : " (default)");
		before = ", ";
	}
}

static const char *help_of(const struct option_entry *option, char *out, size_t size)
{
	unsigned int formats = mode_table[MODE_WATCH].formats;

	snprintf(out, size, "%s", option->help);
	if (option->code == 'f') {
		choices_add(out, size, "", format_names, formats);
		choices_add(out, size, "; trace: also ", format_names,
			    mode_table[MODE_TRACE].formats & ~formats);
	} else if (option->code == OPTION_FOLDED_BY) {
		choices_add(out, size, "", folded_weight_names, (1u << FOLDED_WEIGHT_COUNT) - 1);
	}
	return out;
}

/*
 * Prints @text, which begins at cell @at, and indents it to there after each line break at @cols.
 */
static void wrapped_print(FILE *out, int at, int cols, const char *text)
{
	int cell = at;

	for (size_t len; *text; text += len + strspn(text + len, " ")) {
		len = strcspn(text, " ");
		if (cell > at && cell + 1 + (int)len > cols) {
			fprintf(out, "\n%*s", at, "");
			cell = at;
		} else if (cell > at) {
			fputc(' ', out);
			cell++;
		}
		fwrite(text, 1, len, out);
		cell += (int)len;
	}
	fputc('\n', out);
}

static void modes_print(FILE *out, int cols)
{
	static const struct {
		const char *call, *help;
	} modes[] = {
		{ "trace [-- COMMAND ...]", "a line per call, as it returns" },
		{ "record -o FILE [-- COMMAND ...]",
		  "write a recording; cutop --replay FILE shows one" },
		{ "demo", "a live view of a built-in workload; needs no GPU" },
		{ "doctor [-p PID]", "what works here, and what to do about what does not" },
	};

	for (size_t i = 0; i < ARRAY_LEN(modes); i++) {
		fprintf(out, "       cutop %-33s ", modes[i].call);
		wrapped_print(out, 47, cols, modes[i].help);
	}
}

void help_print(FILE *out)
{
	int width = stream_width(out),
	    cols = width > HELP_MIN && width < HELP_MAX ? width : HELP_MAX;
	char left[64], help[256];
	size_t i;

	fprintf(out, "Usage: cutop [OPTIONS] [-- COMMAND [ARGS]...]\n");
	wrapped_print(
		out, 0, cols,
		"Show what CUDA programs do to the GPU: allocations, launches, copies, failed calls, leaks.");
	wrapped_print(
		out, 0, cols,
		"With COMMAND, start it under watch from its first call, and watch only it and its children.");
	fputc('\n', out);
	modes_print(out, cols);
	fputc('\n', out);
	for (i = 0; i < option_count; i++) {
		const struct option_entry *o = &option_table[i];
		bool optional = option_is_optional(o);

		if (o->code < 256)
			snprintf(left, sizeof(left), "-%c, --%s%s%s", o->code, o->name,
				 o->argument ? " " : "", o->argument ? o->argument : "");
		else
			snprintf(left, sizeof(left), "    --%s%s%s", o->name,
				 o->argument && !optional ? " " : "",
				 o->argument ? o->argument : "");
		fprintf(out, "  %-28s ", left);
		wrapped_print(out, 31, cols, help_of(o, help, sizeof(help)));
	}
	fputc('\n', out);
	wrapped_print(
		out, 0, cols,
		"Exit status: 0 done; 1 could not do it; 2 usage; with COMMAND its own status when not zero "
		"(128+n if a signal ended it, 127 not found, 126 not executable), else 3 if --fail-on-leak found a leak.");
}

/* How the user writes a mode. */
static const char *mode_name(enum program_mode mode)
{
	return mode_table[mode].word ? mode_table[mode].word : "--batch";
}

/* NULL: no such option. */
static const struct option_entry *option_find(int code)
{
	size_t i;

	for (i = 0; i < option_count; i++)
		if (option_table[i].code == code)
			return &option_table[i];
	return NULL;
}

int mode_takes_option(enum program_mode mode, int code)
{
	const struct option_entry *option = option_find(code);

	if (!option || option->modes & 1u << mode)
		return 0;
	return usage_error("'cutop %s' takes no --%s", mode_name(mode), option->name);
}

bool replay_takes_option(int code)
{
	const struct option_entry *option = option_find(code);

	return !option || option->modes & IN_REPLAY;
}

void replay_refuses(int code)
{
	usage_error(
		"--%s does not go with --replay: nothing is watched, and what was recorded stands",
		option_find(code)->name);
}

int mode_prints(enum program_mode mode, enum format format)
{
	unsigned int left = mode_table[mode].formats;
	char list[128] = "";
	size_t i;

	if (left & 1u << format)
		return 0;
	for (i = 0; i < FORMAT_COUNT; i++) {
		size_t len = strlen(list);

		if (!(left & 1u << i))
			continue;
		left &= ~(1u << i);
		snprintf(list + len, sizeof(list) - len, "%s%s",
			 !len ? "" :
			 left ? ", " :
				" or ",
			 format_names[i]);
	}
	return usage_error("'cutop %s' prints %s", mode_name(mode), list);
}
