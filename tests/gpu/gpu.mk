# SPDX-License-Identifier: GPL-2.0-or-later
# make gpu-check: a folder and a tarball of it with all that a check on a
# machine with a GPU needs, to be copied there. Include after bench.mk.
gpu_dir = tests/gpu
gpu_bundle = $(gpu_dir)/cutop-gpu-check
gpu_tarball = $(gpu_dir)/cutop-gpu-check.tar.gz
gpu_source = $(srcdir)/tests/gpu

gpu_runtime_programs = vectors graphs pools streams leaks failures cost
# These load a library of NVIDIA's that the machine has.
gpu_library_programs = blas nccl
gpu_driver_programs = driver vmm
gpu_files = tests/gpu/blas.cu tests/gpu/compare.c tests/gpu/cost.cu tests/gpu/counts.h tests/gpu/cupti_count.c tests/gpu/driver.c \
	tests/gpu/driver_calls.h tests/gpu/driver_kernels.cu tests/gpu/entries.c tests/gpu/failures.cu tests/gpu/graphs.cu \
	tests/gpu/leaks.cu tests/gpu/library.cuh tests/gpu/make-bundle tests/gpu/nccl.cu tests/gpu/pools.cu tests/gpu/python_check.py tests/gpu/python_programs.py tests/gpu/run tests/gpu/runtime.cuh \
	tests/gpu/slowdown.py tests/gpu/steps.sh tests/gpu/stand_ins.cu tests/gpu/streams.cu \
	tests/gpu/vectors.cu tests/gpu/vmm.c

# The path of the dynamic loader is written into these programs on the machine where they run: leave room for it.
# RPATH rather than RUNPATH, since it also holds for the libraries that the libraries need.
gpu_link = loader=`readelf -l src/cutop | sed -n 's/.*interpreter: \(.*\)]/\1/p'`; \
	room=`printf '%1000s' '' | tr ' ' /`; \
	$(CC) $(AM_CFLAGS) $(CFLAGS) $(LDFLAGS) -pthread -o $@ -Wl,--disable-new-dtags,-rpath,'$$ORIGIN/../lib' \
	  -Wl,--dynamic-linker,"$$room$$loader"

$(gpu_dir)/cutop: $(src_cutop_OBJECTS) $(src_cutop_DEPENDENCIES) src/cutop
	@$(MKDIR_P) $(gpu_dir)
	$(AM_V_CCLD)$(gpu_link) $(src_cutop_OBJECTS) $(src_cutop_LDADD) $(LIBS)
# Places probes that do nothing, to tell what cutop adds to those.
$(gpu_dir)/empty: $(tests_bench_empty_OBJECTS) $(tests_bench_empty_DEPENDENCIES) src/cutop
	@$(MKDIR_P) $(gpu_dir)
	$(AM_V_CCLD)$(gpu_link) $(tests_bench_empty_OBJECTS) $(tests_bench_empty_LDADD) $(LIBS)
$(gpu_dir)/compare: tests/gpu/compare.c src/cutop
	@$(MKDIR_P) $(gpu_dir)
	$(AM_V_CCLD)$(gpu_link) $(JANSSON_CFLAGS) -D_GNU_SOURCE $(gpu_source)/compare.c $(JANSSON_LIBS)
$(gpu_dir)/entries: tests/gpu/entries.c src/cutop
	@$(MKDIR_P) $(gpu_dir)
	$(AM_V_CCLD)$(gpu_link) -D_GNU_SOURCE $(gpu_source)/entries.c

# Device code for today's server GPUs, and PTX for the others.
GPU_ARCH = -gencode arch=compute_75,code=compute_75 -gencode arch=compute_80,code=sm_80 -gencode arch=compute_90,code=sm_90
# NVIDIA's headers are no concern of ours: system headers give no warnings.
gpu_toolkit = toolkit='$(CUDA_TOOLKIT)'

gpu_tools = $(gpu_dir)/cutop $(gpu_dir)/compare $(gpu_dir)/empty $(gpu_dir)/entries
gpu_made = $(gpu_tools) $(gpu_dir)/driver_kernels.ptx $(gpu_dir)/driver_ptx.c $(gpu_dir)/libcupti_count.so $(gpu_dir)/stand_ins.so $(gpu_tarball)

if HAVE_NVCC
gpu_shared_programs = $(gpu_runtime_programs:%=$(gpu_dir)/%) $(gpu_library_programs:%=$(gpu_dir)/%)
gpu_static_programs = $(gpu_runtime_programs:%=$(gpu_dir)/%-static)
gpu_programs = $(gpu_shared_programs) $(gpu_static_programs) $(gpu_driver_programs:%=$(gpu_dir)/%)
gpu_objects = $(gpu_runtime_programs:%=$(gpu_dir)/%.o) $(gpu_library_programs:%=$(gpu_dir)/%.o)

gpu_compile = $(MKDIR_P) $(gpu_dir); $(NVCC) -O2 -std=c++17 -Xcompiler -Wall,-Wextra,-Werror $(GPU_ARCH) -c \
	-o $@ $(gpu_source)/`basename $@ .o`.cu
gpu_link_cuda = $(NVCC) -o $@ -Xcompiler -static-libstdc++ -Xlinker --as-needed -lpthread -Xlinker -rpath -Xlinker '$$ORIGIN/../cuda'
gpu_link_shared = $(gpu_link_cuda) -cudart shared $@.o
gpu_link_static = $(gpu_link_cuda) -cudart static `echo $@ | sed 's/-static$$//'`.o
# A program is made anew when any of them has changed.
$(gpu_objects): $(gpu_files)
	$(AM_V_GEN)$(gpu_compile)
$(gpu_shared_programs): $(gpu_objects)
	$(AM_V_GEN)$(gpu_link_shared)
$(gpu_static_programs): $(gpu_objects)
	$(AM_V_GEN)$(gpu_link_static)
# For the test of all this: what blas and nccl load where there is no GPU.
$(gpu_dir)/stand_ins.so: tests/gpu/stand_ins.cu
	@$(MKDIR_P) $(gpu_dir)
	$(AM_V_GEN)$(NVCC) -O2 -std=c++17 -shared -Xcompiler -fPIC,-Wall,-Wextra,-Werror $(GPU_ARCH) -cudart shared -o $@ $(gpu_source)/stand_ins.cu
# PTX says for which version of its language it is. These kernels use nothing that drivers since CUDA 11 do not know.
$(gpu_dir)/driver_kernels.ptx: tests/gpu/driver_kernels.cu
	@$(MKDIR_P) $(gpu_dir)
	$(AM_V_GEN)$(NVCC) -O2 -arch=compute_75 -ptx -o $@.tmp $(gpu_source)/driver_kernels.cu && \
	  sed 's/^\.version .*/.version 7.0/' $@.tmp >$@ && rm -f $@.tmp
$(gpu_dir)/driver_ptx.c: $(gpu_dir)/driver_kernels.ptx
	$(AM_V_GEN){ echo 'extern const char driver_ptx[];'; echo 'const char driver_ptx[] ='; \
	  sed 's/[\\"]/\\&/g; s/	/\\t/g; s/.*/"&\\n"/' $(gpu_dir)/driver_kernels.ptx; echo ';'; } >$@
gpu_driver_link = $(gpu_toolkit); $(CC) $(WORKLOAD_CFLAGS) -isystem "$$toolkit/include" -o $@ $(gpu_source)/$(@F).c \
	$(gpu_dir)/driver_ptx.c -ldl
$(gpu_dir)/driver: tests/gpu/driver.c tests/gpu/driver_calls.h tests/gpu/counts.h $(gpu_dir)/driver_ptx.c
	$(AM_V_GEN)$(gpu_driver_link)
$(gpu_dir)/vmm: tests/gpu/vmm.c tests/gpu/driver_calls.h tests/gpu/counts.h $(gpu_dir)/driver_ptx.c
	$(AM_V_GEN)$(gpu_driver_link)

# Where the toolkit has no CUPTI this leaves an empty file, and the bundle goes without.
$(gpu_dir)/libcupti_count.so: tests/gpu/cupti_count.c
	@$(MKDIR_P) $(gpu_dir)
	$(AM_V_GEN)$(gpu_toolkit); rm -f $@; for extra in "$$toolkit" "$$toolkit/extras/CUPTI"; do \
	  [ -e "$$extra/include/cupti.h" ] || continue; \
	  library=`ls "$$extra"/lib64/libcupti.so.[0-9]* "$$extra"/lib/libcupti.so.[0-9]* 2>/dev/null | head -n 1`; \
	  [ -n "$$library" ] || continue; \
	  $(CC) $(WORKLOAD_CFLAGS) -fPIC -shared -isystem "$$toolkit/include" -isystem "$$extra/include" -o $@ \
	    $(gpu_source)/cupti_count.c "$$library" -Wl,-rpath,'$$ORIGIN' || exit 1; break; \
	done; [ -e $@ ] || : >$@

$(gpu_tarball): $(gpu_programs) $(gpu_tools) $(gpu_dir)/libcupti_count.so tests/gpu/run tests/gpu/steps.sh tests/gpu/make-bundle \
		tests/gpu/python_check.py tests/gpu/python_programs.py tests/gpu/slowdown.py
	$(AM_V_GEN)$(gpu_toolkit); VERSION='$(PACKAGE_VERSION)' sh $(gpu_source)/make-bundle \
	  $(gpu_dir) $(gpu_source) "$$toolkit" '$(NVCC)' $(gpu_programs)

gpu-check: $(gpu_tarball)
	@echo "copy $(gpu_tarball) to the machine with the GPU, unpack it there, and run cutop-gpu-check/run as root"
else
gpu_programs =
gpu_objects =
gpu-check:
	@echo "gpu-check: needs nvcc to build the sample programs, and configure found none (set NVCC=/path/to/nvcc)"; exit 1
endif
.PHONY: gpu-check

CLEANFILES += $(gpu_made) $(gpu_programs) $(gpu_objects)
EXTRA_DIST += $(gpu_files)
clean-local: gpu-clean
gpu-clean:
	rm -rf $(gpu_bundle)
.PHONY: gpu-clean
