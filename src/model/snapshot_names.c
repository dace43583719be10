/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Places in the code, stacks and kernels' names as a snapshot has them. All of it is in the present
 * copy of the program's names (struct shown_names), each text once, and stays there for later
 * snapshots: copying the texts each time would take as long as everything else in a snapshot.
 */
#include <errno.h>
#include <string.h>

#include "model/build.h"
#include "model/name_store.h"

int build_names(struct build *build, struct program *program)
{
	struct shown_names *shown = &program->shown;

	if (shown->kept_by == build->number)
		return 0;
	if (!shown->arena || shown->changes != program->names.changes) {
		arena_free(shown->arena);
		shown->arena = arena_new();
		if (!shown->arena)
			return -ENOMEM;
		shown->changes = program->names.changes;
		shown->copy++;
	}
	if (arena_keep(build->arena, shown->arena))
		return -ENOMEM;
	shown->kept_by = build->number;
	return 0;
}

/* Brings what snapshots have of @place into the present copy. Returns 0 or -ENOMEM. */
static int place_show(const struct program *program, struct place *place)
{
	const struct shown_names *names = &program->shown;
	size_t count = place_frames_count(place), i;
	const struct snap_frame **facts;
	const char *name = place->name, *text, **texts;
	char where[256];

	if (place->copy == names->copy)
		return 0;
	if (!name) {
		names_describe(&program->names, place->address, where, sizeof(where));
		name = where;
	}
	place->shown = arena_string(names->arena, name);
	facts = arena_alloc(names->arena, count, sizeof(struct snap_frame *));
	texts = arena_alloc(names->arena, count, sizeof(*texts));
	if (!place->shown || !facts || !texts)
		return -ENOMEM;
	for (i = 0; i < count; i++) {
		text = place_frames_text(place, i);
		texts[i] = !text || text == place->name ? place->shown :
							  arena_string(names->arena, text);
		if (!texts[i] || place_frames_build(names->arena, place, i, &facts[i]))
			return -ENOMEM;
	}
	place->texts = texts;
	place->facts = facts;
	place->copy = names->copy;
	return 0;
}

/* The same of @stack. */
static int stack_show(const struct program *program, struct stack *stack)
{
	const struct shown_names *names = &program->shown;
	const struct snap_frame **facts;
	const char **texts;
	size_t count = 0, known = 0, at = 0, i, j;

	if (stack->copy == names->copy)
		return 0;
	for (i = 0; i < stack->count; i++) {
		if (place_show(program, stack->frames[i]))
			return -ENOMEM;
		count += place_frames_count(stack->frames[i]);
	}
	texts = arena_alloc(names->arena, count, sizeof(*texts));
	facts = arena_alloc(names->arena, count, sizeof(struct snap_frame *));
	if (!texts || !facts)
		return -ENOMEM;
	for (i = 0; i < stack->count; i++) {
		const struct place *place = stack->frames[i];

		if (i == stack->shown)
			stack->shown_text = at + place_frames_named(place);
		for (j = 0; j < place_frames_count(place); j++, at++) {
			texts[at] = place->texts[j];
			facts[at] = place->facts[j];
			known += facts[at] != NULL;
		}
	}
	stack->texts = texts;
	stack->facts = facts;
	stack->text_count = count;
	stack->fact_count = known ? count : 0;
	stack->copy = names->copy;
	return 0;
}

int build_place(const struct program *program, struct place *place, struct stack *stack,
		struct snap_place *where)
{
	struct place *shown = stack && stack->shown ? stack->frames[stack->shown] : place;

	*where = (struct snap_place){ .site = NULL };
	if (place_show(program, shown) || (stack && stack_show(program, stack)))
		return -ENOMEM;
	where->site = shown->shown;
	if (stack) {
		where->shown = stack->shown_text;
		where->stack = stack->texts;
		where->stack_count = stack->text_count;
		where->frames = stack->facts;
		where->frame_count = stack->fact_count;
	} else {
		/* Its own frame, then those around it, which tell places of one name apart. */
		where->frames = place->facts + place_frames_named(place);
		where->frame_count =
			*where->frames ? place_frames_count(place) - place_frames_named(place) : 0;
	}
	return 0;
}

int build_place_at(struct build *build, struct program *program, uint64_t site, uint64_t stack,
		   struct snap_place *where)
{
	struct place *place = site ? names_place(&program->names, site) : NULL;

	*where = (struct snap_place){ .site = NULL };
	/* Without one there is no room for it. */
	if (!place)
		return 0;
	return build_names(build, program) ?:
		       build_place(program, place, names_stack(&program->names, stack), where);
}

/* ---- kernels ---- */

/* The texts of @name in the present copy of the names. */
static struct kernel_texts *texts_of(const struct program *program, const struct kernel_name *name)
{
	struct kernel_texts *texts = &((struct kernel_name *)name)->texts;

	if (texts->copy != program->shown.copy)
		*texts = (struct kernel_texts){ .copy = program->shown.copy };
	return texts;
}

/* Copies @text unless *@shown is that already. Returns 0 or -ENOMEM. */
static int text_show(const struct program *program, const char *text, const char **shown)
{
	if (!*shown && text)
		*shown = arena_string(program->shown.arena, text);
	return *shown || !text ? 0 : -ENOMEM;
}

int build_kernel_name(const struct program *program, const struct kernel_name *name,
		      const struct kernel_texts **shown)
{
	struct kernel_texts *texts = texts_of(program, name);

	*shown = texts;
	return text_show(program, name->brief, &texts->brief)       ?:
		       text_show(program, name->full, &texts->full) ?:
		       text_show(program, name->symbol, &texts->symbol);
}

int build_kernel_form(struct program *program, const struct kernel_name *name, enum name_form form,
		      const char **shown)
{
	const char *text = names_form(&program->names, name, form);
	struct kernel_texts *texts = texts_of(program, name);
	const struct kernel_texts *plain;

	if (build_kernel_name(program, name, &plain))
		return -ENOMEM;
	if (!strcmp(text, plain->brief))
		*shown = plain->brief;
	else if (!strcmp(text, plain->full))
		*shown = plain->full;
	else if (form == FORM_SYMBOL)
		*shown = plain->symbol;
	else if (text_show(program, text, &texts->forms[form]))
		return -ENOMEM;
	else
		*shown = texts->forms[form];
	return 0;
}
