/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What every header of the BPF programs needs: the kernel's types, libbpf's macros, and what is
 * shared with user space. Each header includes those whose names it uses, so that it compiles alone
 * (tests/checks/test_bpf_headers.sh).
 */
#ifndef BASE_BPF_H
#define BASE_BPF_H

#include "vmlinux_min.h"

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>

#include "cutop_calls.h"
#include "cutop_event.h"

#ifndef EFAULT
#define ENOENT 2
#define EFAULT 14
#endif

#endif
