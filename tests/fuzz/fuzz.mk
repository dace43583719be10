# SPDX-License-Identifier: GPL-2.0-or-later
# Fuzzers. `make check` gives them what is kept, `make check-release` a moment more, `make fuzz` minutes.
# First is what stands in for a part of cutop: a linker takes what it finds first.
fuzz_files = tests/fuzz/feed_world.c $(util_sources) $(cuda_sources) $(model_sources) $(record_sources) $(print_sources) $(metrics_sources) $(metrics_server_sources) $(trace_sources) \
	$(view_sources) $(names_sources) \
	src/cuda/allocators.c src/probe/extra_functions.c src/probe/points.c src/probe/elfcopy.c src/probe/elffile.c src/probe/forms.c src/probe/maps.c src/probe/python_elf.c \
	src/collect/arrivals.c src/collect/cost.c src/collect/feed.c src/collect/host_functions.c src/collect/late_kernels.c src/collect/modules.c \
	src/collect/native_stacks.c src/collect/process_identity.c src/collect/python_stacks.c src/collect/record_sink.c src/collect/site_names.c \
	src/collect/stacks.c
fuzz_libs = $(MICROHTTPD_LIBS) $(CAPSTONE_LIBS) $(INIH_LIBS) $(LIBDW_LIBS) $(LIBELF_LIBS) $(JANSSON_LIBS) $(IBERTY_LIBS) $(ZLIB_LIBS) $(SYSTEM_LIBS)
# What a fuzzer puts in the place of ours.
feed_link = -Wl,--wrap=kill -Wl,--wrap=waitpid
mangled_link = -Wl,--wrap=clock_ns
proc_link = -Wl,--wrap=file_read -Wl,--wrap=readlink
fuzz_environment = \
	export FUZZ_SOURCES="`echo '$(fuzz_files)' | tr -s ' \t' '\n\n' | grep '\.c$$' | tr '\n' ' '`" \
	FUZZ_WITH_feed=tests/fuzz/feed_process.c FUZZ_LINK_feed='$(feed_link)' FUZZ_LINK_proc='$(proc_link)' FUZZ_LINK_mangled='$(mangled_link)' FUZZ_LIBS='$(fuzz_libs)' CLANG='$(CLANG)' top_srcdir='$(abs_top_srcdir)' top_builddir='$(abs_top_builddir)';

fuzz: all
	$(fuzz_environment) sh $(srcdir)/tests/fuzz/fuzz.sh long
.PHONY: fuzz

kept = tests/fuzz/kept_elf tests/fuzz/kept_large tests/fuzz/kept_lines tests/fuzz/kept_cfi tests/fuzz/kept_stacks tests/fuzz/kept_feed tests/fuzz/kept_mangled tests/fuzz/kept_proc tests/fuzz/kept_code tests/fuzz/kept_recording tests/fuzz/kept_records tests/fuzz/kept_text
check_PROGRAMS += $(kept)
TESTS += $(kept)
tests_fuzz_kept_elf_SOURCES = tests/fuzz/kept.c tests/fuzz/fuzz.h tests/fuzz/elf_readers.h tests/fuzz/fuzz_elf.c
tests_fuzz_kept_elf_CPPFLAGS = $(AM_CPPFLAGS) -DINPUTS='"elf"'
tests_fuzz_kept_elf_LDADD = $(probe_libs) $(core_libs)
tests_fuzz_kept_large_SOURCES = tests/fuzz/kept.c tests/fuzz/fuzz.h tests/fuzz/elf_readers.h tests/fuzz/fuzz_large.c
tests_fuzz_kept_large_CPPFLAGS = $(AM_CPPFLAGS) -DINPUTS='"large"'
tests_fuzz_kept_large_LDADD = $(probe_libs) $(core_libs)
tests_fuzz_kept_lines_SOURCES = tests/fuzz/kept.c tests/fuzz/fuzz.h tests/fuzz/fuzz_lines.c
tests_fuzz_kept_lines_CPPFLAGS = $(AM_CPPFLAGS) -DINPUTS='"lines"'
tests_fuzz_kept_lines_LDADD = $(core_libs)
tests_fuzz_kept_stacks_SOURCES = tests/fuzz/kept.c tests/fuzz/fuzz.h tests/fuzz/fuzz_stacks.c
tests_fuzz_kept_stacks_CPPFLAGS = $(AM_CPPFLAGS) -DINPUTS='"stacks"'
tests_fuzz_kept_stacks_LDADD = $(probe_libs) $(core_libs)
tests_fuzz_kept_cfi_SOURCES = tests/fuzz/kept.c tests/fuzz/fuzz.h tests/fuzz/fuzz_cfi.c
tests_fuzz_kept_cfi_CPPFLAGS = $(AM_CPPFLAGS) -DINPUTS='"cfi"'
tests_fuzz_kept_cfi_LDADD = $(core_libs)
tests_fuzz_kept_mangled_SOURCES = tests/fuzz/kept.c tests/fuzz/fuzz.h tests/fuzz/fuzz_mangled.c
tests_fuzz_kept_mangled_CPPFLAGS = $(AM_CPPFLAGS) -DINPUTS='"mangled"'
tests_fuzz_kept_mangled_LDFLAGS = $(AM_LDFLAGS) $(mangled_link)
tests_fuzz_kept_mangled_LDADD = $(core_libs)
tests_fuzz_kept_proc_SOURCES = tests/fuzz/kept.c tests/fuzz/fuzz.h tests/fuzz/fuzz_proc.c
tests_fuzz_kept_proc_CPPFLAGS = $(AM_CPPFLAGS) -DINPUTS='"proc"'
tests_fuzz_kept_proc_LDFLAGS = $(AM_LDFLAGS) $(proc_link)
tests_fuzz_kept_proc_LDADD = $(probe_libs) $(core_libs)
tests_fuzz_kept_feed_SOURCES = tests/fuzz/kept.c tests/fuzz/fuzz.h tests/fuzz/feed_world.c tests/fuzz/feed_process.c tests/fuzz/feed_world.h tests/fuzz/fuzz_feed.c
tests_fuzz_kept_feed_CPPFLAGS = $(AM_CPPFLAGS) -DINPUTS='"feed"'
tests_fuzz_kept_feed_LDFLAGS = $(AM_LDFLAGS) $(feed_link)
tests_fuzz_kept_feed_LDADD = $(probe_libs) $(core_libs)
tests_fuzz_kept_code_SOURCES = tests/fuzz/kept.c tests/fuzz/fuzz.h tests/fuzz/fuzz_code.c
tests_fuzz_kept_code_CPPFLAGS = $(AM_CPPFLAGS) -DINPUTS='"code"'
tests_fuzz_kept_code_LDADD = $(probe_libs) $(core_libs)
tests_fuzz_kept_text_SOURCES = tests/fuzz/kept.c tests/fuzz/fuzz.h tests/fuzz/fuzz_text.c
tests_fuzz_kept_text_CPPFLAGS = $(AM_CPPFLAGS) -DINPUTS='"text"'
tests_fuzz_kept_text_LDADD = $(probe_libs) $(view_libs) $(core_libs)
tests_fuzz_kept_recording_SOURCES = tests/fuzz/kept.c tests/fuzz/fuzz.h tests/fuzz/fuzz_recording.c
tests_fuzz_kept_recording_CPPFLAGS = $(AM_CPPFLAGS) -DINPUTS='"recording"'
tests_fuzz_kept_recording_LDADD = $(core_libs)
tests_fuzz_kept_records_SOURCES = tests/fuzz/kept.c tests/fuzz/fuzz.h tests/fuzz/fuzz_records.c
tests_fuzz_kept_records_CPPFLAGS = $(AM_CPPFLAGS) -DINPUTS='"records"'
tests_fuzz_kept_records_LDADD = $(core_libs)

EXTRA_DIST += tests/fuzz/cfi tests/fuzz/code tests/fuzz/elf tests/fuzz/feed tests/fuzz/large tests/fuzz/lines tests/fuzz/mangled tests/fuzz/proc tests/fuzz/recording tests/fuzz/records tests/fuzz/stacks tests/fuzz/text

clean-local:
	rm -rf tests/fuzz/objects tests/fuzz/found tests/fuzz/failed tests/fuzz/scratch tests/fuzz/fuzz_cfi tests/fuzz/fuzz_code tests/fuzz/fuzz_elf tests/fuzz/fuzz_large tests/fuzz/fuzz_feed tests/fuzz/fuzz_lines tests/fuzz/fuzz_mangled tests/fuzz/fuzz_proc tests/fuzz/fuzz_recording tests/fuzz/fuzz_stacks tests/fuzz/fuzz_records \
	  tests/fuzz/fuzz_text \
	  tests/fuzz/*.log
