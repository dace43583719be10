/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads a process's arguments, environment, status and cgroup. The process controls their contents:
 * strings are bounded here and cleaned by the model.
 */
#include "collect/process_identity.h"

#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cuda/job_rank.h"
#include "cuda/visible_devices.h"
#include "util/util.h"

/* ---- containers ---- */

/*
 * Reads names only: no daemon has to be asked, and a host without containers has none.
 *
 * A container's control group is called after its id, 64 hex digits, with a
 * word before it that depends on who made it:
 *
 *   /docker/ID                            Docker, driver cgroupfs
 *   /system.slice/docker-ID.scope         Docker, driver systemd
 *   /machine.slice/libpod-ID.scope/...    Podman
 *   .../pod<UID>/ID                       Kubernetes, driver cgroupfs
 *   .../kubepods-burstable-pod<UID>.slice/cri-containerd-ID.scope
 *   .../kubepods-burstable-pod<UID>.slice:cri-containerd:ID
 *   .../kubepods-pod<UID>.slice/crio-ID.scope
 *
 * systemd has no - within a name, so that a pod's UID has _ there; the UID of
 * a static pod is 32 hex digits without either. LXC and machines that
 * systemd knows go by names of their own. With version 1 every controller has
 * a line; of containers in containers the innermost stands last.
 */

#define ID_LEN  64
#define UID_LEN 36 /* RFC 4122: 8-4-4-4-12 */

static bool is_hex(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}

static bool is_word(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/*
 * The last run of exactly 64 hex digits: an inner container's id comes after its pod's and its
 * host's.
 */
static const char *id_find(const char *text)
{
	const char *found = NULL, *start;

	while (*text) {
		for (start = text; is_word(*text); text++)
			;
		if (text - start == ID_LEN && strspn(start, "0123456789abcdef") >= ID_LEN)
			found = start;
		text += text == start;
	}
	return found;
}

/*
 * Copies the UID at @text, with dashes. Returns false if there is none, or more digits follow it.
 */
static bool uid_copy(const char *text, char *out)
{
	size_t i;

	for (i = 0; i < UID_LEN; i++) {
		bool is_gap = i == 8 || i == 13 || i == 18 || i == 23;

		if (is_gap ? text[i] != '-' && text[i] != '_' : !is_hex(text[i]))
			break;
		out[i] = is_gap ? '-' : text[i];
	}
	if (i != UID_LEN) {
		for (i = 0; i < 32 && is_hex(text[i]); i++)
			out[i] = text[i];
		if (i != 32)
			return false;
	}
	out[i] = 0;
	return !is_word(text[i]) && text[i] != '-' && text[i] != '_';
}

static void pod_find(const char *text, struct container *container)
{
	char uid[UID_LEN + 1];
	const char *at;

	for (at = text; (at = strstr(at, "pod")) != NULL; at += 3)
		if (at > text && (at[-1] == '/' || at[-1] == '-') && uid_copy(at + 3, uid))
			strcpy(container->pod, uid);
}

/*
 * Copies a name between @mark and the next / or line end; systemd's escapes (\x2d and so on) are
 * undone.
 */
static bool name_find(const char *text, const char *mark, const char *ending,
		      struct container *container)
{
	const char *at = strstr(text, mark);
	size_t len, tail = strlen(ending), used = 0, i;

	if (!at)
		return false;
	at += strlen(mark);
	len = strcspn(at, "/\n");
	if (tail && (len <= tail || strncmp(at + len - tail, ending, tail)))
		return false;
	len -= tail;
	for (i = 0; i < len && used + 1 < sizeof(container->id); i++) {
		unsigned int code;

		if (at[i] == '\\' && len - i >= 4 && sscanf(at + i, "\\x%2x", &code) == 1) {
			container->id[used++] = code > ' ' && code < 0x7f ? (char)code : '?';
			i += 3;
		} else {
			container->id[used++] = at[i] > ' ' && at[i] < 0x7f ? at[i] : '?';
		}
	}
	container->id[used] = 0;
	return used != 0;
}

bool container_of_cgroups(const char *cgroups, struct container *container)
{
	static const struct {
		const char *mark, *ending;
	} names[] = {
		{ "/lxc.payload.", "" },
		{ "/lxc/", "" },
		{ "/machine-", ".scope" },
		{ "/systemd-nspawn@", ".service" },
	};
	const char *at = id_find(cgroups);
	size_t i;

	memset(container, 0, sizeof(*container));
	pod_find(cgroups, container);
	if (at)
		snprintf(container->id, sizeof(container->id), "%.*s", ID_LEN, at);
	for (i = 0; !container->id[0] && i < ARRAY_LEN(names); i++)
		name_find(cgroups, names[i].mark, names[i].ending, container);
	return container->id[0] || container->pod[0];
}

bool container_read(unsigned int pid, struct container *container)
{
	char path[64], *text;
	bool is_there;

	snprintf(path, sizeof(path), "/proc/%u/cgroup", pid);
	text = file_read(path, CGROUPS_MAX, NULL);
	is_there = text != NULL;
	container_of_cgroups(text ? text : "", container);
	free(text);
	return is_there;
}

/* ---- identity ---- */

#define COMMAND_MAX 4096 /* bytes of a command line kept */

/*
 * True if @tgid, in a container, has users of its own: its image's, which have our numbers. Not where
 * the container's numbers are mapped to ours: then that is what we see.
 */
static bool has_own_users(uint32_t tgid, uint32_t uid, const struct container *container)
{
	struct stat ours, theirs;
	char path[64];

	if (!uid || (!container->id[0] && !container->pod[0]))
		return false;
	snprintf(path, sizeof(path), "/proc/%u/ns/user", tgid);
	return stat("/proc/self/ns/user", &ours) || stat(path, &theirs) ||
	       ours.st_ino == theirs.st_ino;
}

static void user_name(uint32_t uid, bool is_ours, char *out, size_t size)
{
	struct passwd entry, *found = NULL;
	char buffer[4096];

	if (is_ours && !getpwuid_r(uid, &entry, buffer, sizeof(buffer), &found) && found)
		snprintf(out, size, "%s", found->pw_name);
	else
		snprintf(out, size, "%u", uid);
}

void process_comm(uint32_t pid, char comm[CUTOP_COMM_LEN])
{
	char path[64], *text;

	memset(comm, 0, CUTOP_COMM_LEN);
	snprintf(path, sizeof(path), "/proc/%u/comm", pid);
	text = file_read(path, 64, NULL);
	if (text)
		snprintf(comm, CUTOP_COMM_LEN, "%.*s", (int)strcspn(text, "\n"), text);
	free(text);
}

void process_brief(uint32_t pid, char *comm, char *user, size_t size, struct container *container)
{
	char path[64];
	struct stat st;

	*user = 0;
	container_read(pid, container);
	process_comm(pid, comm);
	snprintf(path, sizeof(path), "/proc/%u", pid);
	if (!stat(path, &st))
		user_name(st.st_uid, !has_own_users(pid, st.st_uid, container), user, size);
}

/*
 * Splits @text, NUL-ended words, into the first word and the rest, joined by spaces. Changes @text.
 */
static void words_split(char *text, size_t len, char *command, char *arguments, size_t size)
{
	size_t first, i;

	/* A title that is shorter than what it was written over is filled up. */
	while (len && (!text[len - 1] || text[len - 1] == ' '))
		len--;
	text[len] = 0;
	snprintf(command, size, "%s", text);
	first = strlen(text);
	if (first >= len)
		return;
	for (i = first + 1; i < len; i++)
		if (!text[i])
			text[i] = ' ';
	text[len] = 0;
	snprintf(arguments, size, "%s", text + first + 1);
}

/*
 * The text in the record was read inside the process, so it belongs to the right program, whatever
 * the pid means by now. Only what did not fit is read from /proc, and believed if it begins in the
 * same way.
 */
static int command_read(const struct outside *outside, const struct rec_process *process,
			char *command, char *arguments, size_t size)
{
	size_t told = process->args_len < sizeof(process->args) ? process->args_len :
								  sizeof(process->args) - 1;
	char words[CUTOP_ARGS_LEN], *text;
	size_t len = 0;
	int err;

	arguments[0] = 0;
	snprintf(command, size, "%.*s", CUTOP_COMM_LEN, process->comm);
	memcpy(words, process->args, told);
	words[told] = 0;
	if (words[0] && told < sizeof(process->args) - 1) {
		words_split(words, told, command, arguments, size);
		return 0;
	}
	text = outside_arguments(outside, (pid_t)process->hdr.tgid, COMMAND_MAX, &len, &err);
	if (text && text[0] && len >= told && !memcmp(text, words, told))
		words_split(text, len, command, arguments, size);
	else if (words[0])
		words_split(words, told, command, arguments, size);
	free(text);
	return err;
}

/*
 * For a process whose inner pid BPF did not report: the innermost pid in "NSpid:", 0 if the kernel
 * does not show it.
 */
static uint32_t namespace_pid(uint32_t tgid)
{
	char path[64], *text, *line, *end;
	uint32_t pid = 0;

	snprintf(path, sizeof(path), "/proc/%u/status", tgid);
	text = file_read(path, 16384, NULL);
	if (!text)
		return 0;
	line = strstr(text, "\nNSpid:");
	if (line) {
		line += 7;
		line[strcspn(line, "\n")] = 0;
		while (*line) {
			pid = (uint32_t)strtoul(line, &end, 10);
			if (end == line)
				break;
			line = end + strspn(end, " \t");
		}
	}
	free(text);
	return pid;
}

/* The last string of: user, command, arguments, container, pod, devices; and room for it */
#define DEVICES_STRING 5
#define DEVICES_ROOM   (VISIBLE_MAX * 5 + 1)

struct rec_identity *identity_read(const struct outside *outside, const struct rec_process *process,
				   enum late late, struct device_clues *clues, int *error)
{
	char user[256], command[COMMAND_MAX + 1], arguments[COMMAND_MAX + 1], *at;
	struct rec_identity *identity;
	struct container container;
	uint64_t boot_to_real;
	int err = 0;

	/* If it is already gone, use its parent, which is mostly in the same container. */
	if (!container_read(process->hdr.tgid, &container))
		container_read(process->parent_tgid, &container);
	user_name(process->uid, !has_own_users(process->hdr.tgid, process->uid, &container), user,
		  sizeof(user));
	*error = command_read(outside, process, command, arguments, sizeof(command));
	if (clues)
		clues->text = outside_devices(outside, (pid_t)process->hdr.tgid, &clues->len, &err);
	if (!outside_is_later(*error) && *error != -ETIMEDOUT)
		*error = outside_is_later(err) || err == -ETIMEDOUT ? err : 0;
	identity = calloc(1, sizeof(*identity) + strlen(user) + strlen(command) +
				     strlen(arguments) + strlen(container.id) +
				     strlen(container.pod) + DEVICES_STRING + DEVICES_ROOM + 8);
	if (!identity)
		return NULL;
	identity->hdr = process->hdr;
	identity->hdr.type = REC_IDENTITY;
	boot_to_real = clock_ns(CLOCK_REALTIME) - clock_ns(CLOCK_BOOTTIME);
	identity->start_time = process->start_time + boot_to_real;
	identity->parent_tgid = process->parent_tgid;
	identity->uid = process->uid;
	identity->ns_tgid = process->ns_tgid ? process->ns_tgid : namespace_pid(process->hdr.tgid);
	identity->watched_from = late == LATE_ALL   ? WATCHED_FROM_ATTACH :
				 late == LATE_CALLS ? WATCHED_RUNTIME_LATER :
						      WATCHED_FROM_START;
	at = identity->strings;
	at = stpcpy(at, user) + 1;
	at = stpcpy(at, command) + 1;
	at = stpcpy(at, arguments) + 1;
	at = stpcpy(at, container.id) + 1;
	strcpy(at, container.pod);
	identity_devices(identity, &(struct device_clues){ .text = NULL },
			 &(struct visible_gpus){ .count = 0 });
	return identity;
}

bool identity_devices(struct rec_identity *identity, const struct device_clues *clues,
		      const struct visible_gpus *gpus)
{
	bool is_late = identity->watched_from == WATCHED_FROM_ATTACH, waits = false;
	struct visible_gpus ours = { .list = NULL };
	int devices[VISIBLE_MAX], i;
	char *at = identity->strings;
	size_t count = 0, j;

	if (clues->text && !gpus->count)
		visible_gpus_read(VISIBLE_GPUS, &ours);
	if (clues->text) {
		identity->rank = (__u16)(job_rank(clues->text, clues->len) + 1);
		count = visible_find(clues->text, clues->len, is_late, gpus->count ? gpus : &ours,
				     devices);
	}
	visible_gpus_free(&ours);
	for (i = 0; i < DEVICES_STRING; i++)
		at += strlen(at) + 1;
	memset(at, 0, DEVICES_ROOM);
	for (j = 0; j < count; j++) {
		at += sprintf(at, "%s%d", j ? "," : "", devices[j]);
		waits |= devices[j] == VISIBLE_UNKNOWN;
	}
	identity->hdr.size = (__u16)((at + 1 - (char *)identity + 7) & ~7);
	return !gpus->count && clues->text && (waits || visible_has_node(clues->text, clues->len));
}
