# SPDX-License-Identifier: GPL-2.0-or-later
# Fuzzers. `make check` gives them what is kept, `make check-full` a moment more, `make fuzz` minutes.
fuzz_files = $(util_sources) $(cuda_sources) $(model_sources) $(record_sources) $(print_sources) $(metrics_sources) $(trace_sources) $(view_sources) \
	$(names_sources) \
	src/probe/decode.c src/probe/elffile.c src/probe/elfinfo.c src/probe/extra_functions.c src/probe/forms.c src/probe/points.c src/probe/maps.c src/collect/container.c
fuzz_libs = $(CAPSTONE_LIBS) $(INIH_LIBS) $(LIBDW_LIBS) $(LIBELF_LIBS) $(LZMA_LIBS) $(JANSSON_LIBS) $(IBERTY_LIBS) $(ZLIB_LIBS) $(SYSTEM_LIBS)
fuzz_environment = \
	export FUZZ_SOURCES="`echo '$(fuzz_files)' | tr -s ' \t' '\n\n' | grep '\.c$$' | tr '\n' ' '`" \
	FUZZ_LIBS='$(fuzz_libs)' CLANG='$(CLANG)' top_srcdir='$(abs_top_srcdir)' top_builddir='$(abs_top_builddir)';

fuzz: all
	$(fuzz_environment) sh $(srcdir)/tests/fuzz/fuzz.sh long
.PHONY: fuzz

kept = tests/fuzz/kept_elf tests/fuzz/kept_code tests/fuzz/kept_recording tests/fuzz/kept_records tests/fuzz/kept_text
check_PROGRAMS += $(kept)
TESTS += $(kept)
tests_fuzz_kept_elf_SOURCES = tests/fuzz/kept.c tests/fuzz/fuzz.h tests/fuzz/fuzz_elf.c
tests_fuzz_kept_elf_CPPFLAGS = $(AM_CPPFLAGS) -DINPUTS='"elf"'
tests_fuzz_kept_elf_LDADD = $(probe_libs) $(core_libs)
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

EXTRA_DIST += tests/fuzz/code tests/fuzz/elf tests/fuzz/recording tests/fuzz/records tests/fuzz/text

clean-local:
	rm -rf tests/fuzz/objects tests/fuzz/found tests/fuzz/failed tests/fuzz/scratch tests/fuzz/fuzz_code tests/fuzz/fuzz_elf tests/fuzz/fuzz_recording tests/fuzz/fuzz_records \
	  tests/fuzz/fuzz_text \
	  tests/fuzz/*.log
