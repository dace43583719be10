/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How to get from a frame of a native stack to its caller's, in code without frame pointers. User
 * space finds one row for each return address that was met (names/cfi.h), and writes it into a map
 * that the BPF side reads at each walk (bpf/unwind.bpf.h). Include <linux/types.h> or vmlinux.h
 * first.
 *
 * Where a walk meets an address without a row, a copy of the stack from there on is sent; user
 * space walks on in it, and writes the rows that were missing.
 *
 * The canonical frame address (CFA) of a frame is the value that its caller's stack pointer has
 * after the return; x86-64 keeps the return address in the 8 bytes below it.
 */
#ifndef CUTOP_UNWIND_H
#define CUTOP_UNWIND_H

#include "cutop_event.h"

/* How the CFA is had. */
enum unwind_cfa {
	UNWIND_NONE,  /* nothing is known of this address: the stack ends here, cut */
	UNWIND_END,   /* the outermost frame: it has no caller */
	UNWIND_SP,    /* rsp + offset */
	UNWIND_BP,    /* rbp + offset */
	UNWIND_BP_AT, /* what lies at rbp + offset: functions that align their stack */
	/*
	 * rbp + offset, of code that always has a frame there, as Go's: 0 in the outermost. The caller's
	 * may be on another stack, higher or lower: Go's, that C was called from.
	 */
	UNWIND_CHAIN,
	UNWIND_SIGNAL, /* a signal's frame: the registers lie in a struct ucontext at rsp */
	UNWIND_CFA_COUNT
};

/* How the caller's rbp is had. */
enum unwind_bp {
	UNWIND_BP_SAME, /* the function does not change it, or that is unknown */
	UNWIND_BP_CFA,  /* it lies at CFA + bp */
	UNWIND_BP_OWN,  /* it lies at rbp + bp */
	UNWIND_BP_COUNT
};

struct unwind_rule {
	__s32 offset; /* bytes */
	__s16 bp;     /* bytes */
	__u8 cfa;     /* enum unwind_cfa */
	__u8 bp_by;   /* enum unwind_bp */
};

/* Offsets in struct ucontext of x86-64 (asm/ucontext.h, asm/sigcontext.h), in bytes. */
#define UNWIND_UCONTEXT_BP 120
#define UNWIND_UCONTEXT_SP 160
#define UNWIND_UCONTEXT_IP 168

struct unwind_row {
	__u64 tag; /* UNWIND_TAG(); 0: free, or being written */
	struct unwind_rule rule;
};

#define UNWIND_WAYS 4    /* rows of a set */
#define UNWIND_SETS 8192 /* a power of two */

struct unwind_set {
	struct unwind_row rows[UNWIND_WAYS];
};

/* In the address of a row: no return address, but where a signal's frame was interrupted. */
#define UNWIND_INTERRUPTED (1ull << 47)

/*
 * A row is of a return address in a program, as long as no library is mapped in another's place
 * (@age: how often that has happened). User space addresses have 47 bits; the rest is of program
 * and age what there is room for. Two programs that differ in what is left out would have to have
 * code at the same address.
 */
#define UNWIND_MARK(program, age) \
	((((__u64)(program)*0x9e3779b97f4a7c15ull + (__u64)(age)*0xc2b2ae3d27d4eb4full) >> 48) | 1)
#define UNWIND_TAG(mark, address) ((__u64)(address) | (mark) << 48)
#define UNWIND_SET_OF(tag)        ((__u32)(((tag)*0x9e3779b97f4a7c15ull) >> 40) & (UNWIND_SETS - 1))

/*
 * A native stack's id has this bit, which no user space address has, and not PYTHON_STACK: records
 * of failed calls have a stack's id or an address in one field.
 */
#define NATIVE_STACK (1ull << 62)

/*
 * Of a stack that is copied, words are sent that lead into code or to a stack, each with its place:
 * how many words it is from the stack pointer on. Nothing else is needed to find callers.
 */
#define UNWIND_PLACES               32768 /* 256 KiB */
#define UNWIND_WORD(place, address) ((__u64)(place) << 48 | (address))
#define UNWIND_WORD_PLACE(word)     ((word) >> 48)
#define UNWIND_WORD_ADDRESS(word)   ((word) & ((1ull << 48) - 1))
#define UNWIND_WORDS                512 /* in a record at most */

/* Words for which the struct rec_stack_copy to follow has no room */
struct rec_stack_part {
	struct rec_hdr hdr;
	__u64 stack; /* the id in that record */
	__u32 word_count;
	__u32 pad;
	__u64 words[];
};

/* In struct rec_stack.shown, in the ring only: the stack goes on, but its next frame is unknown. */
#define UNWIND_STACK_IS_CUT (1u << 31)

/* Struct rec_stack_copy.flags */
#define UNWIND_AT_INTERRUPTED 1 /* ip is where a signal's frame was interrupted */

/* Functions whose return is probed, that a thread can be inside of: kernel/events/uprobes.c */
#define UNWIND_RETURNS 64

/* A stack whose walk ended at an address without a row. */
struct rec_stack_copy {
	struct rec_hdr hdr;
	__u64 stack;      /* its id within the program, which no other stack has */
	__u64 ip, sp, bp; /* the registers of the frame without a row */
	__u32 count;      /* frames before it */
	__u32 bytes;      /* that were looked at, from sp on; words that were not sent count as 0 */
	__u32 flags;
	__u32 age; /* for the rows that were missing */
	__u32 word_count;
	__u32 pad;
	__u64 frames[CUTOP_STACK_FRAMES + 1];
	__u64 words[]; /* of several at one place, the last one holds */
};

#endif
