/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/lives.h"

#include "model/build_totals.h"
#include "model/ledger_end.h"
#include "model/model_state.h"
#include "model/telling.h"

static void forget(struct model *model, struct image *image)
{
	build_totals_retire(model, image);
	images_remove(&model->images, image);
}

/* One more ended than there is room for: the oldest goes, of those whose counters are complete if there is one. */
static void bound_ended(struct model *model)
{
	struct images *images = &model->images;
	struct image *image, *next;

	for (image = images->ended_first; image && images->ended_count > model->config.max_exited; image = next) {
		next = image->ended_after;
		if (image->settled || images->ended_count > model->config.max_exited + UNSETTLED_MAX)
			forget(model, image);
	}
}

void model_graphs_done(struct model *model, uint32_t number)
{
	struct image *image = images_find(&model->images, number);

	if (!image)
		return;
	graphs_settle(&image->graphs);
	graphs_free(&image->graphs);
	image->settled = image->ended;
	bound_ended(model);
}

void model_clear_exited(struct model *model)
{
	struct image *image;

	for (image = model->images.ended_first; image; image = image->ended_after)
		image->cleared = true;
}

void lives_trim(struct model *model)
{
	struct image *image, *next;
	size_t weight = 0;

	for (image = model->images.ended_first; image; image = next) {
		next = image->ended_after;
		if (image->cleared)
			forget(model, image);
		else
			weight += image_weight(image);
	}
	for (image = model->images.ended_first; image && weight > ENDED_BYTES_MAX; image = next) {
		next = image->ended_after;
		if (!image->settled)
			continue;
		weight -= image_weight(image);
		forget(model, image);
	}
}

void lives_expire(struct model *model, struct image *image, uint64_t now)
{
	size_t lost = ledger_expire(&image->ledger, now);

	if (lost)
		model_lose(model, LOST_FREE, lost);
}

void lives_end(struct model *model, struct image *image, uint64_t time, enum end_reason reason, int code)
{
	struct end_news news;

	ledger_end(&image->ledger, time, &news);
	levels_free(&image->levels);
	globals_free(&image->globals);
	statics_free(&image->statics);
	image->ended = true;
	image->end_time = time;
	image->end_reason = reason;
	image->exit_code = code;
	tell_end(model, image, &news);
	images_end(&model->images, image);
	bound_ended(model);
	images_drop_maps(&model->images);
}

void lives_begin(struct model *model, struct image *image, const struct rec_process *record)
{
	struct image *other;

	if (image->identity.begun)
		return;
	identity_begin(&image->identity, record);
	/* That we were not told of its end is a loss, not its life. */
	other = images_overtaken(&model->images, image);
	if (other) {
		other->inexact = true;
		lives_end(model, other, record->hdr.time, END_EXIT, 0);
	}
	tell_start(model, image, record);
}
