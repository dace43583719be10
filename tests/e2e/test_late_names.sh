#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Programs that registered their kernels, and asked for their handles, before
# cutop came: names are read from the program's variables and its symbols, its
# own or those of a debug file, in a container too; where there are none, a
# kernel is shown as where it is launched, and its counts are right all the same.
. "${top_srcdir:-.}/tests/e2e/lib.sh"

program=$top_builddir/tests/e2e/bin/late_kernels
[ -x "$program" ] || skip "no nvcc: the program in CUDA C++ is not built"
command -v objcopy >/dev/null || skip "needs objcopy and strip (Debian: apt install binutils)"
LD_LIBRARY_PATH=$double
export LD_LIBRARY_PATH

soon() {	# "what" PATTERN FILE
	wait_for 10 grep -q "$2" "$3" || fail "waited in vain for $1"
}

# late NAME COMMAND...: starts it, lets it launch, attaches, lets it launch again; the last document as NAME
late() {
	name=$1
	shift
	rm -f "$T/hold"
	mkfifo "$T/hold"
	: >"$T/said"
	: >"$T/$name.err"
	: >"$T/$name.out"
	"$@" <"$T/hold" >"$T/said" 2>"$T/said.err" &
	shell=$!
	exec 3>"$T/hold"
	soon "$name to be ready" ready "$T/said"
	"$CUTOP" -b -v -f json -d 0.1 -p $shell >"$T/$name.out" 2>"$T/$name.err" 3>&- &
	cutop=$!
	soon "$name to be probed" 'functions attached' "$T/$name.err"
	soon "a first document of $name" '"schema"' "$T/$name.out"
	echo >&3
	soon "$name to launch" launched "$T/said"
	soon "$name's last kernel" '"launches":50,' "$T/$name.out"
	exec 3>&-
	wait $shell
	check "$name: the program is well" [ $? = 0 ]
	kill -INT $cutop
	wait $cutop
	tail -n 1 "$T/$name.out" >"$T/$name.json"
}

named='[["Zclinkage",40],["fresh",50],["plain",10],["space::named",20],["typed",30]]'
names='[p.kernels[] | [.name, .launches]] | sort'

late all "$program"
expect all "$names" "$named"
expect all '[p.kernels[].signature] | sort' \
	'["Zclinkage(int*)","fresh(int*)","plain(int*)","space::named(int*, float)","void typed<long>(long*)"]'
expect all 'p.watched_from' '"attach"'

# ---- stripped, with a debug file by link
objcopy --only-keep-debug "$program" "$T/late.debug"
strip -o "$T/late" "$program"
(cd "$T" && objcopy --add-gnu-debuglink=late.debug late)
late debug "$T/late"
expect debug "$names" "$named"

# ---- a position-dependent program: its variables lie where its file says
if [ -n "${NVCC:-}" ] && "$NVCC" -O2 -o "$T/fixed" "$top_srcdir/tests/e2e/late_kernels.cu" -cudart shared \
	-Xcompiler -fno-pie -Xlinker -no-pie 2>/dev/null && readelf -h "$T/fixed" | grep -q 'EXEC'; then
	late fixed "$T/fixed"
	expect fixed "$names" "$named"
else
	echo "not tried: a position-dependent program"
fi

# ---- kernels of a library
if [ -n "${NVCC:-}" ] && "$NVCC" -O2 -shared -Xcompiler -fPIC -Dmain=run_kernels -o "$T/libkernels.so" \
	"$top_srcdir/tests/e2e/late_kernels.cu" -cudart shared 2>/dev/null; then
	printf '#include <dlfcn.h>\nint main(int c, char **v)\n{\n\tvoid *l = c > 1 ? dlopen(v[1], RTLD_NOW) : 0;\n
		return l ? ((int (*)(void))dlsym(l, "_Z11run_kernelsv"))() : 9;\n}\n' >"$T/host.c"
	"${CC:-cc}" -o "$T/host" "$T/host.c" -ldl
	late library "$T/host" "$T/libkernels.so"
	expect library "$names" "$named"
else
	echo "not tried: kernels of a library"
fi

# ---- in a container: what it maps and its debug file lie below its root
root=$T/root
mkdir -p "$root/bin"
cp "$T/late" "$T/late.debug" "$root/bin"
private_double "$root/lib"
libraries_below "$root" "$program" "$double/libcuda.so.1"
late inside env LD_LIBRARY_PATH=/lib chroot "$root" /bin/late
expect inside "$names" "$named"

# ---- stripped, and nothing else: counts without names; what is asked for later has its name
strip -o "$T/bare" "$program"
late bare "$T/bare"
expect bare '[p.kernels[].launches] | sort' '[10,20,30,40,50]'
expect bare '[p.kernels[] | select(.launches < 50) | .name | test("^bare\\+0x[0-9a-f]+$")] | all' true
expect bare '[p.kernels[].name] | unique | length' 5
expect bare '[p.kernels[] | select(.launches == 50) | .name | test("^(fresh|bare\\+0x[0-9a-f]+)$")] | all' true
expect bare '[.events[] | select(.kind == "lost")]' '[]'

finish
