# Printers of snapshots. Golden files are written anew by UPDATE_GOLDEN=1 tests/unit/test_out.
if HAVE_CHECK
check_PROGRAMS += tests/unit/test_out tests/unit/test_serve tests/unit/test_trace tests/unit/test_trace_queue
TESTS += tests/unit/test_out tests/unit/test_serve tests/unit/test_trace tests/unit/test_trace_queue
endif
tests_unit_test_out_SOURCES = \
	tests/unit/metrics_text.c \
	tests/unit/metrics_text.h \
	tests/unit/out_sample.c \
	tests/unit/out_sample.h \
	tests/unit/test_openmetrics.c \
	tests/unit/test_openmetrics_allocators.c \
	tests/unit/test_out.c \
	tests/unit/test_out_folded.c \
	tests/unit/test_out_json.c \
	tests/unit/test_replaced_file.c
tests_unit_test_out_CPPFLAGS = $(AM_CPPFLAGS) -DGOLDEN_DIR='"$(srcdir)/tests/unit/golden"'
tests_unit_test_out_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_out_LDADD = $(core_libs) $(check_libs)

tests_unit_test_serve_SOURCES = \
	src/metrics/serve.c src/metrics/serve.h \
	tests/unit/test_serve.c
tests_unit_test_serve_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_serve_LDADD = $(core_libs) $(MICROHTTPD_LIBS) $(check_libs)
EXTRA_DIST += \
	tests/unit/golden/leak-one.txt \
	tests/unit/golden/leak.txt \
	tests/unit/golden/text-80-color.txt \
	tests/unit/golden/text-empty.txt \
	tests/unit/golden/text-map.txt \
	tests/unit/golden/text.txt

tests_unit_test_trace_SOURCES = tests/unit/test_trace.c tests/unit/test_trace_types.c
tests_unit_test_trace_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_trace_LDADD = $(core_libs) $(check_libs)

tests_unit_test_trace_queue_SOURCES = \
	src/trace/trace_queue.c src/trace/trace_queue.h \
	tests/unit/test_trace_queue.c
tests_unit_test_trace_queue_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_trace_queue_LDADD = $(core_libs) $(check_libs)
