# SPDX-License-Identifier: GPL-2.0-or-later
# Fuzzers. `make check` gives them what is kept, `make check-full` a moment more, `make fuzz` minutes.
fuzz_files = $(model_sources) $(record_sources) $(out_sources) src/util/util.c
fuzz_libs = $(JANSSON_LIBS) $(IBERTY_LIBS) $(ZLIB_LIBS) $(SYSTEM_LIBS)
fuzz_environment = \
	export FUZZ_SOURCES="`echo '$(fuzz_files)' | tr -s ' \t' '\n\n' | grep '\.c$$' | tr '\n' ' '`" \
	FUZZ_LIBS='$(fuzz_libs)' CLANG='$(CLANG)' top_srcdir='$(abs_top_srcdir)' top_builddir='$(abs_top_builddir)';

fuzz: all
	$(fuzz_environment) sh $(srcdir)/tests/fuzz/fuzz.sh long
.PHONY: fuzz

check_PROGRAMS += tests/fuzz/kept_recording tests/fuzz/kept_records
TESTS += tests/fuzz/kept_recording tests/fuzz/kept_records
tests_fuzz_kept_recording_SOURCES = tests/fuzz/kept.c tests/fuzz/fuzz.h tests/fuzz/fuzz_recording.c
tests_fuzz_kept_recording_CPPFLAGS = $(AM_CPPFLAGS) -DINPUTS='"recording"'
tests_fuzz_kept_recording_LDADD = $(core_libs)
tests_fuzz_kept_records_SOURCES = tests/fuzz/kept.c tests/fuzz/fuzz.h tests/fuzz/fuzz_records.c
tests_fuzz_kept_records_CPPFLAGS = $(AM_CPPFLAGS) -DINPUTS='"records"'
tests_fuzz_kept_records_LDADD = $(core_libs)

EXTRA_DIST += tests/fuzz/recording tests/fuzz/records

clean-local:
	rm -rf tests/fuzz/objects tests/fuzz/found tests/fuzz/failed tests/fuzz/scratch tests/fuzz/fuzz_recording tests/fuzz/fuzz_records \
	  tests/fuzz/*.log
