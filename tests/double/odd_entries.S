/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Entries for tests of the code that chooses where a probe goes: at the
 * function's entry, or at the first instruction that the kernel emulates if all
 * before it may be stepped over. Each function bears a name that cutop looks
 * for, and none is ever called. Symbols that are named odd_* only stand where
 * a probe must not go past them.
 *
 * What may be stepped over: an instruction that lies whole in the function, and
 * that writes nothing but flags and %r11. The psABI uses every other register
 * that a caller need not save for something on the way into a function (%rax:
 * the count of vector arguments, %r10: the static chain). Control must reach
 * the probe from the entry alone: no jump to it, and no symbol at it or on the
 * way.
 *
 * The tests read these lines: "# expect NAME entry", or "# expect NAME +N" for
 * a probe N bytes past the entry. Functions follow in the same order.
 */
# expect cuMemAlloc_v2 +4
# expect cuLaunchKernel +10
# expect cuMemFree_v2 +3
# expect cuMemcpy +5
# expect cuMemAllocPitch_v2 entry
# expect cuMemAllocManaged entry
# expect cuMemHostAlloc entry
# expect cuMemcpyHtoD_v2 entry
# expect cuMemcpyDtoH_v2 entry
# expect cuMemcpyDtoD_v2 entry
# expect cuMemFreeHost entry
# expect cuMemRelease entry
# expect cuMemMap entry
# expect cuMemUnmap entry
# expect cuMemCreate entry
# expect cuCtxSynchronize entry

	.macro function name
	.p2align 4
	.globl \name
	.type \name, @function
\name:
	.cfi_startproc
	.endm

	.macro end name
	.cfi_endproc
	.size \name, .-\name
	.endm

	/* The end of those that have pushed one register. */
	.macro leave name
	xorl %eax, %eax
	pop %rbx
	ret
	end \name
	.endm

	.text

	/* +4: endbr64 marks the entry, the push is emulated. */
	function cuMemAlloc_v2
	endbr64
	push %rbx
	leave cuMemAlloc_v2

	/* +10: as the driver begins its functions. The cmpl writes flags, the je is emulated. */
	function cuLaunchKernel
	cmpl $0x321cba00, shut_down(%rip)
	je 1f
	jmp *pointer(%rip)
	.p2align 3
1:	movl $4, %eax
	ret
	end cuLaunchKernel

	/* +3: %r11 is for nothing but scratch. */
	function cuMemFree_v2
	movq %rsi, %r11
	push %rbx
	leave cuMemFree_v2

	/* +5: not every kernel emulates a nop of five bytes; all emulate the push. */
	function cuMemcpy
	.byte 0x0f, 0x1f, 0x44, 0x00, 0x00	/* nopl 0(%rax,%rax,1); the assembler would take a byte less */
	push %rbx
	leave cuMemcpy

	/* entry: a loop comes back to the push, which is emulated: a call would count as many times as it goes round. */
	function cuMemAllocPitch_v2
	testq %rdi, %rdi
1:	push %rdi
	pop %rdi
	decq %rdi
	jne 1b
	xorl %eax, %eax
	ret
	end cuMemAllocPitch_v2

	/* entry: the push is where another function begins, one that has no size. */
	function cuMemAllocManaged
	testq %rdi, %rdi
	.globl odd_second
	.type odd_second, @function
odd_second:
	push %rbx
	leave cuMemAllocManaged
	.size odd_second, 0

	/* entry: writes %rax. */
	function cuMemHostAlloc
	movl $1, %eax
	push %rbx
	leave cuMemHostAlloc

	/* entry: writes %rax, after an endbr64 that alone could be stepped over. */
	function cuMemcpyHtoD_v2
	endbr64
	xorl %eax, %eax
	push %rbx
	leave cuMemcpyHtoD_v2

	/* entry: writes %r10. */
	function cuMemcpyDtoH_v2
	leaq 8(%rsp), %r10
	push %rbx
	leave cuMemcpyDtoH_v2

	/* entry: writes %rcx, the fourth argument, which the probe reads. */
	function cuMemcpyDtoD_v2
	movq %rdi, %rcx
	push %rbx
	leave cuMemcpyDtoD_v2

	/* entry: without a size nothing says that the push is of this function. */
	function cuMemFreeHost
	endbr64
	push %rbx
	xorl %eax, %eax
	pop %rbx
	ret
	.cfi_endproc
	.size cuMemFreeHost, 0

	/* entry: the size ends within the first instruction. */
	function cuMemRelease
	endbr64
	push %rbx
	xorl %eax, %eax
	pop %rbx
	ret
	.cfi_endproc
	.size cuMemRelease, 2

	/* entry: what follows the endbr64 is no instruction in 64-bit code. The push behind that is emulated. */
	function cuMemMap
	endbr64
	.byte 0x06
	push %rbx
	leave cuMemMap

	/* entry: another symbol lies in the middle of what would be stepped over, in the constant (0x53: push %rbx). */
	function cuMemUnmap
	movabsq $0x5353535353535353, %r11
	push %rbx
	leave cuMemUnmap
	.globl odd_inside
	.type odd_inside, @function
	.set odd_inside, cuMemUnmap + 2
	.size odd_inside, 9

	/* entry: writes memory. */
	function cuMemCreate
	movl $0, shut_down(%rip)
	push %rbx
	leave cuMemCreate

	/* entry: moves the stack pointer, by which the probe finds the caller. */
	function cuCtxSynchronize
	subq $8, %rsp
	push %rbx
	xorl %eax, %eax
	pop %rbx
	addq $8, %rsp
	ret
	end cuCtxSynchronize

	.section .data.rel.ro, "aw", @progbits
	.p2align 3
	.local pointer
pointer:
	.quad code

	.data
	.p2align 2
	.local shut_down
shut_down:
	.long 0

	.text
	.local code
	.type code, @function
code:
	xorl %eax, %eax
	ret
	.size code, .-code

	.section .note.GNU-stack, "", @progbits
