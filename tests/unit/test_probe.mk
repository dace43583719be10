# SPDX-License-Identifier: GPL-2.0-or-later
# What reads files of others, and the command line.
if HAVE_CHECK
check_PROGRAMS += tests/unit/test_probe tests/unit/test_visible tests/unit/test_names tests/unit/test_lines tests/unit/test_cfi tests/unit/test_unwind tests/unit/test_bounds tests/unit/test_resolver tests/unit/test_rights
TESTS += tests/unit/test_probe tests/unit/test_visible tests/unit/test_names tests/unit/test_lines tests/unit/test_cfi tests/unit/test_unwind tests/unit/test_bounds tests/unit/test_resolver tests/unit/test_rights
endif

tests_unit_test_probe_SOURCES = \
	tests/unit/probe_tests.h \
	tests/unit/test_arrivals.c \
	tests/unit/test_call_site_rows.c \
	tests/unit/test_closure.c \
	tests/unit/test_container.c \
	tests/unit/test_cost.c \
	tests/unit/test_elfinfo.c \
	tests/unit/test_extras.c \
	tests/unit/test_kernel_table.c \
	tests/unit/test_maps.c \
	tests/unit/test_near.c \
	tests/unit/test_errand.c \
	tests/unit/test_options.c \
	tests/unit/test_outside.c \
	tests/unit/test_forwarders.c \
	tests/unit/test_points.c \
	tests/unit/test_probe.c \
	tests/unit/test_python.c \
	tests/unit/test_runtime_code.c \
	$(cli_sources)
tests_unit_test_probe_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_probe_LDADD = $(probe_libs) $(view_libs) $(core_libs) $(LIBBPF_LIBS) $(check_libs)

tests_unit_test_visible_SOURCES = tests/unit/test_visible.c
tests_unit_test_visible_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_visible_LDADD = $(probe_libs) $(view_libs) $(core_libs) $(check_libs)

tests_unit_test_rights_SOURCES = tests/unit/test_rights.c src/util/rights.c
tests_unit_test_rights_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_rights_LDADD = $(core_libs) $(CAPNG_LIBS) $(SECCOMP_LIBS) $(check_libs)

# It reads its own debug information.
tests_unit_test_names_SOURCES = tests/unit/test_names.c tests/unit/self_file.c tests/unit/self_file.h
tests_unit_test_names_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS) -g
tests_unit_test_names_LDADD = $(probe_libs) $(core_libs) $(check_libs)
tests_unit_test_lines_SOURCES = tests/unit/test_lines.c tests/unit/self_file.c tests/unit/self_file.h
tests_unit_test_lines_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS) -g
tests_unit_test_lines_LDADD = $(core_libs) $(check_libs)
tests_unit_test_cfi_SOURCES = tests/unit/test_cfi.c tests/unit/self_file.c tests/unit/self_file.h
tests_unit_test_cfi_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS) -g
tests_unit_test_cfi_LDADD = $(core_libs) $(check_libs)
# It walks its own stacks, whose frames are to be as in programs that were built for speed.
tests_unit_test_unwind_SOURCES = tests/unit/test_unwind.c
tests_unit_test_unwind_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS) -O2 -fomit-frame-pointer
tests_unit_test_unwind_LDADD = $(core_libs) $(check_libs)

tests_unit_test_bounds_SOURCES = tests/unit/test_bounds.c
tests_unit_test_bounds_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_bounds_LDADD = $(core_libs) $(check_libs)

tests_unit_test_resolver_SOURCES = tests/unit/test_resolver.c
tests_unit_test_resolver_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_resolver_LDADD = $(core_libs) $(check_libs)

# Where arguments lie, for both machines: the same file twice, with the machine's name.
if HAVE_CHECK
check_PROGRAMS += tests/unit/test_abi
TESTS += tests/unit/test_abi
endif
abi_libraries = tests/unit/libabi_x86.a tests/unit/libabi_arm64.a
EXTRA_LIBRARIES = $(abi_libraries)
tests_unit_libabi_x86_a_SOURCES = tests/unit/abi.c tests/unit/abi.h
tests_unit_libabi_x86_a_CPPFLAGS = -DABI=x86 -D__TARGET_ARCH_x86 -I$(top_srcdir)/include -I$(top_srcdir)/bpf $(LIBBPF_CFLAGS)
tests_unit_libabi_arm64_a_SOURCES = $(tests_unit_libabi_x86_a_SOURCES)
tests_unit_libabi_arm64_a_CPPFLAGS = -DABI=arm64 -D__TARGET_ARCH_arm64 -I$(top_srcdir)/include -I$(top_srcdir)/bpf $(LIBBPF_CFLAGS)
tests_unit_test_abi_SOURCES = tests/unit/test_abi.c tests/unit/abi.h
tests_unit_test_abi_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_abi_LDADD = $(abi_libraries) $(check_libs)
CLEANFILES += $(abi_libraries)
