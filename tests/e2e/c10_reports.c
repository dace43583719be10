// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A stand-in for PyTorch's libc10.so: the functions by which its allocators report, under their
 * real names. They do nothing here but count, as PyTorch's do without a profiler.
 *
 * -DSIGNED gives them the arguments that they had before PyTorch 2.2, -DWITHOUT_TOTALS those of
 * PyTorch 1.8.
 */
#include <stddef.h>

volatile unsigned long c10_reports;

#ifdef SIGNED
#define USAGE "_ZN3c1027reportMemoryUsageToProfilerEPvlllNS_6DeviceE"
#define SHORT "_ZN3c1027reportOutOfMemoryToProfilerElllNS_6DeviceE"
#else
#define USAGE "_ZN3c1027reportMemoryUsageToProfilerEPvlmmNS_6DeviceE"
#define SHORT "_ZN3c1027reportOutOfMemoryToProfilerElmmNS_6DeviceE"
#endif

#ifdef WITHOUT_TOTALS
void report_old(void *ptr, long bytes, unsigned short device) __asm__(
	"_ZN3c1027reportMemoryUsageToProfilerEPvlNS_6DeviceE");
void report_old(void *ptr, long bytes, unsigned short device)
{
	(void)ptr, (void)bytes, (void)device;
	c10_reports++;
}
#endif

void report_usage(void *ptr, long bytes, size_t allocated, size_t reserved,
		  unsigned short device) __asm__(USAGE);
void report_usage(void *ptr, long bytes, size_t allocated, size_t reserved, unsigned short device)
{
	(void)ptr, (void)bytes, (void)allocated, (void)reserved, (void)device;
	c10_reports++;
}

void report_short(long bytes, size_t allocated, size_t reserved,
		  unsigned short device) __asm__(SHORT);
void report_short(long bytes, size_t allocated, size_t reserved, unsigned short device)
{
	(void)bytes, (void)allocated, (void)reserved, (void)device;
	c10_reports++;
}
