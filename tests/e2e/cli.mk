# SPDX-License-Identifier: GPL-2.0-or-later
# Tests of the command line, of exit statuses, of attaching and of bad input.
# Include after e2e.mk.
cli_tests = \
	tests/e2e/test_options.sh \
	tests/e2e/test_ahead.sh \
	tests/e2e/test_metrics.sh \
	tests/e2e/test_service.sh

cli_helper_files = tests/e2e/held.c tests/e2e/loader.c tests/e2e/tiny_runtime.c tests/e2e/same_pid.c tests/e2e/stepped_clock.c
cli_helpers = $(e2e_bin)/held $(e2e_bin)/libheld.so $(e2e_bin)/first $(e2e_bin)/first-origin $(e2e_bin)/loader $(e2e_bin)/libcudart.so.99 $(e2e_bin)/libcudart-shifted.so $(e2e_bin)/same_pid $(e2e_bin)/stepped_clock.so

$(e2e_bin)/loader: tests/e2e/loader.c
	@$(MKDIR_P) $(e2e_bin)
	$(AM_V_GEN)$(CC) $(WORKLOAD_CFLAGS) -o $@ $(srcdir)/tests/e2e/loader.c -ldl

$(e2e_bin)/held: tests/e2e/held.c
	@$(MKDIR_P) $(e2e_bin)
	$(AM_V_GEN)$(CC) $(WORKLOAD_CFLAGS) -o $@ $(srcdir)/tests/e2e/held.c -ldl -pthread
# Its libraries are where its environment says.
$(e2e_bin)/first: tests/e2e/held.c $(workload_header_files) $(double_lib)/libcudart.so.13
	@$(MKDIR_P) $(e2e_bin)
	$(AM_V_GEN)$(CC) $(WORKLOAD_CFLAGS) -I$(srcdir)/tests/double -DFIRST -o $@ $(srcdir)/tests/e2e/held.c $(double_lib)/libcudart.so.13
$(e2e_bin)/first-origin: tests/e2e/held.c $(workload_header_files) $(double_lib)/libcudart.so.13
	@$(MKDIR_P) $(e2e_bin)
	$(AM_V_GEN)$(CC) $(WORKLOAD_CFLAGS) -I$(srcdir)/tests/double -DFIRST -o $@ $(srcdir)/tests/e2e/held.c $(double_lib)/libcudart.so.13 \
	  -Wl,-rpath,'$$ORIGIN/../$$LIB:$$ORIGIN/../lib64'
# Finds the double beside itself: a test copies both to where nothing leads.
$(e2e_bin)/libheld.so: tests/e2e/held.c $(workload_header_files) $(double_lib)/libcudart.so.13
	@$(MKDIR_P) $(e2e_bin)
	$(AM_V_GEN)$(CC) $(WORKLOAD_CFLAGS) -I$(srcdir)/tests/double -DLIBRARY -shared -fPIC -o $@ $(srcdir)/tests/e2e/held.c \
	  $(double_lib)/libcudart.so.13 -Wl,-rpath,'$$ORIGIN'

# Functions that begin with a push, as everywhere; and aligned as NVIDIA's runtime is: the loader reserves memory first, and
# maps the file into that.
$(e2e_bin)/libcudart.so.99: tests/e2e/tiny_runtime.c
	@$(MKDIR_P) $(e2e_bin)
	$(AM_V_GEN)$(CC) $(WORKLOAD_CFLAGS) -fPIC -shared -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer -fcf-protection=none \
	  -Wl,-soname,libcudart.so.99 -Wl,-z,noseparate-code,-z,max-page-size=0x200000 -o $@ $(srcdir)/tests/e2e/tiny_runtime.c

$(e2e_bin)/libcudart-shifted.so: tests/e2e/tiny_runtime.c
	@$(MKDIR_P) $(e2e_bin)
	$(AM_V_GEN)$(CC) $(WORKLOAD_CFLAGS) -DSHIFTED -fPIC -shared -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer -fcf-protection=none \
	  -Wl,-soname,libcudart.so.99 -o $@ $(srcdir)/tests/e2e/tiny_runtime.c

$(e2e_bin)/same_pid: tests/e2e/same_pid.c
	@$(MKDIR_P) $(e2e_bin)
	$(AM_V_GEN)$(CC) $(WORKLOAD_CFLAGS) -o $@ $(srcdir)/tests/e2e/same_pid.c
$(e2e_bin)/stepped_clock.so: tests/e2e/stepped_clock.c
	@$(MKDIR_P) $(e2e_bin)
	$(AM_V_GEN)$(CC) $(WORKLOAD_CFLAGS) -fPIC -shared -o $@ $(srcdir)/tests/e2e/stepped_clock.c

check_DATA += $(cli_helpers)
CLEANFILES += $(cli_helpers)
EXTRA_DIST += $(cli_tests) $(cli_helper_files) tests/e2e/cli.sh tests/e2e/metrics.py
