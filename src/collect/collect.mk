# SPDX-License-Identifier: GPL-2.0-or-later
# The collector and what feeds it.
collect_sources = \
	src/collect/arrivals.c src/collect/arrivals.h \
	src/collect/collector.c src/collect/collector.h \
	src/collect/command.c src/collect/command.h \
	src/collect/cost.c src/collect/cost.h \
	src/collect/feed.c src/collect/feed.h \
	src/collect/host_functions.c src/collect/host_functions.h \
	src/collect/late_kernels.c src/collect/late_kernels.h \
	src/collect/modules.c src/collect/modules.h \
	src/collect/native_stacks.c src/collect/native_stacks.h \
	src/collect/nvml.c src/collect/nvml.h \
	src/collect/playback.c src/collect/playback.h \
	src/collect/process_identity.c src/collect/process_identity.h \
	src/collect/python_stacks.c src/collect/python_stacks.h \
	src/collect/record_sink.c src/collect/record_sink.h \
	src/collect/site_names.c src/collect/site_names.h \
	src/collect/stacks.c src/collect/stacks.h
