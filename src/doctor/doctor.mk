# SPDX-License-Identifier: GPL-2.0-or-later
# cutop doctor.
doctor_sources = \
	src/doctor/doctor_checks.c \
	src/doctor/doctor_files.c \
	src/doctor/doctor_processes.c \
	src/doctor/doctor_report.c
doctor_mode_sources = src/doctor/doctor.c src/doctor/doctor.h
