/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Places in the code as a snapshot has them: each text once, however many refer to it. */
#include <errno.h>

#include "model/build.h"
#include "model/place_frames.h"

static const char *text_of(struct build *build, struct program *program, struct place *place)
{
	const char *name = place->name;
	char where[256];

	if (place->shown && place->shown_in == build->number)
		return place->shown;
	if (!name) {
		names_describe(&program->names, place->address, where, sizeof(where));
		name = where;
	}
	place->shown = arena_string(build->arena, name);
	place->shown_in = build->number;
	return place->shown;
}

static int build_stack(struct build *build, struct program *program, const struct stack *stack,
		       struct snap_place *where)
{
	const char **frames = arena_alloc(build->arena, stack->count, sizeof(*frames));
	size_t i;

	if (!frames)
		return -ENOMEM;
	for (i = 0; i < stack->count; i++) {
		frames[i] = text_of(build, program, stack->frames[i]);
		if (!frames[i])
			return -ENOMEM;
	}
	where->stack = frames;
	where->stack_count = stack->count;
	return 0;
}

int build_place(struct build *build, struct program *program, struct place *place,
		const struct stack *stack, struct snap_place *where)
{
	struct place *shown = stack && stack->shown ? stack->frames[stack->shown] : place;

	*where = (struct snap_place){ .site = text_of(build, program, shown),
				      .shown = stack ? stack->shown : 0 };
	if (!where->site || (stack && build_stack(build, program, stack, where)))
		return -ENOMEM;
	return place_frames_build(build->arena, build->number, stack ? stack->frames : &place,
				  stack ? stack->count : 1, where);
}

int build_place_at(struct build *build, struct program *program, uint64_t site, uint64_t stack,
		   struct snap_place *where)
{
	struct place *place = site ? names_place(&program->names, site) : NULL;

	*where = (struct snap_place){ .site = NULL };
	/* Without one there is no room for it. */
	return place ? build_place(build, program, place, names_stack(&program->names, stack),
				   where) :
		       0;
}
