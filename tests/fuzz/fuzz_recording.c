/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A recording that somebody made up: opened, replayed from end to end, printed,
 * and gone back in.
 *
 * Nothing would come past the checksums by chance, so they are made right first,
 * unless the last byte is odd: then the input is taken as it is. What records
 * say is tried by fuzz_records.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

#include "fuzz.h"
#include "record/format.h"
#include "record/replay.h"

static void checks_mend(uint8_t *data, size_t size)
{
	struct block_header header;
	size_t at = sizeof(struct recording_preamble);

	while (size >= sizeof(header) && at <= size - sizeof(header)) {
		memcpy(&header, data + at, sizeof(header));
		if (header.stored > size - at - sizeof(header))
			header.stored = (uint32_t)(size - at - sizeof(header));
		header.magic = BLOCK_MAGIC;
		if (!(header.flags & BLOCK_IS_PACKED))
			header.bytes = header.stored;
		header.check = (uint32_t)crc32(0, data + at + sizeof(header), header.stored);
		header.own_check = (uint32_t)crc32(0, (const Bytef *)&header,
						   offsetof(struct block_header, own_check));
		memcpy(data + at, &header, sizeof(header));
		at += sizeof(header) + header.stored;
	}
}

static void replay_all(const char *path, const struct replay_settings *settings)
{
	struct replay *replay;
	struct reason why;
	const char *text;

	if (replay_open(&replay, path, settings, &why))
		return;
	snapshot_free(replay_step(replay, 0));
	snapshot_free(replay_step(replay, replay_next_time(replay)));
	snapshot_free(replay_seek(replay, replay_begin(replay) / 2 + replay_end(replay) / 2));
	snapshot_free(replay_seek(replay, replay_previous_time(replay)));
	replay_focus(replay, 1);
	replay_clear_exited(replay);
	fuzz_show(replay_step(replay, UINT64_MAX));
	reader_end(replay_reader(replay), &text);
	replay_close(replay);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct replay_settings whole = { .map_max = 10, .uid = (uint32_t)-1 };
	struct replay_settings part = { .map_max = (unsigned int)-1,
					.uid = 1001,
					.command_glob = "*a*" };
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	uint8_t *copy = malloc(size + 1);
	char path[64];

	if (fd < 0 || !copy)
		abort();
	if (size)
		memcpy(copy, data, size);
	if (size && !(data[size - 1] & 1))
		checks_mend(copy, size);
	if (write(fd, copy, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	replay_all(path, size % 2 ? &whole : &part);
	free(copy);
	close(fd);
	return 0;
}
