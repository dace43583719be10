# The workloads: CUDA programs that tests and demonstrations run on the
# double.  Include after tests/double/double.mk.  The C ones need no toolkit;
# those in CUDA C++ are built where configure found nvcc.

workload_files = \
	tests/workloads/arrays.c \
	tests/workloads/basic.c \
	tests/workloads/copies.c \
	tests/workloads/demo.c \
	tests/workloads/demo_cast.c \
	tests/workloads/graphs.c \
	tests/workloads/graphs_captures.c \
	tests/workloads/ipc.c \
	tests/workloads/kernels.c \
	tests/workloads/load.c \
	tests/workloads/lives.c \
	tests/workloads/many.c \
	tests/workloads/mortem.c \
	tests/workloads/workload.c

workload_header_files = \
	tests/workloads/graphs.h \
	tests/workloads/workload.h \
	tests/e2e/program.h \
	tests/double/cuda_double.h \
	tests/double/cuda_double_driver.h

workload_cu_files = \
	tests/workloads/leak.cu \
	tests/workloads/managed.cu \
	tests/workloads/streams.cu \
	tests/workloads/vector_add.cu

# Not the main build's flags: a sanitizer in a watched program helps nobody.
WORKLOAD_CFLAGS = -std=c17 -D_GNU_SOURCE -O2 -g -Wall -Wextra -Werror -pthread

workload_bin = tests/workloads/bin
WORKLOADS = $(workload_bin)/workload $(workload_bin)/workload-static

$(workload_bin)/workload.o: $(workload_files) $(workload_header_files)
	@$(MKDIR_P) $(workload_bin)
	$(AM_V_GEN)d='$(srcdir)'; $(CC) $(WORKLOAD_CFLAGS) -I$$d/tests/double -r -nostdlib -o $@ \
	  `for f in $(workload_files); do echo $$d/$$f; done`
workload_link = $(CC) -pthread -o $@ $(workload_bin)/workload.o
$(workload_bin)/workload: $(workload_bin)/workload.o $(double_lib)/libcudart.so.13
	$(AM_V_GEN)$(workload_link) $(double_lib)/libcudart.so.13 $(double_lib)/libcuda.so.1 -ldl -Wl,-rpath,'$$ORIGIN/../../double/lib'
$(workload_bin)/workload-static: $(workload_bin)/workload.o $(double_lib)/libcudart_static.a $(double_lib)/libcuda.so.1
	$(AM_V_GEN)$(workload_link) $(double_lib)/libcudart_static.a $(double_lib)/libcuda.so.1 -ldl -Wl,-rpath,'$$ORIGIN/../../double/lib'
# The same under the name it is installed by, which finds the double beside itself.
$(workload_bin)/cutop-demo: $(workload_bin)/workload.o $(double_lib)/libcudart.so.13
	$(AM_V_GEN)$(workload_link) $(double_lib)/libcudart.so.13 $(double_lib)/libcuda.so.1 -ldl -Wl,-rpath,'$$ORIGIN'
CLEANFILES += $(workload_bin)/cutop-demo $(workload_bin)/workload.o
$(workload_bin)/train.py: tests/workloads/train.py
	@$(MKDIR_P) $(workload_bin)
	$(AM_V_GEN)cp $(srcdir)/tests/workloads/train.py $@
CLEANFILES += $(workload_bin)/train.py
$(workload_bin)/demo.cutop: tests/workloads/demo.cutop
	@$(MKDIR_P) $(workload_bin)
	$(AM_V_GEN)cp $(srcdir)/tests/workloads/demo.cutop $@
CLEANFILES += $(workload_bin)/demo.cutop
EXTRA_DIST += tests/workloads/train.py tests/workloads/demo.cutop tests/workloads/record_demo.sh

if HAVE_NVCC
WORKLOADS_CU = \
	$(workload_bin)/leak $(workload_bin)/leak-static $(workload_bin)/managed $(workload_bin)/streams \
	$(workload_bin)/vector_add $(workload_bin)/vector_add-static
else
WORKLOADS_CU =
endif

# nvcc takes the file's name as a kernel's module name, so give it the short one.
workload_nvcc = $(MKDIR_P) $(workload_bin); $(NVCC) -O2 -lineinfo \
	-I$(srcdir)/tests/workloads -o $@ $(srcdir)/tests/workloads/$${cu}.cu \
	-Xlinker -rpath -Xlinker '$$ORIGIN/../../double/lib'
workload_nvcc_shared = cu=$(@F); $(workload_nvcc) -cudart shared
workload_nvcc_static = cu=`echo $(@F) | sed 's/-static$$//'`; $(workload_nvcc) \
	-cudart none $(double_lib)/libcudart_static.a \
	-Xlinker $(double_lib)/libcuda.so.1 -lpthread -ldl

$(workload_bin)/leak: tests/workloads/leak.cu $(double_lib)/libcudart.so.13
	$(AM_V_GEN)$(workload_nvcc_shared)
$(workload_bin)/managed: tests/workloads/managed.cu $(double_lib)/libcudart.so.13
	$(AM_V_GEN)$(workload_nvcc_shared)
$(workload_bin)/streams: tests/workloads/streams.cu $(double_lib)/libcudart.so.13
	$(AM_V_GEN)$(workload_nvcc_shared)
$(workload_bin)/vector_add: tests/workloads/vector_add.cu $(double_lib)/libcudart.so.13
	$(AM_V_GEN)$(workload_nvcc_shared)
$(workload_bin)/leak-static: tests/workloads/leak.cu $(double_lib)/libcudart_static.a $(double_lib)/libcuda.so.1
	$(AM_V_GEN)$(workload_nvcc_static)
$(workload_bin)/vector_add-static: tests/workloads/vector_add.cu $(double_lib)/libcudart_static.a $(double_lib)/libcuda.so.1
	$(AM_V_GEN)$(workload_nvcc_static)

EXTRA_DIST += $(workload_files) $(workload_cu_files) \
	tests/workloads/graphs.h tests/workloads/workload.h tests/workloads/check.cuh
CLEANFILES += $(WORKLOADS) $(WORKLOADS_CU)
