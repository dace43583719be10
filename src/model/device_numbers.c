/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/device_numbers.h"

static void renumber(struct model *model, struct program *program,
		     const struct own_devices *numbers)
{
	struct program *other;

	ledger_renumber(&program->ledger, numbers);
	blocks_renumber(&program->blocks, numbers);
	statics_renumber(&program->statics, numbers);
	if (!program->ledger.held_on.count)
		return;
	for (other = programs_first(&model->programs); other; other = programs_next(other))
		devices_sizes(&model->held_on, &other->ledger.held_on);
}

/*
 * If reading the environment took long, there may be memory that was counted on the devices of the
 * machine that have the program's own numbers.
 */
void device_numbers_learned(struct model *model, struct program *program)
{
	renumber(model, program, &program->devices);
	own_devices_renumber(&program->devices);
}

static void list_program(struct model *model, struct program *program)
{
	struct own_devices *devices = &program->devices, numbers;
	unsigned int count = own_devices_count(devices);
	bool was_listed = devices->is_listed;
	size_t i;

	for (i = 0; i < model->readings.process_count; i++) {
		const struct rec_process_reading *reading = &model->readings.processes[i];

		if (reading->pid != program->identity.pid || !reading->has_device)
			continue;
		own_devices_note(devices, reading->device);
		devices->is_listed = true;
	}
	if (devices->is_listed == was_listed && own_devices_count(devices) == count)
		return;
	if (own_devices_machine(devices, CUTOP_DEVICE_UNKNOWN) == CUTOP_DEVICE_UNKNOWN)
		return;
	/* Numbers that are known are the machine's already. */
	numbers = *devices;
	numbers.visible_count = 0;
	renumber(model, program, &numbers);
}

void device_numbers_listed(struct model *model)
{
	struct program *program;

	if (!model->readings.is_new)
		return;
	model->readings.is_new = false;
	for (program = programs_first(&model->programs); program; program = programs_next(program))
		/* Before the identity is known, the books may have the program's own numbers. */
		if (program->identity.identified && !program->ended)
			list_program(model, program);
}
