# SPDX-License-Identifier: GPL-2.0-or-later
# cutop doctor.
doctor_sources = \
	src/doctor/doctor_check.h \
	src/doctor/doctor_checks.c \
	src/doctor/doctor_facts.c \
	src/doctor/doctor_files.c \
	src/doctor/doctor_functions.c \
	src/doctor/doctor_harm.c \
	src/doctor/doctor_json.c \
	src/doctor/doctor_processes.c \
	src/doctor/doctor_program_checks.c \
	src/doctor/doctor_text.c
doctor_mode_sources = \
	src/doctor/doctor.c src/doctor/doctor.h \
	src/doctor/doctor_child.c src/doctor/doctor_child.h \
	src/doctor/doctor_nvml.c
