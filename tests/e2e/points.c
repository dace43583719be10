/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * points ROUNDS: calls functions of its own that begin in ways which matter to
 * where a probe goes, ROUNDS times each. Built with LIBRARY it is the library
 * that has them.
 */
#include <stdlib.h>

#ifdef LIBRARY

#define FUNCTION(name, code) \
	__asm__(".text\n.p2align 4\n.globl " #name "\n.type " #name ", @function\n" #name \
		":\n" code ".size " #name ", .-" #name "\n")

/* As compilers with -fcf-protection do. */
FUNCTION(points_endbr, "endbr64\npush %rbp\nmov %rsp, %rbp\nlea 1(%rdi), %rax\npop %rbp\nret\n");
/* A loop back to its second instruction: a probe there would count five times a call. */
FUNCTION(
	points_loop,
	"test %rdi, %rdi\n1: push %rdi\nmov $5, %eax\npop %rdi\nadd $1, %r11d\ncmp $5, %r11d\njl 1b\nxor %r11d, %r11d\nret\n");
/*
 * What is passed reads memory and sets flags; the probe sits on the branch, which goes both ways.
 */
FUNCTION(points_branch, "testl $1, (%rdi)\njne 1f\nmov $1, %eax\nret\n1: mov $2, %eax\nret\n");
/* It returns a pointer, or NULL for every third call. */
FUNCTION(points_pointer,
	 "endbr64\ncmp $0, %edi\nje 1f\nmov %rsp, %rax\nret\n1: xor %eax, %eax\nret\n");
/* Nothing of it is emulated. */
FUNCTION(points_stepped, "lea 1(%rdi), %rax\nret\n");

#else

long points_endbr(long number);
long points_loop(long number);
long points_branch(const int *number);
void *points_pointer(int number);
long points_stepped(long number);

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 1, i;

	for (i = 0; i < rounds; i++)
		if (points_endbr(i) != i + 1 || points_loop(i) != 5 ||
		    points_branch(&i) != i % 2 + 1 || !points_pointer(i % 3) != !(i % 3) ||
		    points_stepped(i) != i + 1)
			return 1;
	return 0;
}

#endif
