/* SPDX-License-Identifier: GPL-2.0-or-later */
/* libiberty's demangler, wherever the system has its header: Debian in a folder, Fedora (binutils-devel) without one. */
#ifndef NAMES_LIBIBERTY_H
#define NAMES_LIBIBERTY_H

#if __has_include(<libiberty/demangle.h>)
#include <libiberty/demangle.h>
#else
#include <demangle.h>
#endif

#endif
