/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The options and the modes. A test compares the man page and the completions with these tables. */
#include "cli/option_table.h"

#include <string.h>

#include "cli/option_values.h"
#include "util/util.h"

#define HELP_MIN 50 /* cells; on a narrower terminal, the terminal wraps */
#define HELP_MAX 109

static const char *const returns_names[] = {
	[RETURNS_AUTO] = "auto", [RETURNS_ALWAYS] = "always", [RETURNS_NEVER] = "never"
};
static const char *const tensor_site_names[] = { "sample", "all" };
static const char *const color_names[] = { "auto", "always", "never" };

#define MEMBER(name) \
	.member = offsetof(struct options, name), .size = sizeof(((struct options *)0)->name)
#define FLAG(member) .store = STORE_FLAG, MEMBER(member)
#define TEXT(member) .store = STORE_TEXT, MEMBER(member)
#define TEXTS(member, count) \
	.store = STORE_TEXTS, MEMBER(member), .counter = offsetof(struct options, count)
#define COUNT(member, from, to) .store = STORE_COUNT, MEMBER(member), .least = (from), .most = (to)
#define SECONDS(member, from)   .store = STORE_SECONDS, MEMBER(member), .least = (from)
#define CHOICE(member, table) \
	.store = STORE_CHOICE, MEMBER(member), .names = (table), .most = ARRAY_LEN(table)
#define CASE          .store = STORE_BY_CASE
#define GIVEN(member) .given = offsetof(struct options, member)

/* clang-format off */
const struct option_entry option_table[] = {
	{ 'b', "batch", NULL, IN_SHOWING, "print snapshots to standard output, no screen", FLAG(batch) },
	{ 'n', "iterations", "N", IN_SHOWING | IN_TRACE, "stop after N snapshots, or lines of a trace (with COMMAND: until it ends)", COUNT(iterations, 1, UINT64_MAX) },
	{ 'd', "delay", "SECONDS", IN_SHOWING, "time between snapshots, decimals allowed (default 1)", SECONDS(delay, DELAY_SECONDS_MIN), GIVEN(delay_given) },
	{ 0, "duration", "SECONDS", IN_SHOWING | IN_TRACE, "stop after this time", SECONDS(duration, 0.01) },
	{ 'f', "format", "FORMAT", IN_ALL, "", CHOICE(format, format_names), GIVEN(format_given) },
	{ OPTION_FOLDED_BY, "folded-by", "WHAT", IN_SHOWING, "folded: ", CHOICE(folded_by, folded_weight_names), GIVEN(folded_given) },
	{ 'o', "output", "FILE", IN_ALL, "write there, not to standard output; record: the recording", CASE },
	{ OPTION_LISTEN, "listen", "[ADDR:]PORT", IN_SHOWING, "serve metrics for Prometheus there (default address 127.0.0.1)", CASE },
	{ 0, "top-kernels", "N", IN_SHOWING, "kernels named in metrics, per process (default 20)", COUNT(metrics_limits.kernels, 0, KERNELS_SHOWN_MAX), GIVEN(kernels_given) },
	{ 0, "top-sites", "N", IN_SHOWING, "call sites in metrics, per process, of leaks and of tensors (default 10)", COUNT(metrics_limits.sites, 0, SITES_SHOWN_MAX), GIVEN(sites_given) },
	{ 0, "replay", "FILE", IN_WATCH | IN_TRACE | IN_REPLAY, "show a recording, on the screen, with --batch, or as a trace", TEXT(replay) },
	{ 'p', "pid", "PID[,PID...]", IN_PROBING | IN_REPLAY, "only these processes", CASE },
	{ 'u', "user", "USER", IN_SHOWING | IN_TRACE, "only this user's processes", CASE },
	{ 'c', "command", "GLOB", IN_SHOWING | IN_TRACE, "only processes whose command matches", TEXT(command_glob) },
	{ 's', "sort", "COLUMN[,...]", IN_SHOWING, "sort by these columns (default live); 'help' lists them", TEXT(sort_text), GIVEN(sort_given) },
	{ 'r', "reverse", NULL, IN_SHOWING, "reverse the sort order", FLAG(reverse) },
	{ 'l', "layer", "LAYER", IN_PROBING, "what to probe: runtime, driver, or both (default: both, but of launches only what it takes)", CASE },
	{ OPTION_CALLS, "calls", "GROUP[,...]", IN_PROBING, "functions to probe: default, all, or names; 'help' lists them", CASE },
	{ 0, "exact-launches", NULL, IN_SNAPSHOTS, "time every launch, not a sample; failures become exact", FLAG(exact_launches) },
	{ 0, "returns", "WHEN", IN_SNAPSHOTS | IN_TRACE, "probe returns: auto (where it does no harm), always or never", CHOICE(returns, returns_names) },
	{ 0, "no-single-step", NULL, IN_PROBING, "leave out functions whose probe would be single-stepped", FLAG(no_single_step) },
	{ OPTION_STACKS, "stacks", "[=WHEN]", IN_SNAPSHOTS | IN_TRACE, "native stacks of calls: auto (default), of allocations, always (with --launch-sites), never; trace: below each line", CASE },
	{ 0, "site-skip", "GLOB", IN_SNAPSHOTS, "functions, files that match are not shown as call sites, as wrappers and installed packages are not", TEXTS(site_skip, site_skip_count) },
	{ 0, "launch-sites", NULL, IN_SNAPSHOTS, "where kernels are launched, from a sample, and where threads wait", FLAG(launch_sites) },
	{ 0, "tensor-sites", "WHICH", IN_SNAPSHOTS, "where tensors are made: of all, or of a sample (default), by their bytes", CHOICE(tensor_sites, tensor_site_names) },
	{ 0, "budget", "PERCENT", IN_SNAPSHOTS, "what a program may pay of its processor time before less of it is watched (default 10; no limit, 0, with COMMAND and record)", COUNT(budget, 0, BUDGET_PERCENT_MAX), GIVEN(budget_given) },
	{ 0, "no-python", NULL, IN_SNAPSHOTS | IN_TRACE, "native call sites in Python programs, too", FLAG(no_python) },
	{ 0, "leak-age", "SECONDS", IN_SHOWING, "first window of the rising-floor test (default 10)", SECONDS(leak_age, 0.001), GIVEN(leak_age_given) },
	{ 0, "leak-ignore", "GLOB", IN_SNAPSHOTS, "memory allocated in such libraries is held, not leaked", TEXTS(leak_ignore, leak_ignore_count) },
	{ OPTION_FAIL_ON_LEAK, "fail-on-leak", "[=BYTES]", IN_SHOWING, "exit 3 if COMMAND leaked (more than BYTES; BYTES,host: with pinned memory), 1 if that cannot be told", CASE },
	{ 0, "allow-no-cuda", NULL, IN_SHOWING, "with --fail-on-leak: no CUDA call at all is fine", FLAG(allow_no_cuda) },
	{ OPTION_MAP, "map", "N|all|none", IN_SHOWING, "allocations listed per process, largest first (default 1000; text: none)", CASE },
	{ OPTION_RUN_AS, "run-as", "USER", IN_SNAPSHOTS | IN_TRACE, "run COMMAND as USER (default: who called sudo)", CASE },
	{ 0, "library", "PATH", IN_PROBING, "probe this library or program too", TEXTS(libraries, library_count) },
	{ OPTION_PROBE, "probe", "LIBRARY:SYMBOL", IN_SNAPSHOTS | IN_TRACE, "count any further function, or those that a glob names; SYMBOL:returns times it, and ends programs that switch stacks in it", CASE },
	{ 0, "pool", "FILE", IN_SNAPSHOTS, "see blocks inside the pools of device memory that FILE describes", TEXTS(pools, pool_count) },
	{ OPTION_RING_SIZE, "ring-size", "BYTES", IN_PROBING, "ring buffer, a power of two, K or M (default 16M, every call 64M)", CASE },
	{ OPTION_NAMES_MEMORY, "names-memory", "BYTES", IN_PROBING, "memory for functions' names from files, K or M (default 128M)", CASE },
	{ 0, "trace", NULL, IN_RECORD, "record: every call as well, for cutop trace --replay", FLAG(record_calls) },
	{ 't', "no-time", NULL, IN_TRACE | IN_REPLAY, "trace: lines without the time", FLAG(no_time) },
	{ 'E', "entries", NULL, IN_TRACE, "trace: a line at each call's entry, and no return probes", FLAG(entries) },
	{ 0, "pairs", NULL, IN_TRACE, "trace: a line at each call's entry and one at its return", FLAG(pairs) },
	{ 0, "args", NULL, IN_TRACE | IN_RECORD, "trace: with the arguments of kernels, the first 16", FLAG(kernel_arguments) },
	{ 'C', "color", "WHEN", IN_ALL & ~IN_TRACE, "auto (default), always or never", CHOICE(color, color_names) },
	{ 0, "ascii", NULL, IN_ALL & ~IN_TRACE, "no characters beyond ASCII", FLAG(ascii) },
	{ OPTION_THEME, "theme", "NAME", IN_SCREEN, "colours of the screen: default, mono, colorblind or light", CASE },
	{ 0, "no-mouse", NULL, IN_SCREEN, "leave the mouse to the terminal", FLAG(no_mouse) },
	{ 0, "readonly", NULL, IN_SCREEN, "no signals from the screen", FLAG(readonly) },
	{ 0, "no-config", NULL, IN_SCREEN, "neither read nor save settings", FLAG(no_config) },
	{ 0, "config", "FILE", IN_SCREEN, "settings file (default $XDG_CONFIG_HOME/cutop/cutoprc)", TEXT(config) },
	{ 'v', "verbose", NULL, IN_ALL, "say on standard error what is attached, and why something is not", FLAG(verbose) },
	{ 'h', "help", NULL, IN_ALL, "print this", CASE },
	{ 'V', "version", NULL, IN_ALL, "print the version", CASE },
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

		if (option_code(o) < 256)
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

int option_code(const struct option_entry *option)
{
	return option->code ? option->code : CODE_OF_INDEX + (int)(option - option_table);
}

const struct option_entry *option_find(int code)
{
	for (size_t i = 0; i < option_count; i++)
		if (option_code(&option_table[i]) == code)
			return &option_table[i];
	return NULL;
}

int mode_takes_option(enum program_mode mode, const struct option_entry *option)
{
	if (option->modes & 1u << mode)
		return 0;
	return usage_error("'cutop %s' takes no --%s", mode_name(mode), option->name);
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
