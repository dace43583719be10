# Printers of snapshots; part of libcutop_core.a, which needs JANSSON_LIBS.
out_sources = \
	src/out/buffer.c src/out/buffer.h \
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
	src/out/text_parts.c \
	src/out/trace.c src/out/trace.h \
	src/out/trace_chrome.c \
	src/out/trace_fields.c src/out/trace_fields.h \
	src/out/trace_images.c src/out/trace_images.h \
	src/out/trace_json.c \
	src/out/trace_print.h \
	src/out/trace_text.c \
	src/out/trace_types.c src/out/trace_types.h
