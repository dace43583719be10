# SPDX-License-Identifier: GPL-2.0-or-later
# What is CUDA's own in user space: the table of calls as data, errors, places. Needs nothing of libbpf.
cuda_sources = \
	src/cuda/allocators.c src/cuda/allocators.h \
	src/cuda/calls.c src/cuda/calls.h \
	src/cuda/errors.c src/cuda/errors.h \
	src/cuda/errors_table.h \
	src/cuda/library_places.c src/cuda/library_places.h \
	src/cuda/pools.c src/cuda/pools.h \
	src/cuda/job_rank.c src/cuda/job_rank.h \
	src/cuda/visible_devices.c src/cuda/visible_devices.h \
	src/cuda/wrappers.c src/cuda/wrappers.h
