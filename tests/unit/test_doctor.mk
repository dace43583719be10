# SPDX-License-Identifier: GPL-2.0-or-later
# What cutop doctor concludes.
if HAVE_CHECK
check_PROGRAMS += tests/unit/test_doctor
TESTS += tests/unit/test_doctor
endif

tests_unit_test_doctor_SOURCES = \
	tests/unit/one_doctor.h \
	tests/unit/test_doctor.c \
	tests/unit/test_doctor_processes.c \
	src/doctor/doctor.h $(doctor_sources)
tests_unit_test_doctor_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_doctor_LDADD = $(probe_libs) $(core_libs) $(check_libs) $(LIBBPF_LIBS)
