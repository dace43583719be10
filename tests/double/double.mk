# The double of NVIDIA's CUDA libraries: an automake fragment for the
# top-level Makefile.am.  What it builds is loaded into foreign programs, so
# libtool and the main build's flags (sanitizers, hardening) stay out of it.

double_runtime_files = \
	tests/double/arrays.c \
	tests/double/box.c \
	tests/double/copy_calls.c \
	tests/double/device.c \
	tests/double/errors.c \
	tests/double/graphs.c \
	tests/double/memory.c \
	tests/double/per_thread.c \
	tests/double/register.c \
	tests/double/runtime_unsupported.c \
	tests/double/stream_calls.c \
	tests/double/streams.c

double_driver_files = \
	tests/double/driver_arena.c \
	tests/double/driver_arrays.c \
	tests/double/driver_context.c \
	tests/double/driver_copies.c \
	tests/double/driver_copy_calls.c \
	tests/double/driver_device.c \
	tests/double/driver_entry.c \
	tests/double/driver_graph_memory.c \
	tests/double/driver_graphs.c \
	tests/double/driver_ipc.c \
	tests/double/driver_launch.c \
	tests/double/driver_library.c \
	tests/double/driver_link.c \
	tests/double/driver_memory.c \
	tests/double/driver_objects.c \
	tests/double/driver_per_thread.c \
	tests/double/driver_pools.c \
	tests/double/driver_stream_calls.c \
	tests/double/driver_streams.c \
	tests/double/driver_unsupported.c \
	tests/double/driver_virtual.c

double_older_files = tests/double/runtime_older.c

double_shared_files = \
	tests/double/error_names.c \
	tests/double/script.c

double_header_files = \
	tests/double/cuda_double.h \
	tests/double/cuda_double_driver.h \
	tests/double/double.h \
	tests/double/driver.h \
	tests/double/runtime.h

double_map_files = \
	tests/double/libcuda.map \
	tests/double/libcudart.map

# The functions of the call table: those that the double does not have answer "not supported".
double_unsupported = tests/double/unsupported.h
$(double_unsupported): tests/double/unsupported.awk tests/checks/table.sh include/cutop_call_table.h include/cutop_runtime_calls.h \
		include/cutop_driver_calls.h
	@$(MKDIR_P) tests/double
	$(AM_V_GEN)sh $(srcdir)/tests/checks/table.sh | $(AWK) -f $(srcdir)/tests/double/unsupported.awk >$@.tmp && mv -f $@.tmp $@
double_shared_needs = $(double_shared_files) $(double_header_files) $(double_map_files) $(double_unsupported)

# Every exported function must begin with a push, as NVIDIA's do, and must not
# hand over to another by a jump.
DOUBLE_CFLAGS = -std=c17 -D_GNU_SOURCE -O2 -g -fPIC -Wall -Wextra -Werror \
	-fno-omit-frame-pointer -mno-omit-leaf-frame-pointer \
	-fcf-protection=none -fno-optimize-sibling-calls -fno-stack-protector \
	-ftls-model=initial-exec -pthread -Itests/double -I$(srcdir)/include -I$(srcdir)/src

# What only gcc needs, and only gcc knows.
DOUBLE_GCC_CFLAGS = -fno-shrink-wrap -fno-ipa-icf -fno-schedule-insns2
double_cflags = $(DOUBLE_CFLAGS) \
	`$(CC) -Werror $(DOUBLE_GCC_CFLAGS) -xc -c /dev/null -o /dev/null 2>/dev/null && echo $(DOUBLE_GCC_CFLAGS)`
double_ldflags = -pthread -shared -Wl,-z,defs -Wl,-Bsymbolic-functions -Wl,-z,now

# Each file is compiled once, to assembly, from which all forms of the libraries are made.
.c.s:
	@$(MKDIR_P) $(@D)
	$(AM_V_GEN)$(CC) $(double_cflags) -S -o $@.tmp $< && mv -f $@.tmp $@
double_shared_code = $(double_shared_files:.c=.s)
double_runtime_code = $(double_runtime_files:.c=.s) $(double_shared_code)
double_driver_code = $(double_driver_files:.c=.s) $(double_shared_code)
$(double_runtime_code) $(double_driver_code): $(double_shared_needs)
CLEANFILES += $(double_runtime_code) $(double_driver_code)

# double_link SONAME MAP FILE...: links them to $@.
double_link = double_link() { \
	  soname=$$1 map=$$2 && shift 2 && \
	  $(CC) $(double_ldflags) -Wl,-soname,$$soname -Wl,--version-script,$$map -o $@.tmp "$$@" -ldl && \
	  mv -f $@.tmp $@; }; double_link

double_lib = tests/double/lib
DOUBLE_LIBS = \
	$(double_lib)/libcudart.so.13 \
	$(double_lib)/libcudart_static.a \
	$(double_lib)/libcuda.so.1 \
	$(double_lib)/nvml/libnvidia-ml.so.1 \
	$(double_lib)/nvml-old/libnvidia-ml.so.1

driver_map = $(srcdir)/tests/double/libcuda.map
runtime_map = $(srcdir)/tests/double/libcudart.map
$(double_lib)/libcuda.so.1: $(double_driver_code)
	@$(MKDIR_P) $(@D)
	$(AM_V_GEN)$(double_link) libcuda.so.1 $(driver_map) $(double_driver_code)

$(double_lib)/libcudart.so.13: $(double_lib)/libcuda.so.1 $(double_runtime_code)
	$(AM_V_GEN)$(double_link) libcudart.so.13 $(runtime_map) -Wl,-rpath,'$$ORIGIN' $(double_runtime_code) $(double_lib)/libcuda.so.1

# The libraries of CUDA 11.8 and 12.6, each in a folder of its own: programs that were linked to those find here what
# they need. A driver of that time lacks functions that were added with CUDA 13 under a name that ends in _v2, and
# that programs which look for the newest form would take for the older one.
double_lib11 = tests/double/lib11
double_lib12 = tests/double/lib12
DOUBLE_OLDER = $(double_lib11)/libcudart.so.11.0 $(double_lib12)/libcudart.so.12

# older_code FILE...: $$code, their code for the CUDA of $@'s folder; what does not ask for its version is the same for all.
older_code = rm -rf $@.s && $(MKDIR_P) $@.s && code= && case $@ in *lib11/*) version=11080 ;; *) version=12060 ;; esac; older_code() { \
	  for f in "$$@"; do \
	    b=`basename $$f .c`; \
	    if grep -q 'DOUBLE_CUDA\|unsupported\.h\|stream_calls\.c' $(srcdir)/$$f; then \
	      $(CC) $(double_cflags) -DDOUBLE_CUDA=$$version -S -o $@.s/$$b.s $(srcdir)/$$f || exit 1; code="$$code $@.s/$$b.s"; \
	    else code="$$code tests/double/$$b.s"; fi; \
	  done; }; older_code

$(double_lib11)/libcuda.so.1 $(double_lib12)/libcuda.so.1: $(double_driver_code)
	$(AM_V_GEN)$(older_code) $(double_driver_files) $(double_shared_files); \
	sed '/^local:/a cuCtxGetDevice_v2; cuCtxSynchronize_v2; cuLaunchHostFunc_v2*; cuMulticastBind*_v2;' $(driver_map) >$@.s/map && \
	$(double_link) libcuda.so.1 $@.s/map $$code && rm -rf $@.s

$(double_lib11)/libcudart.so.11.0: $(double_lib11)/libcuda.so.1
$(double_lib12)/libcudart.so.12: $(double_lib12)/libcuda.so.1
$(DOUBLE_OLDER): $(double_runtime_code) $(double_older_files)
	$(AM_V_GEN)$(older_code) $(double_runtime_files) $(double_older_files) $(double_shared_files); \
	sed 's/libcudart.so.13/$(@F)/' $(runtime_map) >$@.s/map && \
	$(double_link) $(@F) $@.s/map -Wl,-rpath,'$$ORIGIN' $$code $(@D)/libcuda.so.1 && rm -rf $@.s

# form_code FILE...: copies of this code in $@.s, each exported function in the form that $$form names.
form_code = rm -rf $@.s && $(MKDIR_P) $@.s && form_code() { \
	for f in "$$@"; do \
	  $(AWK) -v form=$$form -f $(srcdir)/tests/double/entries.awk $$f >$@.s/`basename $$f` || exit 1; \
	done; }; form_code

# One object, as in NVIDIA's archive: a program gets all of it or nothing.
# Only the interface's names stay visible to the link; inner functions have the names that they have there.
$(double_lib)/libcudart_static.a: $(double_runtime_code) tests/double/entries.awk
	@$(MKDIR_P) $(@D)
	$(AM_V_GEN)form=static; $(form_code) $(double_runtime_code); \
	$(CC) -r -nostdlib -o $@.s/cudart_static.o $@.s/*.s && \
	$(OBJCOPY) -w --keep-global-symbol='cuda*' --keep-global-symbol='__cuda*' $@.s/cudart_static.o && \
	$(NM) $@.s/cudart_static.o | sed -n '/ t \(__\)\{0,1\}cuda/d; s/.* t \(.*\)/\1 libcudart_static_\1/p' | \
	  sort -u >$@.s/names && \
	$(OBJCOPY) --redefine-syms=$@.s/names $@.s/cudart_static.o && \
	rm -f $@ && $(AR) rcs $@ $@.s/cudart_static.o && \
	rm -rf $@.s

# The same libraries with other first instructions, which decide what a probe costs: as NVIDIA's driver has them, with
# endbr64 before the push, and with nothing that the kernel emulates. Each folder is whole: a program that is told to look
# there first (LD_LIBRARY_PATH) gets both libraries from it.
double_forms = tests/double/forms
double_form_drivers = $(double_forms)/driver/libcuda.so.1 $(double_forms)/endbr/libcuda.so.1 $(double_forms)/stepped/libcuda.so.1
double_form_runtimes = $(double_forms)/endbr/libcudart.so.13 $(double_forms)/stepped/libcudart.so.13
if X86_64
DOUBLE_FORMS = $(double_form_drivers) $(double_form_runtimes) $(double_forms)/driver/libcudart.so.13 $(double_forms)/odd/libodd.so
else
DOUBLE_FORMS =
endif

$(double_form_drivers): $(double_driver_code) tests/double/entries.awk
	$(AM_V_GEN)form=`basename $(@D)`; $(form_code) $(double_driver_code); \
	$(double_link) libcuda.so.1 $(driver_map) $@.s/*.s && rm -rf $@.s
$(double_forms)/endbr/libcudart.so.13: $(double_forms)/endbr/libcuda.so.1
$(double_forms)/stepped/libcudart.so.13: $(double_forms)/stepped/libcuda.so.1
$(double_form_runtimes): $(double_runtime_code) tests/double/entries.awk
	$(AM_V_GEN)form=`basename $(@D)`; $(form_code) $(double_runtime_code); \
	$(double_link) libcudart.so.13 $(runtime_map) -Wl,-rpath,'$$ORIGIN' $@.s/*.s $(@D)/libcuda.so.1 && rm -rf $@.s

# NVIDIA's runtime begins its functions with a push, whatever the driver does.
$(double_forms)/driver/libcudart.so.13: $(double_lib)/libcudart.so.13 $(double_forms)/driver/libcuda.so.1
	$(AM_V_GEN)cp $(double_lib)/libcudart.so.13 $@.tmp && mv -f $@.tmp $@

# Entries at which a probe must not be moved, and some at which it may: see the file.
$(double_forms)/odd/libodd.so: tests/double/odd_entries.S
	@$(MKDIR_P) $(double_forms)/odd
	$(AM_V_GEN)$(CC) -shared -nostdlib -Wl,-soname,libcuda.so.1 -o $@ $(srcdir)/tests/double/odd_entries.S

# Where nothing finds them that is not told to.
$(double_lib)/nvml/libnvidia-ml.so.1: tests/double/nvml.c
	@$(MKDIR_P) $(double_lib)/nvml
	$(AM_V_GEN)$(CC) $(double_cflags) $(double_ldflags) -Wl,-soname,libnvidia-ml.so.1 -o $@ $(srcdir)/tests/double/nvml.c
$(double_lib)/nvml-old/libnvidia-ml.so.1: tests/double/nvml.c
	@$(MKDIR_P) $(double_lib)/nvml-old
	$(AM_V_GEN)$(CC) $(double_cflags) $(double_ldflags) -DNVML_OLD -Wl,-soname,libnvidia-ml.so.1 -o $@ $(srcdir)/tests/double/nvml.c

EXTRA_DIST += tests/double/nvml.c
CLEANFILES += $(double_unsupported)
EXTRA_DIST += $(double_runtime_files) $(double_older_files) $(double_driver_files) \
	$(double_shared_files) $(double_header_files) $(double_map_files) \
	tests/double/test_entries.sh tests/double/entries.awk tests/double/odd_entries.S tests/double/unsupported.awk
CLEANFILES += $(DOUBLE_LIBS) $(DOUBLE_FORMS) $(DOUBLE_OLDER) $(double_lib11)/libcuda.so.1 $(double_lib12)/libcuda.so.1
