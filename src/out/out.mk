# Printers of snapshots; part of libcutop_core.a, which needs JANSSON_LIBS.
out_sources = \
	src/out/csv.c \
	src/out/exposition.c \
	src/out/exposition.h \
	src/out/folded.c \
	src/out/json.c \
	src/out/json_writer.c \
	src/out/json_writer.h \
	src/out/leak_report.c \
	src/out/line.c \
	src/out/line.h \
	src/out/openmetrics.c \
	src/out/openmetrics.h \
	src/out/openmetrics_choice.c \
	src/out/openmetrics_choice.h \
	src/out/openmetrics_parts.h \
	src/out/openmetrics_process.c \
	src/out/out.h \
	src/out/replaced.c \
	src/out/replaced.h \
	src/out/sink.c \
	src/out/sink.h \
	src/out/text.c \
	src/out/text.h \
	src/out/text_detail.c \
	src/out/text_parts.c
