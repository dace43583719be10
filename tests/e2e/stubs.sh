# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# Forwarders as generators of stubs make them, for x86-64: what a program calls is looked up at its first call. Source it.

# stubs NAME...: assembly of forwarders. The first call of each fills its slot of the table.
stubs() {
	echo '.text'
	for name; do
		cat <<END
	.p2align 4
	.globl $name
	.hidden $name
	.type $name, @function
$name:	cmpq \$0, slot_$name(%rip)
	je 1f
	jmp *slot_$name(%rip)
1:	push %rdi
	push %rsi
	push %rdx
	push %rcx
	push %r8
	push %r9
	sub \$8, %rsp
	lea name_$name(%rip), %rdi
	lea slot_$name(%rip), %rsi
	call stub_fill
	add \$8, %rsp
	pop %r9
	pop %r8
	pop %rcx
	pop %rdx
	pop %rsi
	pop %rdi
	jmp *slot_$name(%rip)
END
	done
	echo '.section .rodata'
	for name; do
		echo "name_$name: .asciz \"$name\""
	done
	echo '.bss'
	echo '.p2align 3'
	for name; do
		echo "slot_$name: .skip 8"
	done
	echo '.section .note.GNU-stack, "", @progbits'
}

# stub_fill: the C source of what they call to fill a slot
stub_fill() {
	cat <<'END'
#include <dlfcn.h>
#include <stddef.h>
#include <stdlib.h>
__attribute__((visibility("hidden"))) void stub_fill(const char *name, void **slot)
{
	static const char *const files[] = { "libcudart.so.13", "libcuda.so.1" };

	for (int i = 0; i < 2 && !*slot; i++) {
		void *library = dlopen(files[i], RTLD_NOW | RTLD_GLOBAL);

		*slot = library ? dlsym(library, name) : NULL;
	}
	if (!*slot)
		abort();
}
END
}
