/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Going back means going forward again from the start, on a new model: accounts cannot be undone.
 * Snapshots are made only where they are asked for, and at the moment before, so that their rates
 * are those that were seen then. A filter selects programs, but what a program is called may be
 * recorded after its first rows: so the recording is read through once beforehand to find the
 * wanted programs.
 */
#include "record/replay.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "model/identity.h"
#include "model/stream.h"

struct seen {
	uint32_t program;
	bool pid_wanted, uid_wanted, command_wanted;
	char comm[CUTOP_COMM_LEN + 1];
	UT_hash_handle hh;
};

struct replay {
	struct reader *reader;
	struct replay_settings settings;
	struct model_config config;
	struct model *model;
	struct seen *seen;
	bool filters;
	const uint64_t *moments; /* the reader's */
	size_t moment_count;
	size_t next; /* index of the next moment */
	bool at_end;
	bool ever; /* a snapshot has been made */
	uint64_t now;
	struct rec_moment moment; /* the latest */
	uint32_t focus;
};

/* ---- the filter ---- */

static bool pid_is_wanted(const struct replay_settings *settings, uint32_t pid)
{
	size_t i;

	for (i = 0; i < settings->pid_count; i++)
		if (settings->pids[i] == pid)
			return true;
	return !settings->pid_count;
}

static struct seen *seen_find(struct replay *replay, uint32_t program)
{
	struct seen *seen;

	HASH_FIND(hh, replay->seen, &program, sizeof(program), seen);
	return seen;
}

static struct seen *seen_get(struct replay *replay, uint32_t program)
{
	struct seen *seen = seen_find(replay, program);

	if (seen)
		return seen;
	seen = calloc(1, sizeof(*seen));
	if (!seen)
		return NULL;
	seen->program = program;
	seen->uid_wanted = replay->settings.uid == (uint32_t)-1;
	seen->command_wanted = !replay->settings.command_glob;
	HASH_ADD(hh, replay->seen, program, sizeof(seen->program), seen);
	return seen;
}

static void seen_learn(struct replay *replay, struct seen *seen, const struct rec_hdr *record)
{
	const struct replay_settings *settings = &replay->settings;
	const struct rec_process *process = (const struct rec_process *)record;
	const struct rec_identity *identity = (const struct rec_identity *)record;

	/* The latest process id counts: a program is one process. */
	seen->pid_wanted = pid_is_wanted(settings, record->tgid);
	if (record->type == REC_PROCESS) {
		memcpy(seen->comm, process->comm, CUTOP_COMM_LEN);
		if (settings->uid != (uint32_t)-1)
			seen->uid_wanted = process->uid == settings->uid;
		if (settings->command_glob)
			seen->command_wanted = !fnmatch(settings->command_glob, seen->comm, 0);
	} else if (record->type == REC_IDENTITY && settings->command_glob) {
		seen->command_wanted = identity_matches(identity->strings,
							record->size - sizeof(*identity),
							seen->comm, settings->command_glob);
	}
}

static int filter_learn(struct replay *replay)
{
	const struct rec_hdr *record;
	struct seen *seen;

	while ((record = reader_next(replay->reader)) != NULL) {
		if (!record->tgid || !record->program)
			continue;
		seen = seen_get(replay, record->program);
		if (!seen)
			return -ENOMEM;
		seen_learn(replay, seen, record);
	}
	reader_rewind(replay->reader);
	return 0;
}

static bool is_wanted(struct replay *replay, uint32_t program)
{
	const struct seen *seen;

	if (!replay->filters || !program)
		return true;
	seen = seen_find(replay, program);
	return seen && seen->pid_wanted && seen->uid_wanted && seen->command_wanted;
}

/* ---- life ---- */

static int start(struct replay *replay)
{
	struct model *model = model_new(&replay->config);

	if (!model)
		return -ENOMEM;
	model_free(replay->model);
	replay->model = model;
	model_focus(model, replay->focus);
	reader_rewind(replay->reader);
	replay->next = 0;
	replay->at_end = false;
	replay->now = replay->config.start_mono;
	memset(&replay->moment, 0, sizeof(replay->moment));
	return 0;
}

int replay_open(struct replay **result, const char *path, const struct replay_settings *settings,
		struct reason *why)
{
	struct replay *replay = calloc(1, sizeof(*replay));
	const struct facts *facts;
	int err;

	*result = NULL;
	if (!replay)
		return reason_set(why, -ENOMEM, "no memory");
	replay->settings = *settings;
	replay->filters = settings->pid_count || settings->uid != (uint32_t)-1 ||
			  settings->command_glob;
	err = reader_open(&replay->reader, path, why);
	if (err) {
		free(replay);
		return err;
	}
	facts = reader_facts(replay->reader);
	replay->config.start_mono = facts->start_mono;
	replay->config.start_real = facts->start_real;
	replay->config.totals = settings->totals;
	replay->config.leak_age = settings->leak_age ? settings->leak_age : facts->leak_age;
	replay->moments = reader_moments(replay->reader, &replay->moment_count);
	if ((replay->filters && filter_learn(replay)) || start(replay)) {
		replay_close(replay);
		return reason_set(why, -ENOMEM, "no memory");
	}
	*result = replay;
	return 0;
}

void replay_close(struct replay *replay)
{
	struct seen *seen, *next;

	if (!replay)
		return;
	HASH_ITER(hh, replay->seen, seen, next) {
		HASH_DEL(replay->seen, seen);
		free(seen);
	}
	model_free(replay->model);
	reader_close(replay->reader);
	free(replay);
}

const struct reader *replay_reader(const struct replay *replay)
{
	return replay->reader;
}

void replay_focus(struct replay *replay, uint32_t program)
{
	replay->focus = program;
	model_focus(replay->model, program);
}

void replay_clear_exited(struct replay *replay)
{
	model_clear_exited(replay->model);
}

uint64_t replay_begin(const struct replay *replay)
{
	return replay->config.start_mono;
}

uint64_t replay_end(const struct replay *replay)
{
	return reader_last(replay->reader);
}

uint64_t replay_now(const struct replay *replay)
{
	return replay->now;
}

uint64_t replay_next_time(const struct replay *replay)
{
	if (replay->at_end)
		return UINT64_MAX;
	return replay->next < replay->moment_count ? replay->moments[replay->next] :
						     replay_end(replay);
}

uint64_t replay_previous_time(const struct replay *replay)
{
	return replay->next > 1 ? replay->moments[replay->next - 2] : 0;
}

/* ---- going forward ---- */

/* Takes @snapshot. */
static struct snapshot *snapshot_complete(struct replay *replay, struct snapshot *snapshot)
{
	const struct facts *facts = reader_facts(replay->reader);

	if (!snapshot)
		return NULL;
	moment_fill(snapshot, &replay->moment);
	memcpy(snapshot->host, facts->host, sizeof(snapshot->host));
	return snapshot;
}

static struct snapshot *snapshot_make(struct replay *replay)
{
	return snapshot_complete(replay, model_snapshot(replay->model, replay->now,
							replay->settings.map_max));
}

struct snapshot *replay_whole(struct replay *replay)
{
	return snapshot_complete(replay,
				 model_whole(replay->model, replay->now, replay->settings.map_max));
}

bool replay_is_damaged(const struct replay *replay)
{
	const char *why;

	return reader_end(replay->reader, &why) == RECORDING_IS_DAMAGED;
}

/*
 * Gives the model everything up to the next moment, or to the end. Returns false if there was
 * nothing left. If damage ends the recording early, what was known by then is the end, and a moment
 * of its own.
 */
static bool advance(struct replay *replay)
{
	const struct rec_hdr *record;
	bool any = false;

	while (!replay->at_end) {
		record = reader_next(replay->reader);
		if (!record) {
			/* Records after the last moment of a recording that was cut off. */
			replay->at_end = true;
			if (any && replay_end(replay) > replay->now)
				replay->now = replay_end(replay);
			return any || replay_is_damaged(replay);
		}
		any = true;
		if (record->type == REC_MOMENT) {
			memset(&replay->moment, 0, sizeof(replay->moment));
			memcpy(&replay->moment, record,
			       record->size < sizeof(replay->moment) ? record->size :
								       sizeof(replay->moment));
			if (record->time > replay->now)
				replay->now = record->time;
			replay->next += replay->next < replay->moment_count;
			replay->at_end = reader_is_done(replay->reader);
			return true;
		}
		if (!is_wanted(replay, record->program))
			continue;
		model_record(replay->model, record, record->size);
		if (replay->settings.tee)
			replay->settings.tee(replay->settings.tee_context, record, record->size);
	}
	return false;
}

struct snapshot *replay_step(struct replay *replay, uint64_t time)
{
	bool any = !replay->ever; /* an empty recording also has one snapshot */

	replay->ever = true;
	while (advance(replay)) {
		any = true;
		if (replay->now >= time)
			break;
	}
	return any ? snapshot_make(replay) : NULL;
}

struct snapshot *replay_seek(struct replay *replay, uint64_t time)
{
	size_t moments = 0;

	while (moments < replay->moment_count && replay->moments[moments] <= time)
		moments++;
	moments += !moments;
	/* One moment further is a step; to stay or to go back, start again from the beginning. */
	if (replay->next >= moments && start(replay))
		return NULL;
	while (replay->next + 1 < moments)
		if (!advance(replay))
			break;
	/* A snapshot one moment earlier: rates are changes since then. */
	if (replay->next && replay->next < moments)
		snapshot_free(model_snapshot(replay->model, replay->now, 0));
	if (!advance(replay))
		return snapshot_make(replay);
	/* Go to the very end, past the last moment if the recording was cut off. */
	if (time >= replay_end(replay) && !replay->at_end)
		return replay_step(replay, UINT64_MAX);
	return snapshot_make(replay);
}
