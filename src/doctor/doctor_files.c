/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files: each is examined once, however many names it has and however many processes map it.
 * Relevant files stay open until their functions are judged, since a path may lead elsewhere by
 * then. What became of the functions in one is judged here, too; that is pure.
 */
#include "doctor/doctor.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/allocators.h"
#include "cuda/calls.h"
#include "probe/closure.h"
#include "cuda/library_places.h"
#include "probe/points.h"
#include "probe/extra_functions.h"
#include "probe/python_elf.h"
#include "util/utf8.h"
#include "util/util.h"

const char *const file_kind_names[FILE_UNREADABLE + 1] = {
	[FILE_NOTHING] = "nothing",       [FILE_RUNTIME] = "runtime",
	[FILE_DRIVER] = "driver",         [FILE_LINKED] = "runtime_linked_in",
	[FILE_UNREADABLE] = "unreadable",
};

/* ---- one file ---- */

static bool has_layer(const struct elf_functions *found, enum call_layer layer)
{
	size_t i;

	for (i = 0; i < found->count; i++)
		if (call_descs[found->list[i].call].layer == layer)
			return true;
	return false;
}

static enum file_kind kind_of(const struct doctor_file *file)
{
	const char *name = strrchr(file->path, '/');

	name = file->info.soname[0] ? file->info.soname : name ? name + 1 : file->path;
	if (!strncmp(name, "libcuda.so", 10))
		return FILE_DRIVER;
	if (has_layer(&file->found, LAYER_RUNTIME))
		return strncmp(name, "libcudart", 9) ? FILE_LINKED : FILE_RUNTIME;
	return FILE_NOTHING;
}

/* The driver's libraries are named for its version. */
static void driver_version_read(struct doctor_file *file)
{
	const char *at = strstr(file->path, "libcuda.so.");

	at = at ? at + strlen("libcuda.so.") : "";
	if (strchr(at, '.') && strspn(at, "0123456789.") == strlen(at))
		snprintf(file->driver_version, sizeof(file->driver_version), "%s", at);
}

static void file_read_elf(struct doctor_file *file)
{
	struct reason why = { "" };
	int err;

	err = elffile_functions(file->seen.fd, &file->found, &why);
	if (!err && (file->found.count || strstr(file->path, "libcuda")))
		err = elfinfo_read(file->seen.fd, &file->info, &why);
	if (err) {
		/* Programs map many files that are no libraries. */
		file->kind = err == -ENOEXEC ? FILE_NOTHING : FILE_UNREADABLE;
		file->why = why;
		return;
	}
	file->kind = kind_of(file);
	if (file->kind == FILE_DRIVER)
		driver_version_read(file);
	if (file->kind != FILE_RUNTIME && file->kind != FILE_LINKED)
		return;
	file->version = version_of_name(file->path, &file->major_only);
	if (!file->version || file->major_only) {
		unsigned int version = elfinfo_runtime_version(file->seen.fd, &file->found);

		file->major_only = file->major_only && !version;
		if (version)
			file->version = version;
	}
	if (!file->version)
		file->version = version_of_name(file->info.soname, &file->major_only);
}

static void file_read_python(struct doctor_file *file)
{
	struct python_elf elf;

	if (python_elf_read(file->seen.fd, file->path, &elf, &file->python_why) > 0)
		file->python = elf.version ? elf.version : 1;
	else
		file->python_why.text[0] = 0;
}

static void file_read_allocator(struct doctor_file *file)
{
	struct elf_function list[ALLOCATOR_FUNCTIONS_MAX];

	if (allocators_find(file->seen.fd, file->path, list))
		file->allocator =
			allocator_names[allocator_form(list[0].call - CUTOP_ALLOCATOR)->allocator];
}

static struct doctor_file *file_new(struct doctor *doctor, struct seen_file *seen, const char *path)
{
	struct doctor_file **more, *file = calloc(1, sizeof(*file));
	char clean[PATH_MAX];

	more = realloc(doctor->files, (doctor->file_count + 1) * sizeof(*more));
	if (more)
		doctor->files = more;
	if (file)
		file->path = strdup(utf8_clean(path, clean, sizeof(clean)));
	if (!more || !file || !file->path) {
		free(file);
		return NULL;
	}
	file->device = seen->st.st_dev;
	file->inode = seen->st.st_ino;
	file->seen = *seen;
	*seen = (struct seen_file){ .fd = -1, .place = -1 };
	doctor->files[doctor->file_count++] = file;
	file_read_elf(file);
	file_read_python(file);
	file_read_allocator(file);
	if (file->kind == FILE_NOTHING || file->kind == FILE_UNREADABLE)
		seen_close(&file->seen);
	return file;
}

void doctor_file_refused(struct doctor *doctor, int error)
{
	doctor->unanswered += outside_is_later(error) || error == -ETIMEDOUT;
}

struct doctor_file *doctor_file_add(struct doctor *doctor, struct seen_file *seen, const char *path)
{
	struct doctor_file *file;
	size_t i;

	for (i = 0; i < doctor->file_count; i++) {
		file = doctor->files[i];
		if (file->device == seen->st.st_dev && file->inode == seen->st.st_ino) {
			seen_close(seen);
			return file;
		}
	}
	file = file_new(doctor, seen, path);
	if (!file) {
		seen_close(seen);
		doctor->no_memory = true;
	}
	return file;
}

/* ---- finding them ---- */

/*
 * @named: the user named the file, so the user's rights count. NULL with *@error (unless that is
 * NULL) if it cannot be opened.
 */
static struct doctor_file *path_add(struct doctor *doctor, const char *path, bool named, int *error)
{
	struct doctor_file *file = NULL;
	struct seen_file seen;
	int err = outside_open_real(&doctor->outside, path, named, COPY_IF_HOOKED, &seen);
	char *real = err ? NULL : strdup(seen.path);

	doctor_file_refused(doctor, err);
	if (real)
		file = doctor_file_add(doctor, &seen, real);
	else
		seen_close(&seen);
	free(real);
	if (error)
		*error = err;
	return file;
}

static void found_path(void *context, const char *path)
{
	path_add(context, path, false, NULL);
}

static int cached_path(void *context, const char *name, const char *path)
{
	(void)name;
	path_add(context, path, false, NULL);
	return 0;
}

static void libraries_add(struct doctor *doctor)
{
	const struct options *options = doctor->options;
	size_t i;

	for (i = 0; i < options->library_count; i++) {
		int err;
		struct doctor_file *file = path_add(doctor, options->libraries[i], true, &err);

		if (!file) {
			doctor_add(doctor, SECTION_LIBRARIES, "library", DOCTOR_PROBLEM, NULL,
				   "--library %s: %s", options->libraries[i],
				   err ? outside_error(err) : "no memory");
			continue;
		}
		file->wanted = true;
	}
}

static void place_search(void *context, const char *pattern)
{
	struct doctor *doctor = context;

	outside_glob(&doctor->outside, pattern, found_path, doctor);
}

void doctor_files_find(struct doctor *doctor)
{
	libraries_add(doctor);
	if (doctor->options->pid_count)
		return;
	ld_cache_visit("libcudart", cached_path, doctor);
	ld_cache_visit("libcuda.so", cached_path, doctor);
	places_visit(doctor->choice.layers, place_search, doctor);
}

/* ---- what became of each line of the table: pure ---- */

const char *const function_state_names[FUNCTION_STATE_COUNT] = {
	[FUNCTION_ABSENT] = "absent",
	[FUNCTION_OFF] = "off",
	[FUNCTION_PROBED] = "probed",
};

static enum function_state state_of(const struct elf_function *function,
				    const struct attach_choice *choice)
{
	return !choice_wants(choice, &call_descs[function->call]) || function->point == POINT_NONE ?
		       FUNCTION_OFF :
		       FUNCTION_PROBED;
}

static void found_judge(struct doctor_functions *functions, const struct elf_functions *found,
			const struct attach_choice *choice)
{
	size_t i, j;

	for (i = 0; i < found->count; i++) {
		const struct elf_function *place = &found->list[i];
		struct doctor_function *function = &functions->list[place->call];
		bool is_first = function->state == FUNCTION_ABSENT;

		function->state = state_of(place, choice);
		/* A name with several places is as slow as the slowest of them. */
		if (is_first || place->point == POINT_STEPPED) {
			function->point = (enum point)place->point;
			function->past = place->past;
		}
		if (function->state != FUNCTION_OFF)
			functions->points[place->point]++;
	}
	/* Further names of the same addresses */
	for (i = found->count; i < found->count + found->aliases; i++) {
		struct doctor_function *function = &functions->list[found->list[i].call];

		for (j = 0; j < found->count && function->state == FUNCTION_ABSENT; j++) {
			if (found->list[j].offset != found->list[i].offset)
				continue;
			function->state = functions->list[found->list[j].call].state;
			function->point = POINT_NONE; /* that name's probe serves it */
		}
	}
}

void functions_judge(struct doctor_functions *functions, const struct elf_functions *found,
		     const struct attach_choice *choice)
{
	unsigned int call;
	size_t i;

	memset(functions, 0, sizeof(*functions));
	for (i = 0; i < found->count; i++)
		functions->layers |= 1u << call_descs[found->list[i].call].layer;
	found_judge(functions, found, choice);
	for (call = 0; call < CALL_COUNT; call++) {
		if (!(functions->layers & 1u << call_descs[call].layer))
			continue;
		functions->table++;
		functions->counts[functions->list[call].state]++;
	}
}

bool function_is_held_to(const struct doctor_file *file, unsigned int call)
{
	return file->functions.layers & 1u << call_descs[call].layer;
}

bool file_is_shown(const struct doctor_file *file)
{
	const char *name = strrchr(file->path, '/');

	if (file->wanted)
		return true;
	/* Processes may map broken files of any kind; only CUDA's own are of interest. */
	if (file->kind == FILE_UNREADABLE)
		return name && !strncmp(name, "/libcuda", 8);
	return file->kind != FILE_NOTHING;
}

enum doctor_state file_state(const struct doctor_file *file)
{
	if (file->kind == FILE_UNREADABLE || file->kind == FILE_NOTHING)
		return DOCTOR_PROBLEM;
	return DOCTOR_OK;
}

/* ---- their functions ---- */

/* Layers of which the machine has NVIDIA's own library: forwarders to it get no probes. */
static unsigned int layers_found(const struct doctor *doctor)
{
	unsigned int layers = 0;
	size_t i;

	for (i = 0; i < doctor->file_count; i++)
		layers |= doctor->files[i]->kind == FILE_DRIVER ?
				  1u << LAYER_DRIVER | 1u << LAYER_RUNTIME :
			  doctor->files[i]->kind == FILE_RUNTIME ? 1u << LAYER_RUNTIME :
								   0;
	return layers;
}

static void file_judge(struct doctor *doctor, struct doctor_file *file)
{
	forwarders_drop(file->seen.fd, &file->found, layers_found(doctor));
	if (!file->found.count) {
		file->kind = FILE_NOTHING;
		return;
	}
	points_choose(file->seen.fd, &file->found, &doctor->facts.forms,
		      doctor->options->no_single_step);
	functions_judge(&file->functions, &file->found, &doctor->choice);
}

void doctor_files_judge(struct doctor *doctor)
{
	for (size_t i = 0; i < doctor->file_count; i++) {
		struct doctor_file *file = doctor->files[i];

		if (!file->found.count || file->seen.fd < 0)
			continue;
		file_judge(doctor, file);
		seen_close(&file->seen);
	}
}

void doctor_free(struct doctor *doctor)
{
	size_t i;

	probe_close(doctor->probe);
	for (i = 0; i < doctor->file_count; i++) {
		struct doctor_file *file = doctor->files[i];

		seen_close(&file->seen);
		free(file->found.list);
		free(file->path);
		free(file);
	}
	free(doctor->files);
	for (i = 0; i < doctor->process_count; i++) {
		struct doctor_process *process = &doctor->processes[i];

		free(process->user);
		free(process->command);
		free(process->arguments);
		free(process->container);
		free(process->refused);
		free(process->files);
	}
	free(doctor->processes);
	for (i = 0; i < doctor->finding_count; i++) {
		free(doctor->findings[i].text);
		free(doctor->findings[i].advice);
	}
	free(doctor->findings);
	memset(doctor, 0, sizeof(*doctor));
}
