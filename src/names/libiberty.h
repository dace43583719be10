/* SPDX-License-Identifier: GPL-2.0-or-later */
/* libiberty's demangler. Debian has its header in a folder, Fedora (binutils-devel) does not. */
#ifndef NAMES_LIBIBERTY_H
#define NAMES_LIBIBERTY_H

#if __has_include(<libiberty/demangle.h>)
#include <libiberty/demangle.h>
#else
#include <demangle.h>
#endif

#endif
