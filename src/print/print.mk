# Printers of snapshots; part of libcutop_core.a, which needs JANSSON_LIBS.
out_sources = \
	src/util/buffer.c src/util/buffer.h \
	src/print/csv.c \
	src/metrics/exposition.c \
	src/metrics/exposition.h \
	src/print/folded.c \
	src/print/json.c \
	src/util/json_writer.c \
	src/util/json_writer.h \
	src/print/leak_report.c \
	src/print/line.c \
	src/print/line.h \
	src/metrics/openmetrics.c \
	src/metrics/openmetrics.h \
	src/metrics/openmetrics_choice.c \
	src/metrics/openmetrics_choice.h \
	src/metrics/openmetrics_parts.h \
	src/metrics/openmetrics_process.c \
	src/print/print.h \
	src/util/replaced_file.c \
	src/util/replaced_file.h \
	src/util/sink.c \
	src/util/sink.h \
	src/print/text.c \
	src/print/text.h \
	src/print/text_detail.c \
	src/print/text_parts.c \
	src/trace/trace_printer.c src/trace/trace_printer.h \
	src/trace/trace_chrome.c \
	src/trace/trace_fields.c src/trace/trace_fields.h \
	src/trace/trace_programs.c src/trace/trace_programs.h \
	src/trace/trace_json.c \
	src/trace/trace_format.h \
	src/trace/trace_text.c \
	src/trace/trace_types.c src/trace/trace_types.h
