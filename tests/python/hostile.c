/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hostile: a program that says it is Python 3.12, and whose frames, code objects and strings are
 * lies; for test_python.sh. Allocates once for each of them, as many bytes as its number, and
 * prints the numbers and what they are.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "cuda_double.h"

#define EXPORT __attribute__((visibility("default"), used))
#define KEY    1548 /* where 3.12 has them: docs/python.md */

EXPORT unsigned char _PyRuntime[4096];
EXPORT unsigned char PyCode_Type[64];
EXPORT unsigned char PyUnicode_Type[64];
EXPORT const unsigned long Py_Version = 0x030c01f0;

EXPORT __attribute__((noinline)) void Py_InitializeFromConfig(void);
EXPORT __attribute__((noinline)) void _PyEval_EvalFrameDefault(void);

void Py_InitializeFromConfig(void)
{
	__asm__ volatile("nop; nop; nop; nop; nop; nop; nop; nop");
}

void _PyEval_EvalFrameDefault(void)
{
	__asm__ volatile("nop");
}

struct object {
	uint64_t words[64];
};

static struct object state, cframe, frames[80], codes[32], file, name, table;
/* Another one at each call: known code is not looked at each time */
static struct object *code = codes;

static void word_set(struct object *object, size_t at, const void *value)
{
	uint64_t word = (uint64_t)value;

	memcpy((char *)object + at, &word, sizeof(word));
}

static void string_make(struct object *object, const char *text)
{
	memset(object, 0, sizeof(*object));
	word_set(object, 16, (const void *)strlen(text));
	word_set(object, 32, (const void *)(uint64_t)(1 << 2 | 1 << 5 | 1 << 6));
	strcpy((char *)object + 40, text);
}

/* What a sound interpreter would have: one frame, "sound at sound.py:7". */
static void sound_make(void)
{
	/* One unit, no columns, the same line */
	static const unsigned char entry[] = { 0x80 | 13 << 3, 0 };
	uint32_t first = 7, version = (uint32_t)(code - codes) + 1;

	memset(&state, 0, sizeof(state));
	memset(frames, 0, sizeof(frames));
	code++;
	memset(&table, 0, sizeof(table));
	string_make(&file, "/tmp/sound.py");
	string_make(&name, "sound");
	word_set(&table, 16, (const void *)sizeof(entry));
	memcpy((char *)&table + 32, entry, sizeof(entry));
	word_set(code, 8, PyCode_Type);
	memcpy((char *)code + 68, &first, sizeof(first));
	memcpy((char *)code + 92, &version, sizeof(version));
	word_set(code, 112, &file);
	word_set(code, 128, &name);
	word_set(code, 136, &table);
	word_set(&frames[0], 0, code);
	word_set(&frames[0], 56, (char *)code + 192);
	word_set(&cframe, 0, &frames[0]);
	word_set(&state, 56, &cframe);
	word_set(&state, 136, (const void *)pthread_self());
}

static void call(const char *what)
{
	static int size;
	void *pointer;

	printf("%d %s\n", ++size, what);
	cudaMalloc(&pointer, (size_t)size);
	sound_make();
}

int main(void)
{
	void *unmapped = (void *)0x10000,
	     *closed = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int made = 1, i;
	pthread_key_t key;

	pthread_key_create(&key, NULL);
	memcpy(_PyRuntime + KEY - 4, &made, sizeof(made));
	memcpy(_PyRuntime + KEY, &key, sizeof(key));
	Py_InitializeFromConfig();
	pthread_setspecific(key, &state);
	sound_make();
	call("sound");
	word_set(&frames[0], 8, &frames[0]);
	call("a frame that is its own caller");
	for (i = 0; i < 80; i++) {
		frames[i] = frames[0];
		word_set(&frames[i], 8, &frames[(i + 1) % 80]);
	}
	call("a cycle of frames");
	word_set(&cframe, 0, unmapped);
	call("a frame that is not mapped");
	word_set(&frames[0], 8, closed);
	call("a caller that cannot be read");
	word_set(&cframe, 0, (const void *)0xffffffff81000000);
	call("a frame of the kernel's");
	word_set(&frames[0], 0, &name);
	call("code that is a string");
	word_set(&frames[0], 0, closed);
	call("code that cannot be read");
	word_set(&name, 16, (const void *)(1ull << 40));
	call("a name without an end");
	word_set(&name, 16, (const void *)-1ull);
	call("a name of less than nothing");
	word_set(&table, 16, (const void *)(1ull << 62));
	call("a table without an end");
	word_set(code, 136, closed);
	call("a table that cannot be read");
	word_set(code, 112, unmapped);
	call("a file that is not mapped");
	word_set(&state, 136, unmapped);
	call("another thread's state");
	pthread_setspecific(key, closed);
	call("a state that cannot be read");
	pthread_setspecific(key, &state);
	word_set(&cframe, 0, NULL);
	call("no frame");
	i = 100000;
	memcpy(_PyRuntime + KEY, &i, sizeof(i));
	call("a key that there is not");
	memcpy(_PyRuntime + KEY, &key, sizeof(key));
	call("sound");
	return 0;
}
