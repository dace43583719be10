/* SPDX-License-Identifier: GPL-2.0-or-later */
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
#include "collect/container.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/util.h"

#define ID_LEN     64
#define UID_LEN    36 /* RFC 4122: 8-4-4-4-12 */
#define STAT_MAX   4096
#define PF_EXITING 0x4 /* linux/sched.h */

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

/* With version 1, a process that is exiting has been moved to the root of every controller. */
static bool is_exiting(unsigned int pid)
{
	char path[64], *text, *at;
	unsigned int flags = 0;

	snprintf(path, sizeof(path), "/proc/%u/stat", pid);
	text = file_read(path, STAT_MAX, NULL);
	/*
	 * The name, in parentheses, may contain anything; the flags are the 7th word after it:
	 * proc(5).
	 */
	at = text ? strrchr(text, ')') : NULL;
	if (at)
		sscanf(at + 1, " %*s %*s %*s %*s %*s %*s %u", &flags);
	free(text);
	return flags & PF_EXITING;
}

bool container_read(unsigned int pid, struct container *container)
{
	char path[64], *text;
	bool is_there;

	snprintf(path, sizeof(path), "/proc/%u/cgroup", pid);
	text = file_read(path, CGROUPS_MAX, NULL);
	is_there = text != NULL;
	if (!container_of_cgroups(text ? text : "", container) && is_there)
		is_there = !is_exiting(pid);
	free(text);
	return is_there;
}
