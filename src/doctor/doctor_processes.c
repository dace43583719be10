/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Processes that use CUDA: what they are, through which libraries they use it, and what cutop can
 * see of it.
 */
#include "doctor/doctor.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collect/process_identity.h"
#include "probe/maps.h"
#include "probe/late.h"
#include "util/utf8.h"
#include "util/util.h"

#define COMMAND_MAX 4096 /* bytes of a command line kept */
#define MAPPED_MAX  8192 /* files of one process */

/* ---- who it is ---- */

static char *proc_read(pid_t pid, const char *name, size_t max, size_t *len)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, name);
	return file_read(path, max, len);
}

static char *cleaned(const char *text)
{
	char clean[COMMAND_MAX + 1];

	return strdup(utf8_clean(text, clean, sizeof(clean)));
}

/* Cleans the next of @strings, which follow each other, and goes on to the one after it. */
static char *string_take(const char **strings)
{
	char *text = cleaned(*strings);

	*strings += strlen(*strings) + 1;
	return text;
}

/* The value after "\nKEY:" in a status file, without leading blanks, or NULL. */
static char *status_value(char *status, const char *key)
{
	char *at = strstr(status, key);

	return at ? at + strlen(key) + strspn(at + strlen(key), " \t") : NULL;
}

/* Fills @known with what identity_read() starts from. */
static void status_read(struct doctor_process *process, struct rec_process *known)
{
	char *status = proc_read(process->pid, "status", 16384, NULL), *value, *end;
	unsigned int depth = 0;

	if (!status)
		return;
	if (!strncmp(status, "Name:\t", strlen("Name:\t"))) {
		value = status + strlen("Name:\t");
		snprintf(known->comm, sizeof(known->comm), "%.*s", (int)strcspn(value, "\n"),
			 value);
		process->translator = translator_kind(known->comm);
	}
	value = status_value(status, "\nUid:");
	if (value)
		known->uid = (__u32)strtoul(value, NULL, 10);
	value = status_value(status, "\nSeccomp:");
	process->seccomp = value && *value != '0';
	value = status_value(status, "\nx86_Thread_features:");
	if (value) {
		value[strcspn(value, "\n")] = 0;
		process->shadow_stack = strstr(value, "shstk") != NULL;
		value[strlen(value)] = '\n';
	}
	value = status_value(status, "\nNSpid:");
	while (value && *value && *value != '\n') {
		process->ns_pid = (uint32_t)strtoul(value, &end, 10);
		if (end == value)
			break;
		depth++;
		value = end + strspn(end, " \t");
	}
	process->own_pid_ns = depth > 1;
	free(status);
}

static void identity_fill(const struct outside *outside, struct doctor_process *process)
{
	struct rec_process known = { .hdr.tgid = (__u32)process->pid, .comm = "?" };
	struct rec_identity *identity;
	const char *strings;
	int err;

	status_read(process, &known);
	identity = identity_read(outside, &known, LATE_NOT, NULL, &err);
	if (!identity)
		return;
	strings = identity->strings;
	process->user = string_take(&strings);
	process->command = string_take(&strings);
	process->arguments = string_take(&strings);
	process->container = string_take(&strings);
	free(identity);
}

/* ---- what it maps ---- */

struct mapped {
	struct doctor *doctor;
	pid_t pid;
	struct maps_seen *seen;
	struct doctor_file **files; /* each once */
	size_t count;
	char *refused;                       /* the first that may not be read */
	const struct doctor_file *python;    /* the last one that contains an interpreter */
	const struct doctor_file *allocator; /* likewise */
};

static int mapping_note(void *context, const struct maps_entry *entry)
{
	struct mapped *mapped = context;
	struct doctor_file *file, **more;
	struct seen_file seen;
	char *path;
	size_t i;
	int err;

	if (!maps_seen_add(&mapped->seen, entry))
		return 0;
	err = outside_open_mapped(&mapped->doctor->outside, mapped->pid, entry, COPY_IF_HOOKED,
				  &seen);
	doctor_file_refused(mapped->doctor, err);
	if ((err == -EACCES || err == -EPERM) && !mapped->refused)
		mapped->refused = cleaned(entry->path);
	if (err)
		return 0;
	path = strdup(seen.path);
	file = path ? doctor_file_add(mapped->doctor, &seen, path) : NULL;
	free(path);
	seen_close(&seen);
	for (i = 0; i < mapped->count; i++)
		if (mapped->files[i] == file)
			return 0;
	if (!file || mapped->count == MAPPED_MAX)
		return 0;
	more = realloc(mapped->files, (mapped->count + 1) * sizeof(*more));
	if (!more)
		return 0;
	mapped->files = more;
	more[mapped->count++] = file;
	return 0;
}

static unsigned int use_of(const struct doctor_file *file)
{
	switch (file->kind) {
	case FILE_RUNTIME: return USE_SHARED;
	case FILE_LINKED: return USE_LINKED;
	case FILE_DRIVER: return USE_DRIVER;
	default: return 0;
	}
}

static bool has_symbols(const struct outside *outside, pid_t pid)
{
	struct elf_info info = { 0 };
	struct seen_file seen;

	if (outside_open_link(outside, pid, "exe", NULL, 0, &seen))
		return false;
	elfinfo_read(seen.fd, &info, NULL);
	seen_close(&seen);
	return info.has_symtab;
}

/* Keeps those files of @mapped that are of interest. */
static unsigned int mapped_sift(struct mapped *mapped)
{
	unsigned int uses = 0;
	size_t i, kept = 0;

	for (i = 0; i < mapped->count; i++) {
		uses |= use_of(mapped->files[i]);
		if (mapped->files[i]->python)
			mapped->python = mapped->files[i];
		if (mapped->files[i]->allocator)
			mapped->allocator = mapped->files[i];
	}
	for (i = 0; i < mapped->count && uses; i++) {
		if (!use_of(mapped->files[i]))
			continue;
		mapped->files[i]->processes++;
		mapped->files[kept++] = mapped->files[i];
	}
	mapped->count = kept;
	return uses;
}

static int process_look(struct doctor *doctor, pid_t pid, bool named)
{
	struct mapped mapped = { .doctor = doctor, .pid = pid };
	struct doctor_process *more, *process;
	unsigned int uses;
	int err;

	if (pid == getpid())
		return 0;
	err = outside_maps(&doctor->outside, pid, 0, mapping_note, &mapped);
	maps_seen_free(&mapped.seen);
	doctor->looked_at++;
	doctor->unreadable += err == -EACCES || err == -EPERM;
	uses = mapped_sift(&mapped);
	if (!uses && !named)
		goto out;
	more = realloc(doctor->processes, (doctor->process_count + 1) * sizeof(*more));
	if (!more) {
		doctor->no_memory = true;
		goto out;
	}
	doctor->processes = more;
	process = &more[doctor->process_count++];
	*process = (struct doctor_process){
		.pid = pid,
		.named = named,
		.error = err,
		.refused = mapped.refused,
		.uses = uses,
		.files = mapped.files,
		.file_count = mapped.count,
		.python = mapped.python,
		.allocator = mapped.allocator,
		.has_symbols = has_symbols(&doctor->outside, pid),
		.layers = doctor->choice.layers,
	};
	identity_fill(&doctor->outside, process);
	doctor->no_memory |= !process->user || !process->command || !process->arguments ||
			     !process->container;
	return 0;
out:
	free(mapped.refused);
	free(mapped.files);
	return 0;
}

static int process_visit(void *context, pid_t pid)
{
	return process_look(context, pid, false);
}

void doctor_processes_find(struct doctor *doctor)
{
	const struct options *options = doctor->options;
	size_t i;

	for (i = 0; i < options->pid_count; i++)
		process_look(doctor, (pid_t)options->pids[i], true);
	if (!options->pid_count)
		processes_visit(process_visit, doctor);
}

/* ---- what is seen of it: pure ---- */

static const char *last_component(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* The names of the files of @kind, separated by commas: a new string, or NULL without memory. */
static char *files_of(const struct doctor_process *process, enum file_kind kind)
{
	char text[512] = "";
	size_t i, len = 0;

	for (i = 0; i < process->file_count; i++) {
		const struct doctor_file *file = process->files[i];
		int n;

		if (file->kind != kind)
			continue;
		n = snprintf(text + len, sizeof(text) - len, "%s%s", len ? ", " : "",
			     last_component(file->path));
		if (n < 0 || (size_t)n >= sizeof(text) - len) {
			strcpy(text + sizeof(text) - 6, ", ...");
			break;
		}
		len += (size_t)n;
	}
	return strdup(text);
}

static char *with_files(const char *before, const struct doctor_process *process,
			enum file_kind kind, const char *after)
{
	char *names = files_of(process, kind), *text;

	text = names ? format_new("%s%s%s", before, names, after) : NULL;
	free(names);
	return text;
}

char *process_sees(const struct doctor_process *process, unsigned int index)
{
	bool runtime_seen = process->layers & 1u << LAYER_RUNTIME;

	if (runtime_seen && process->uses & USE_SHARED && !index--)
		return with_files("runtime calls (", process, FILE_RUNTIME, ")");
	if (runtime_seen && process->uses & USE_LINKED && !index--)
		return with_files("runtime calls (linked into ", process, FILE_LINKED, ")");
	if (process->python && !process->python->python_why.text[0] && !index--)
		return format_new("lines of its Python %u.%u code as call sites (%s)",
				  process->python->python >> 8, process->python->python & 0xff,
				  last_component(process->python->path));
	if (process->allocator && !index--)
		return format_new("%s, from now on (%s)",
				  strcmp(process->allocator->allocator, "pytorch") ?
					  "blocks of its memory pool" :
					  "PyTorch's tensors",
				  last_component(process->allocator->path));
	if (process->uses & USE_DRIVER && process->layers & 1u << LAYER_DRIVER && !index--)
		return strdup(
			!runtime_seen ?
				"driver calls (libcuda.so.1)" :
			process->uses & ~(unsigned int)USE_DRIVER ?
				"driver calls that no runtime call made (libcuda.so.1)" :
				"driver calls (libcuda.so.1): it uses no runtime, or one without symbols");
	return NULL;
}

char *process_misses(const struct doctor_process *process, const struct doctor_facts *facts,
		     unsigned int index)
{
	bool driver_probed = process->layers & 1u << LAYER_DRIVER;

	if (process->error && !index--)
		return format_new(
			"what it maps cannot be read: %s",
			outside_is_later(process->error) || process->error == -ETIMEDOUT ?
				"the kernel does not answer (memory or a file of its that nothing delivers?)" :
				strerror(-process->error));
	if (!process->error && !process->uses && !index--)
		return strdup("it has mapped no CUDA library: nothing is seen until it does");
	if (process->uses & (USE_SHARED | USE_LINKED) && !(process->layers & 1u << LAYER_RUNTIME) &&
	    !index--)
		return strdup("runtime calls: the runtime layer is not probed");
	if (process->uses & USE_DRIVER && !driver_probed && !index--)
		return strdup("driver calls made directly: the driver layer is not probed");
	if (process->uses && !index--)
		return strdup(
			"what it did before cutop: its figures are lower bounds, and memory that it already has "
			"is in none of them");
	if (process->uses && !process->has_symbols && !index--)
		return strdup(
			"names of kernels in the program itself: it registered them before, and has no symbols");
	if (process->python && process->python->python_why.text[0] && !index--)
		return format_new("lines of its Python code as call sites: %s: %s",
				  last_component(process->python->path),
				  process->python->python_why.text);
	if (facts->kernel.filtered_die && !index--)
		return strdup(
			"what it allocates, failures and times: on this kernel return probes kill programs under a seccomp "
			"filter, so none are placed");
	return NULL;
}
