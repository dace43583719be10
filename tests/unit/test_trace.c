/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Traces: what the formats print of records that make sense, and of those that do not. The writer
 * and its queue: test_trace_queue.c; the types of arguments: test_trace_types.c.
 */
#include <jansson.h>
#include <linux/types.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/calls.h"
#include "model/stream.h"
#include "trace/trace_printer.h"
#include "trace/trace_programs.h"
#include "run_tests.h"

/* test_trace_types.c */
Suite *suite_trace_types(void);

#define KERNEL 0x401000ull

static struct trace_options options;
static struct trace *trace;
static struct buffer out;

static void setup(void)
{
	setenv("TZ", "UTC", 1);
	memset(&options, 0, sizeof(options));
	/* 2001-09-09 01:46:40 UTC */
	options.start_real = 1000000000ull * 1000000000;
	options.start_mono = 5000000000ull;
	options.version = "0.1";
	trace = NULL;
	memset(&out, 0, sizeof(out));
}

static void teardown(void)
{
	trace_free(trace);
	buffer_free(&out);
}

FIXTURE(setup, teardown);

#define FORMAT_LISTED(constant, name) FORMAT_##constant,
static const enum format formats[] = { TRACE_FORMATS(FORMAT_LISTED) };

static void begin(enum format form)
{
	options.format = form;
	trace = trace_new(&options);
	ck_assert_ptr_nonnull(trace);
	trace_begin(trace, &out);
}

static void give(const void *record, size_t size)
{
	trace_record(trace, record, size, &out);
}

#define HDR(type_, size_) \
	{ \
		.type = type_, .size = (__u16)(size_), .program = 1, .time = 5000123456ull, \
		.tgid = 4242, .tid = 4243 \
	}

static void process(const char *comm)
{
	struct rec_process record = { .hdr = HDR(REC_PROCESS, sizeof(record)) };

	memcpy(record.comm, comm, strnlen(comm, sizeof(record.comm)));
	give(&record, sizeof(record));
}

static void kernel_as(const char *name, uint64_t function, uint64_t stub, bool truncated)
{
	size_t len = strlen(name), size = sizeof(struct rec_kernel) + ((len + 8) & ~7ul);
	struct rec_kernel *record = calloc(1, size);

	record->hdr = (struct rec_hdr)HDR(REC_KERNEL, size);
	record->function = function;
	record->stub = stub;
	record->source = NAME_REGISTERED;
	record->truncated = truncated;
	record->name_len = (__u32)len;
	memcpy(record->name, name, len);
	give(record, size);
	free(record);
}

static void kernel(const char *name)
{
	kernel_as(name, KERNEL, KERNEL, false);
}

static void site(uint64_t address, const char *name)
{
	size_t len = strlen(name), size = sizeof(struct rec_text) + ((len + 8) & ~7ul);
	struct rec_text *record = calloc(1, size);

	record->hdr = (struct rec_hdr)HDR(REC_SITE, size);
	record->address = address;
	record->text_len = (__u32)len;
	memcpy(record->text, name, len);
	give(record, size);
	free(record);
}

static struct rec_call call_of(unsigned int call)
{
	return (struct rec_call){ .hdr = HDR(REC_CALL, sizeof(struct rec_call)),
				  .entry = 5000120000ull,
				  .call = (__u16)call };
}

static void call_malloc(uint64_t address, uint64_t bytes)
{
	struct rec_call call = call_of(CALL_cudaMalloc);

	call.memory.address = address;
	call.memory.bytes = bytes;
	give(&call, sizeof(call));
}

static void call_launch_of(uint64_t function)
{
	struct rec_call_kernel launch = { .call = call_of(CALL_cudaLaunchKernel) };
	float number = 0.5f;
	int32_t count = -3;

	launch.call.hdr.size = sizeof(launch);
	launch.call.launch.function = function;
	launch.call.launch.grid[0] = launch.call.launch.grid[1] = launch.call.launch.grid[2] = 2;
	launch.call.launch.block[0] = 64;
	launch.call.launch.block[1] = launch.call.launch.block[2] = 1;
	launch.call.launch.launches = 1;
	launch.call.kernel_words = 4;
	launch.kernel[0] = 0x7f0000000000;
	memcpy(&launch.kernel[1], &number, sizeof(number));
	memcpy(&launch.kernel[2], &count, sizeof(count));
	launch.kernel[3] = 0xdead; /* behind the last one */
	give(&launch, sizeof(launch));
}

static void call_launch(void)
{
	call_launch_of(KERNEL);
}

static void some_calls(void)
{
	struct rec_call call = call_of(CALL_cudaFree);

	process("python");
	kernel("_Z5saxpyPffi");
	call_malloc(0x7f0000000000, 4096);
	call_launch();
	call.memory.address = 0x7f0000000000;
	call.hdr.time = 5001000000ull;
	call.entry = 5000999000ull;
	give(&call, sizeof(call));
	call = call_of(CALL_cudaEventElapsedTime);
	call.words[1] = 0xa0;
	call.words[2] = 0xb0;
	call.flags = TRACED_OUT;
	call.out = 0x3f800000;
	call.result = 400;
	call.device = CUTOP_DEVICE_UNKNOWN;
	give(&call, sizeof(call));
}

static const char *printed(void)
{
	buffer_char(&out, 0);
	ck_assert(!out.failed);
	return out.data;
}

TEST(as_text)
{
	begin(FORMAT_TEXT);
	some_calls();
	ck_assert_str_eq(
		printed(),
		"01:46:40.000120 python             4242    4243 cudaMalloc(address=0x7f0000000000, bytes=4096, kind=device) on 0 = cudaSuccess <0.000003456>\n"
		"01:46:40.000120 python             4242    4243 cudaLaunchKernel(kernel=saxpy, grid=(2,2,2), block=(64,1,1), shared_bytes=0, stream=0x0, "
		"arguments=[0x7f0000000000, 0.5, -3]) on 0 = cudaSuccess <0.000003456>\n"
		"01:46:40.000999 python             4242    4243 cudaFree(address=0x7f0000000000) on 0 = cudaSuccess <0.000001000> "
		"freed 4096 bytes of cudaMalloc after 0.000875544 s\n"
		"01:46:40.000120 python             4242    4243 cudaEventElapsedTime(ms=1, start=0xa0, end=0xb0) = cudaErrorInvalidResourceHandle "
		"<0.000003456>\n");
}

static void ck_assert_launches(const char *name)
{
	char part[128];

	out.len = 0;
	call_launch();
	snprintf(part, sizeof(part), "cudaLaunchKernel(kernel=%s,", name);
	ck_assert_msg(strstr(printed(), part) != NULL, "%s: %s", part, out.data);
}

/* A kernel is called what the screen calls it: by the best that is known when it is launched. */
TEST(kernels_by_what_is_known)
{
	struct rec_module module = {
		.hdr = HDR(REC_MODULE, sizeof(module)),
		.start = KERNEL,
		.end = KERNEL + 4096,
		.offset = 0x1000,
		.file = "app",
	};

	begin(FORMAT_TEXT);
	process("python");
	ck_assert_launches("0x401000");
	give(&module, sizeof(module));
	ck_assert_launches("app+0x1000");
	/* A handle: what it stands for is named apart */
	kernel_as("", KERNEL, 0x7000, false);
	kernel_as("_Z5scalePf", 0x7000, 0x7000, false);
	ck_assert_launches("scale");
	kernel("_Z5saxpyPffi");
	ck_assert_launches("saxpy");
	kernel_as("_Z5saxpyPffi_and_mo", KERNEL, KERNEL, true);
	ck_assert_launches("saxpy");
}

/* Kernels with one short name have their template lists; their arguments are in JSON. */
TEST(kernels_have_their_lists)
{
	static const struct {
		const char *symbol, *printed;
	} launched[] = {
		{ "_ZN2ns5scaleIfEEvPT_i", "ns::scale<float>" },
		{ "_ZN2ns5scaleIdEEvPT_i", "ns::scale<double>" },
		{ "_Z3addPfi", "add" },
		{ "_Z3addPdi", "add" },
		{ "_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_15CUDAFunctor_addIfEESt5"
		  "arrayIPcLm3EEEEviT0_T1_",
		  "CUDAFunctor_add<float> in vectorized_elementwise_kernel<4, _, array<char*, 3>>" },
		{ "_ZN2ns5scaleIfEEvPT_i", "ns::scale<float>" },
	};
	char part[256];

	begin(FORMAT_TEXT);
	process("python");
	for (size_t round = 0; round < 2; round++) {
		for (size_t i = 0; i < sizeof(launched) / sizeof(launched[0]); i++) {
			kernel_as(launched[i].symbol, KERNEL + i, KERNEL + i, false);
			out.len = 0;
			call_launch_of(KERNEL + i);
			snprintf(part, sizeof(part), "(kernel=%s, grid", launched[i].printed);
			ck_assert_msg(strstr(printed(), part) != NULL, "%s: %s", part, out.data);
		}
	}
	teardown();
	setup();
	/* JSON has the symbol, too: its short name does not change. */
	begin(FORMAT_JSON);
	process("python");
	kernel("_ZN2ns5scaleIfEEvPT_i");
	call_launch();
	ck_assert_ptr_nonnull(strstr(printed(), "\"kernel\":\"ns::scale\""));
}

/* What stands behind a name stands where it does behind any other, in cells of a terminal. */
TEST(columns)
{
	static const struct {
		const char *comm, *line;
	} names[] = {
		{ "python", "python             4242    4243 cudaMalloc(" },
		{ "\xc3\xbcr\xc3\xbcn",
		  "\xc3\xbcr\xc3\xbcn               4242    4243 cudaMalloc(" },
		/* five of two cells each */
		{ "\xe5\xad\xa6\xe7\xbf\x92\xe8\xa8\x93\xe7\xb7\xb4\xe6\xa9\x9f",
		  "\xe5\xad\xa6\xe7\xbf\x92\xe8\xa8\x93\xe7\xb7\xb4\xe6\xa9\x9f         4242    4243 cudaMalloc(" },
		/* an e, and an accent that takes no cell */
		{ "e\xcc\x81t\xc3\xa9",
		  "e\xcc\x81t\xc3\xa9                4242    4243 cudaMalloc(" },
	};

	options.no_time = true;
	begin(FORMAT_TEXT);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		process(names[i].comm);
		call_malloc(0x7f0000000000, 4096);
		ck_assert_msg(!strncmp(printed(), names[i].line, strlen(names[i].line)), "%s",
			      out.data);
		buffer_free(&out);
	}
}

TEST(as_json)
{
	uint64_t lost[LOST_COUNT] = { [LOST_TRACED] = 7 };
	char *line, *rest = NULL;
	json_t *lines[8];
	size_t count = 0;
	json_error_t error;

	begin(FORMAT_JSON);
	some_calls();
	trace_end(trace, lost, 3, &out);
	for (line = strtok_r((char *)(uintptr_t)printed(), "\n", &rest); line && count < 8;
	     line = strtok_r(NULL, "\n", &rest)) {
		lines[count] = json_loads(line, JSON_REJECT_DUPLICATES, &error);
		ck_assert_msg(lines[count] != NULL, "%s: %s", line, error.text);
		count++;
	}
	ck_assert_uint_eq(count, 5);
	ck_assert_str_eq(json_string_value(json_object_get(lines[0], "time")),
			 "2001-09-09T01:46:40.000120Z");
	ck_assert_str_eq(json_string_value(json_object_get(lines[1], "signature")),
			 "saxpy(float*, float, int)");
	ck_assert_str_eq(json_string_value(json_object_get(lines[1], "symbol")), "_Z5saxpyPffi");
	ck_assert_int_eq(
		json_integer_value(json_object_get(json_object_get(lines[2], "freed"), "bytes")),
		4096);
	ck_assert(json_is_true(json_object_get(lines[3], "failed")));
	ck_assert_ptr_null(json_object_get(lines[3], "device"));
	ck_assert_int_eq(json_integer_value(json_object_get(lines[4], "calls")), 4);
	ck_assert_int_eq(json_integer_value(json_object_get(json_object_get(lines[4], "lost"),
							    "traced_calls")),
			 7);
	ck_assert_int_eq(
		json_integer_value(json_object_get(json_object_get(lines[4], "lost"), "unwritten")),
		3);
	while (count)
		json_decref(lines[--count]);
}

/*
 * The wall clock is set a minute ahead: text and JSON follow, Chrome's clock began when tracing
 * did, and goes on.
 */
TEST(clock_is_set)
{
	struct rec_clock set = { .hdr = HDR(REC_CLOCK, sizeof(set)),
				 .real = (1000000000ull + 60) * 1000000000 };
	struct rec_call call = call_of(CALL_cudaFree);
	enum format form;

	set.hdr.time = 6000000000ull;
	call.entry = 6000010000ull;
	call.hdr.time = 6000020000ull;
	for (size_t f = 0; f < sizeof(formats) / sizeof(formats[0]); f++) {
		form = formats[f];
		begin(form);
		process("python");
		call_malloc(0x7f0000000000, 4096);
		give(&set, sizeof(set));
		give(&call, sizeof(call));
		trace_end(trace, (uint64_t[LOST_COUNT]){ 0 }, 0, &out);
		printed();
		if (form == FORMAT_CHROME) {
			ck_assert_msg(strstr(out.data, "\"ts\":1000010") != NULL, "%s", out.data);
			ck_assert_msg(strstr(out.data, "\"started_unix_seconds\":1000000000.0") !=
					      NULL,
				      "%s", out.data);
		} else {
			ck_assert_msg(strstr(out.data, "01:46:40.000120") != NULL, "%s", out.data);
			ck_assert_msg(strstr(out.data, "01:47:40.000010") != NULL, "%s", out.data);
		}
		teardown();
		setup();
	}
}

/*
 * Names as hostile as they come: controls, escapes, quotes, bytes that are no UTF-8, far too long.
 */
static const char *const hostile[] = {
	"\033]0;x\a\n\r\t\"\\,}{[]",
	"\xff\xfe\xc0\x80\xed\xa0\x80",
	"\"",
	"\\",
	"\\u0000",
	("\x7f\xc2\x9b"
	 "31m"),
	"",
	"_Z",
	"_ZN",
	"_Z1fIXadL_Z1gvEEEvv",
	"a\nb",
	"\xe2\x82",
	"(((((",
	")",
	"f(",
	"<>,()",
	"_ZTSSSSSS_S_S_S_",
};

static void hostile_calls(const char *name)
{
	struct rec_call call = call_of(CALL_cudaMalloc);
	enum { HEAD = sizeof(struct rec_stack) / sizeof(uint64_t) };
	uint64_t stack[HEAD + 2];
	struct rec_stack head = { .hdr = HDR(REC_STACK, sizeof(stack)), .stack = 9, .count = 2 };
	struct rec_module module = { .hdr = HDR(REC_MODULE, sizeof(module)),
				     .start = KERNEL,
				     .end = KERNEL + 4096 };

	memcpy(stack, &head, sizeof(head));
	stack[HEAD] = 0x10;
	stack[HEAD + 1] = 0x20;
	memcpy(module.file, name, strnlen(name, sizeof(module.file)));
	process(name);
	give(&module, sizeof(module));
	kernel(name);
	site(0x10, name);
	give(stack, sizeof(stack));
	call_launch();
	call.stack = 9;
	give(&call, sizeof(call));
}

static void assert_clean(const char *text)
{
	for (; *text; text++)
		ck_assert_msg((unsigned char)*text >= ' ' || *text == '\n', "a control byte: %02x",
			      *text);
}

TEST(hostile_names)
{
	uint64_t lost[LOST_COUNT] = { 0 };
	size_t i;
	enum format form;

	for (size_t f = 0; f < sizeof(formats) / sizeof(formats[0]); f++) {
		form = formats[f];
		for (i = 0; i < sizeof(hostile) / sizeof(hostile[0]); i++) {
			json_error_t error;
			size_t lines = 0;
			const char *text;
			json_t *document;

			options.stacks = true;
			begin(form);
			hostile_calls(hostile[i]);
			trace_end(trace, lost, 0, &out);
			text = printed();
			assert_clean(text);
			if (form == FORMAT_CHROME) {
				document = json_loads(text, JSON_REJECT_DUPLICATES, &error);
				ck_assert_msg(document != NULL, "%s: %s", text, error.text);
				json_decref(document);
			}
			for (; *text; text++) {
				if (form == FORMAT_JSON && (text == out.data || text[-1] == '\n')) {
					document = json_loads(text,
							      JSON_REJECT_DUPLICATES |
								      JSON_DISABLE_EOF_CHECK,
							      &error);
					ck_assert_msg(document != NULL, "%s: %s", text, error.text);
					json_decref(document);
				}
				lines += *text == '\n';
			}
			/* text: two calls, and two frames below one */
			ck_assert_uint_eq(lines, form == FORMAT_TEXT ? 4 :
						 form == FORMAT_JSON ? 3 :
								       lines);
			trace_free(trace);
			trace = NULL;
			buffer_free(&out);
		}
	}
}

TEST(nonsense)
{
	static const __u16 types[] = { REC_PROCESS, REC_END,    REC_KERNEL, REC_NAME, REC_SITE,
				       REC_STACK,   REC_MODULE, REC_RESET,  REC_CALL };
	unsigned int seed = 1, i, j;
	enum format form;

	for (size_t f = 0; f < sizeof(formats) / sizeof(formats[0]); f++) {
		form = formats[f];
		options.stacks = true;
		begin(form);
		for (i = 0; i < 20000; i++) {
			union {
				struct rec_hdr hdr;
				struct rec_call call;
				__u8 bytes[400];
			} record;
			/* At its end nothing may be read: it is exactly as long as it says. */
			size_t size = sizeof(record.hdr) +
				      (size_t)rand_r(&seed) % (sizeof(record) - sizeof(record.hdr));
			void *copy = malloc(size);

			for (j = 0; j < sizeof(record); j++)
				record.bytes[j] = (__u8)(rand_r(&seed) >> 8);
			record.hdr.type = types[(unsigned int)rand_r(&seed) %
						(sizeof(types) / sizeof(types[0]))];
			record.hdr.size = (__u16)size;
			record.hdr.program %= 8;
			if (rand_r(&seed) % 2) {
				record.call.call %= CALL_COUNT;
				record.call.moment %= 3;
				record.call.kernel_words %= 20;
				record.call.stack %= 4;
			}
			memcpy(copy, &record, size);
			give(copy, size);
			free(copy);
			if (out.len > 1 << 20)
				out.len = 0;
		}
		trace_free(trace);
		trace = NULL;
		buffer_free(&out);
	}
}

TEST(numbers)
{
	begin(FORMAT_TEXT);
	buffer_count(&out, UINT64_MAX);
	buffer_char(&out, ' ');
	buffer_signed(&out, INT64_MIN);
	buffer_char(&out, ' ');
	buffer_hex(&out, UINT64_MAX);
	buffer_hex(&out, 0);
	buffer_char(&out, ' ');
	buffer_padded(&out, 7, 3);
	buffer_padded(&out, 12345, 3);
	buffer_char(&out, ' ');
	buffer_seconds(&out, 1000000001);
	buffer_char(&out, ' ');
	buffer_micros(&out, 12034);
	buffer_quoted(&out, "a\"b\\c\x01");
	ck_assert_str_eq(
		printed(),
		"18446744073709551615 -9223372036854775808 0xffffffffffffffff0x0 00712345 1.000000001 12.034\"a\\\"b\\\\c\\u0001\"");
}
