/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compares what cutop counted with what others did, one line of PASS, FAIL or
 * NOTE for each figure:
 *
 *   compare counts WHAT LAYER PROGRAM CUTOP   a sample program's own counts
 *   compare library WHAT PROGRAM CUTOP        the same of a program that calls a library, whose
 *                                             own calls and kernels it does not know
 *   compare trace WHAT PROGRAM TRACE          the same, with a trace in JSON
 *   compare cupti WHAT LAYER PROGRAM CUPTI CUTOP
 *                                             CUPTI's counts per function of one layer
 *   compare starts DOCTOR                     prints where the probes are, by library
 *
 * WHAT goes before each line. LAYER is what cutop was told to probe: both,
 * runtime or driver. The rest are files of JSON. Exit status 2: a file cannot
 * be read.
 */
#include <jansson.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *what;

static void say(const char *verdict, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void say(const char *verdict, const char *format, ...)
{
	va_list args;

	printf("%s %s: ", verdict, what);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
}

static void expect(const char *figure, json_int_t cutop, json_int_t other)
{
	if (cutop == other)
		say("PASS", "%s: %lld", figure, (long long)cutop);
	else
		say("FAIL", "%s: cutop says %lld, the program %lld", figure, (long long)cutop,
		    (long long)other);
}

/* The last line of @path that is a JSON object. Only @path's last line may be cut off. */
static json_t *last_object(const char *path)
{
	FILE *file = fopen(path, "r");
	json_t *last = NULL, *object;
	char *line = NULL;
	size_t size = 0;

	if (!file) {
		perror(path);
		exit(2);
	}
	while (getline(&line, &size, file) > 0) {
		object = line[0] == '{' ? json_loads(line, 0, NULL) : NULL;
		if (!object)
			continue;
		json_decref(last);
		last = object;
	}
	free(line);
	fclose(file);
	if (!last) {
		say("FAIL", "no JSON in %s", strrchr(path, '/') ? strrchr(path, '/') + 1 : path);
		exit(2);
	}
	return last;
}

static json_int_t number(const json_t *object, const char *key)
{
	return json_integer_value(json_object_get(object, key));
}

static const char *text(const json_t *object, const char *key)
{
	const char *value = json_string_value(json_object_get(object, key));

	return value ? value : "";
}

/* The sum of @key over the objects in @array, or over those whose @by is @value. */
static json_int_t sum(const json_t *array, const char *by, const char *value, const char *key)
{
	json_int_t total = 0;
	json_t *object;
	size_t i;

	json_array_foreach(array, i, object) if (!value || !strcmp(text(object, by), value))
		total += number(object, key);
	return total;
}

static json_int_t sum_members(const json_t *members, const char *key)
{
	json_int_t total = 0;
	const char *name;
	json_t *object;

	json_object_foreach((json_t *)members, name, object) total += number(object, key);
	return total;
}

static bool is_runtime(const char *call)
{
	return !strncmp(call, "cuda", 4);
}

/* ---- a program's own counts ---- */

static void kernels_compare(const json_t *own, const json_t *seen)
{
	json_int_t launches = 0;
	char figure[128];
	const char *name;
	json_t *kernel;

	json_object_foreach((json_t *)own, name, kernel)
	{
		snprintf(figure, sizeof(figure), "launches of %s", name);
		/* A launch that failed is among cutop's launches and among its failures. */
		expect(figure,
		       sum(seen, "name", name, "launches") - sum(seen, "name", name, "failures"),
		       number(kernel, "launches"));
		if (!number(kernel, "captured"))
			continue;
		snprintf(figure, sizeof(figure), "captured calls for %s", name);
		expect(figure, sum(seen, "name", name, "captured"), number(kernel, "captured"));
		snprintf(figure, sizeof(figure), "launches of %s by graphs", name);
		expect(figure, sum(seen, "name", name, "graph_launches"),
		       number(kernel, "graph_launches"));
	}
	launches = sum(seen, NULL, NULL, "launches") - sum(seen, NULL, NULL, "failures");
	expect("launches of all kernels", launches, sum_members(own, "launches"));
}

static void copies_compare(const json_t *own, const json_t *seen)
{
	char figure[128];
	const char *name;
	json_t *copy;

	json_object_foreach((json_t *)own, name, copy)
	{
		snprintf(figure, sizeof(figure), "%s copies", name);
		expect(figure,
		       sum(seen, "direction", name, "calls") -
			       sum(seen, "direction", name, "failures"),
		       number(copy, "calls"));
		snprintf(figure, sizeof(figure), "%s bytes", name);
		expect(figure, sum(seen, "direction", name, "bytes"), number(copy, "bytes"));
	}
	expect("bytes in all directions", sum(seen, NULL, NULL, "bytes"),
	       sum_members(own, "bytes"));
}

static bool is_same(const json_t *a, const json_t *b)
{
	return !strcmp(text(a, "call"), text(b, "call")) &&
	       !strcmp(text(a, "error"), text(b, "error"));
}

static json_int_t count_same(const json_t *array, const json_t *like)
{
	json_int_t count = 0;
	json_t *object;
	size_t i;

	json_array_foreach(array, i, object) if (is_same(object, like))
		count += number(object, "count");
	return count;
}

/*
 * The layer that the program does not call itself gives notes only: what fails inside a call is no
 * failure of the program's.
 */
static void failures_compare(const json_t *own, const json_t *seen, bool runtime)
{
	json_t *failure;
	char figure[256];
	size_t i;

	json_array_foreach(own, i, failure)
	{
		snprintf(figure, sizeof(figure), "failures of %s with %s", text(failure, "call"),
			 text(failure, "error"));
		expect(figure, count_same(seen, failure), number(failure, "count"));
	}
	json_array_foreach(seen, i, failure)
	{
		const char *verdict = is_runtime(text(failure, "call")) == runtime ? "FAIL" :
										     "NOTE";

		if (!count_same(own, failure))
			say(verdict, "only cutop saw %lld failures of %s with %s",
			    (long long)number(failure, "count"), text(failure, "call"),
			    text(failure, "error"));
	}
}

static void lost_compare(const json_t *document, const json_t *process)
{
	json_int_t total = 0;
	const char *cause;
	json_t *lost;

	json_object_foreach(json_object_get(document, "lost"), cause, lost)
	{
		if (json_integer_value(lost))
			say("NOTE", "lost: %s %lld", cause, (long long)json_integer_value(lost));
		total += json_integer_value(lost);
	}
	expect("records lost", total, 0);
	if (process && json_is_true(json_object_get(process, "inexact")))
		say("NOTE", "cutop marks the process as inexact");
}

/*
 * The process that did most: a program that was started through another one is the only one that
 * calls CUDA.
 */
static json_t *process_find(const json_t *document)
{
	json_t *process, *found = NULL;
	size_t i, most = 0;

	json_array_foreach(json_object_get(document, "processes"), i, process)
	{
		size_t calls = json_array_size(json_object_get(process, "calls"));

		if (found && calls <= most)
			continue;
		found = process;
		most = calls;
	}
	return found;
}

static int counts_compare(const char *layer, const char *own_path, const char *seen_path)
{
	json_t *own = last_object(own_path), *document = last_object(seen_path),
	       *process = process_find(document), *memory;
	bool runtime = !strcmp(text(own, "layer"), "runtime");

	if (!process) {
		if (json_array_size(json_object_get(own, "failures")))
			say("FAIL", "cutop saw no process that calls CUDA");
		else
			say("PASS", "no calls, and cutop saw none");
		return 0;
	}
	lost_compare(document, process);
	kernels_compare(json_object_get(own, "kernels"), json_object_get(process, "kernels"));
	memory = json_object_get(process, "memory");
	expect("allocations", number(memory, "allocations"), number(own, "allocations"));
	expect("frees", number(memory, "frees"), number(own, "frees"));
	expect("allocated bytes", number(memory, "allocated_bytes"),
	       number(own, "allocated_bytes"));
	expect("leaked bytes", number(memory, "leaked_bytes"), number(own, "leaked_bytes"));
	copies_compare(json_object_get(own, "copies"), json_object_get(process, "copies"));
	/* With the other layer alone the program's failing calls are not probed. */
	if (!strcmp(layer, "both") || !strcmp(layer, text(own, "layer")))
		failures_compare(json_object_get(own, "failures"),
				 json_object_get(process, "failures"), runtime);
	json_decref(own);
	json_decref(document);
	return 0;
}

/* ---- a library ---- */

static void at_least(const char *figure, json_int_t cutop, json_int_t least)
{
	if (cutop >= least)
		say("PASS", "%s: %lld, at least %lld", figure, (long long)cutop, (long long)least);
	else
		say("FAIL", "%s: cutop says %lld, the program at least %lld", figure,
		    (long long)cutop, (long long)least);
}

static void names_compare(const json_t *kernels)
{
	size_t named = 0, i;
	json_t *kernel;

	json_array_foreach(kernels, i, kernel)
	{
		if (text(kernel, "name")[0] && strncmp(text(kernel, "name"), "0x", 2))
			named++;
		else
			say("FAIL", "a kernel without a name: %lld launches",
			    (long long)number(kernel, "launches"));
	}
	say("PASS", "kernels with names: %zu", named);
}

static int library_compare(const char *own_path, const char *seen_path)
{
	json_t *own = last_object(own_path), *document = last_object(seen_path),
	       *process = process_find(document), *kernels, *memory, *copy, *seen;
	char figure[128];
	const char *name;

	if (!process) {
		say("FAIL", "cutop saw no process that calls CUDA");
		return 0;
	}
	lost_compare(document, process);
	kernels = json_object_get(process, "kernels");
	memory = json_object_get(process, "memory");
	seen = json_object_get(process, "copies");
	at_least("launches", sum(kernels, NULL, NULL, "launches"), number(own, "least_launches"));
	names_compare(kernels);
	at_least("allocated bytes", number(memory, "allocated_bytes"),
		 number(own, "allocated_bytes"));
	json_object_foreach(json_object_get(own, "copies"), name, copy)
	{
		snprintf(figure, sizeof(figure), "%s bytes", name);
		at_least(figure, sum(seen, "direction", name, "bytes"), number(copy, "bytes"));
	}
	if (number(memory, "leaked_bytes") != number(own, "leaked_bytes"))
		say("NOTE", "leaked bytes: %lld, which the library did not free",
		    (long long)number(memory, "leaked_bytes"));
	json_decref(own);
	json_decref(document);
	return 0;
}

/* ---- a trace ---- */

static bool is_launch(const char *call)
{
	static const char *const names[] = { "cudaLaunchKernel", "cudaLaunchKernelExC",
					     "cuLaunchKernel", "cuLaunchKernelEx" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strncmp(call, names[i], strlen(names[i])))
			return true;
	return false;
}

/*
 * Launches of the program's own layer, one line each. Those that a graph captures and those that
 * fail have a line, too.
 */
static int trace_compare(const char *own_path, const char *trace_path)
{
	json_t *own = last_object(own_path), *line, *last = NULL, *failure;
	bool runtime = !strcmp(text(own, "layer"), "runtime");
	json_int_t launches = 0, lines = 0, failures = 0, expected = 0;
	FILE *file = fopen(trace_path, "r");
	char *buffer = NULL;
	size_t size = 0, i;

	if (!file) {
		perror(trace_path);
		return 2;
	}
	while (getline(&buffer, &size, file) > 0) {
		const char *call;

		line = json_loads(buffer, 0, NULL);
		if (!line)
			continue;
		call = text(line, "call");
		if (call[0] && is_runtime(call) == runtime) {
			lines++;
			launches += is_launch(call);
			failures += json_is_true(json_object_get(line, "failed"));
		}
		json_decref(last);
		last = line;
	}
	free(buffer);
	fclose(file);
	expected = sum_members(json_object_get(own, "kernels"), "launches") +
		   sum_members(json_object_get(own, "kernels"), "captured");
	json_array_foreach(json_object_get(own, "failures"), i,
			   failure) if (is_launch(text(failure, "call")))
		expected += number(failure, "count");
	if (!lines && !json_array_size(json_object_get(own, "failures")))
		say("PASS", "no calls, and none traced");
	else
		expect("calls that launch, traced", launches, expected);
	expect("failed calls traced", failures,
	       sum(json_object_get(own, "failures"), NULL, NULL, "count"));
	say("NOTE", "%lld calls traced", (long long)lines);
	json_decref(last);
	json_decref(own);
	return 0;
}

/* ---- CUPTI ---- */

/*
 * CUPTI's names of the runtime's functions end in the version that brought them: cudaMalloc_v3020.
 */
static void name_shorten(char *name)
{
	char *version = strrchr(name, '_');

	if (!is_runtime(name) || !version || version[1] != 'v' || strlen(version) < 6 ||
	    strspn(version + 2, "0123456789") != strlen(version + 2))
		return;
	*version = 0;
}

static const json_t *call_find(const json_t *calls, const char *name)
{
	json_t *call;
	size_t i;

	json_array_foreach(calls, i, call) if (!strcmp(text(call, "call"), name)) return call;
	return NULL;
}

/*
 * Returns whether cutop counted @seen as CUPTI did: [calls, failures]. @in_library: CUPTI also
 * counts calls of a runtime without symbols inside the library, which cutop sees at the driver
 * only.
 */
static bool call_compare(const json_t *seen, const char *name, const json_t *counts,
			 const char *verdict, bool in_library)
{
	json_int_t calls = json_integer_value(json_array_get(counts, 0)),
		   failures = json_integer_value(json_array_get(counts, 1));

	if (number(seen, "calls") == calls && number(seen, "failures") == failures)
		return true;
	if (in_library && number(seen, "calls") <= calls && number(seen, "failures") <= failures)
		verdict = "NOTE";
	say(verdict, "%s: cutop says %lld calls and %lld failures, CUPTI %lld and %lld", name,
	    (long long)number(seen, "calls"), (long long)number(seen, "failures"), (long long)calls,
	    (long long)failures);
	return false;
}

/*
 * cutop probed only @layer. What the runtime calls in the driver may differ for reasons of CUPTI's
 * own, so that is told and no failure.
 */
static int cupti_compare(const char *layer, const char *own_path, const char *cupti_path,
			 const char *seen_path)
{
	json_t *own = last_object(own_path), *cupti = last_object(cupti_path),
	       *document = last_object(seen_path);
	json_t *calls = json_object_get(process_find(document), "calls"), *known = json_object(),
	       *counts, *call;
	const char *verdict = strcmp(layer, text(own, "layer")) ? "NOTE" : "FAIL", *full;
	bool runtime = !strcmp(layer, "runtime");
	/*
	 * Programs that call a library of NVIDIA's know only how many launches there are at least.
	 */
	bool in_library = number(own, "least_launches") > 0;
	json_int_t same = 0;
	char name[256];
	size_t i;

	json_object_foreach(cupti, full, counts)
	{
		const json_t *seen;

		if (is_runtime(full) != runtime)
			continue;
		snprintf(name, sizeof(name), "%s", full);
		name_shorten(name);
		json_object_set_new(known, name, json_true());
		seen = call_find(calls, name);
		if (seen)
			same += call_compare(seen, name, counts, verdict, in_library);
		else
			say("NOTE", "only CUPTI saw %s, %lld times", name,
			    (long long)json_integer_value(json_array_get(counts, 0)));
	}
	json_array_foreach(calls, i, call) if (is_runtime(text(call, "call")) == runtime &&
					       !json_object_get(known, text(call, "call")))
		say("NOTE", "only cutop saw %s, %lld times", text(call, "call"),
		    (long long)number(call, "calls"));
	say(same ? "PASS" : verdict, "%lld functions have the same counts in CUPTI and in cutop",
	    (long long)same);
	json_decref(known);
	json_decref(own);
	json_decref(cupti);
	json_decref(document);
	return 0;
}

/* ---- where the probes are ---- */

static void members_print(const json_t *object)
{
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)object, key, value)
	{
		if (json_is_integer(value) && json_integer_value(value))
			printf(" %s=%lld", key, (long long)json_integer_value(value));
		else if (json_is_object(value) && json_object_size(value)) {
			printf(" %s:", key);
			members_print(value);
		}
	}
}

static int starts_print(const char *path)
{
	json_t *doctor = last_object(path), *library;
	size_t i;

	json_array_foreach(json_object_get(doctor, "libraries"), i, library)
	{
		const json_t *functions = json_object_get(library, "functions");

		if (!functions)
			continue;
		printf("%s (%s %s):", text(library, "path"), text(library, "kind"),
		       text(library, "version"));
		members_print(functions);
		putchar('\n');
	}
	json_decref(doctor);
	return 0;
}

int main(int argc, char **argv)
{
	what = argc > 2 ? argv[2] : "";
	if (argc == 6 && !strcmp(argv[1], "counts"))
		return counts_compare(argv[3], argv[4], argv[5]);
	if (argc == 5 && !strcmp(argv[1], "library"))
		return library_compare(argv[3], argv[4]);
	if (argc == 5 && !strcmp(argv[1], "trace"))
		return trace_compare(argv[3], argv[4]);
	if (argc == 7 && !strcmp(argv[1], "cupti"))
		return cupti_compare(argv[3], argv[4], argv[5], argv[6]);
	if (argc == 3 && !strcmp(argv[1], "starts"))
		return starts_print(argv[2]);
	fprintf(stderr, "usage: compare counts|library|trace|cupti|starts ...\n");
	return 2;
}
