/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sums and differences that stop at the limits of their type: a hostile number must not make a sum
 * wrap around.
 */
#ifndef UTIL_SATURATED_H
#define UTIL_SATURATED_H

#include <stdint.h>

static inline uint64_t add_saturated(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static inline uint64_t subtract_saturated(uint64_t a, uint64_t b)
{
	return a < b ? 0 : a - b;
}

static inline uint64_t multiply_saturated(uint64_t a, uint64_t b)
{
	uint64_t product;

	return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

#endif
