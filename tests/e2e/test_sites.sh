#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Call sites: function and offset from symbols, file and line from DWARF, both also from debug files
# by build id and by link, here and below the root of a container; of programs that have already
# ended; and what is shown if nothing is known. Nothing is fetched over the network.
. "${top_srcdir:-.}/tests/e2e/lib.sh"
. "$top_srcdir/tests/e2e/cli.sh"

command -v objcopy >/dev/null || skip "needs objcopy and strip (Debian: apt install binutils)"
program=$top_builddir/tests/e2e/bin/site_calls
source=$top_srcdir/tests/e2e/site_calls.c
LD_LIBRARY_PATH=$double
export LD_LIBRARY_PATH
line=$(grep -n 'the call \*/' "$source" | cut -d : -f 1)

# Each way to a site is one of its own.
leaks='(p.sites | group_by(.site) | map([.[0].site, (map(.leaked_bytes) | add), (map(.allocations) | add)]))'
# named NAME TEXT: the one site's name, with its offset cut out, and its bytes
named() {
	expect "$1" "$leaks | map([(.[0] | sub(\"\\\\+0x[0-9a-f]+\"; \"+\")), .[1], .[2]])" "[[\"$2\",12100,4]]"
	expect_nothing_lost "$1"
}

# ---- with everything
watch all -- "$program"
named all "make+ at site_calls.c:$line (site_calls)"
offset=$(jq -r '.processes[0].sites[0].site | match("\\+0x([0-9a-f]+)").captures[0].string' "$T/all.json")

# ---- symbols only: the same offset
strip --strip-debug -o "$T/plain" "$program"
watch plain -- "$T/plain"
named plain "make+ (plain)"
expect plain "$leaks | .[0][0]" "\"make+0x$offset (plain)\""

# ---- names of other languages: the first frame that no crate of CUDA's, no library of Rust's and no bridge of Go's is in
renamed() {
	objcopy --redefine-sym make="$2" --redefine-sym first="$3" --redefine-sym second="$4" --redefine-sym third="$5" "$1" "$T/renamed"
	watch renamed -- "$T/renamed"
}
sites='[p.sites[] | .site | sub("[+]0x[0-9a-f]+"; "+")] | unique | join(", ")'
hash=17h0123456789abcdefE
renamed "$T/plain" "_ZN68_\$LT\$cudarc..driver..CudaSlice\$LT\$T\$GT\$\$u20\$as\$u20\$cudarc..Alloc\$GT\$5alloc$hash" \
	"_ZN42_\$LT\$main..Model\$u20\$as\$u20\$main..Grow\$GT\$4grow$hash" "_ZN5alloc3vec4from$hash" _RINvCs32gj3y4fnmh_4main7weightsfEB2_
expect renamed "$sites" '"main+ (renamed), main::Model::grow+ (renamed), main::weights+ (renamed)"'
expect renamed '[p.sites[] | .frames[] | .function // "" | select(test("cudarc"))] | unique' '["<cudarc::driver::CudaSlice<T> as cudarc::Alloc>::alloc"]'
LD_LIBRARY_PATH=$double "$CUTOP" -b -n 1 -f openmetrics -- "$T/renamed" >"$T/renamed.metrics" 2>/dev/null
check "metrics: no mangled name, no hash: $(grep -o 'site="[^"]*' "$T/renamed.metrics")" \
	[ "$(grep -o 'site="[^"+]*' "$T/renamed.metrics" | sort -u | tr '\n' ' ')" = 'site="main site="main::Model::grow site="main::weights ' ]
echo >"$T/section"
strip --strip-debug -o "$T/frames" "$program-frames"
objcopy --add-section .gopclntab="$T/section" "$T/frames"
renamed "$T/frames" _cgo_0123456789ab_Cfunc_cudaMalloc 'main.(*Model).Grow' main.weights main.layers
expect renamed "$sites" '"main.(*Model).Grow+ (renamed), main.layers+ (renamed), main.weights+ (renamed)"'
expect renamed '[p.sites[] | .stack | index("(the stack ends early)")] | unique' '[null]'

# ---- nothing: the offset in the file, and the same place as in the file with symbols
strip -o "$T/bare" "$program"
watch bare -- "$T/bare"
named bare "bare+"
address=$(nm "$program" | sed -n 's/^0*\([0-9a-f]*\) t make$/\1/p')
place=$(jq -r '.processes[0].sites[0].site | match("\\+0x([0-9a-f]+)").captures[0].string' "$T/bare.json")
check "an offset in the file is one of its code" [ $((0x$place)) = $((0x$address + 0x$offset)) ]

# ---- nobody is asked over the network
if command -v python3 >/dev/null; then
	python3 -c '
import socket, sys
s = socket.socket()
s.bind(("127.0.0.1", 0))
s.listen()
print(s.getsockname()[1], flush=True)
s.accept()
open(sys.argv[1], "w").close()' "$T/asked" >"$T/port" &
	server=$!
	until [ -s "$T/port" ]; do sleep 0.02; done
	DEBUGINFOD_URLS="http://127.0.0.1:$(cat "$T/port")" watch server -- "$T/bare"
	named server "bare+"
	check "no debug information server is asked" [ ! -e "$T/asked" ]
	kill $server
	wait $server 2>/dev/null
fi

# ---- by link: beside the program and below it, the checksum must fit
objcopy --only-keep-debug "$program" "$T/linked.debug"
objcopy --remove-section .note.gnu.build-id --strip-all "$program" "$T/linked"
(cd "$T" && objcopy --add-gnu-debuglink=linked.debug linked)
watch linked -- "$T/linked"
named linked "make+ at site_calls.c:$line (linked)"
mkdir "$T/.debug"
mv "$T/linked.debug" "$T/.debug"
watch below -- "$T/linked"
named below "make+ at site_calls.c:$line (linked)"
printf x >>"$T/.debug/linked.debug"
watch another -- "$T/linked"
named another "linked+"

# ---- by build id: in a private view of /usr/lib/debug
id=$(readelf -n "$program" | sed -n 's/.*Build ID: //p')
debug=usr/lib/debug/.build-id/$(echo "$id" | cut -c 1-2)/$(echo "$id" | cut -c 3-).debug
objcopy --only-keep-debug "$program" "$T/split"
if [ -d /usr/lib/debug ] && unshare -m true 2>/dev/null; then
	cat >"$T/private" <<-END
		#!/bin/sh
		mount --make-rprivate / && mount -t tmpfs none /usr/lib/debug && mkdir -p "\$(dirname "/$debug")" &&
		cp "$T/split" "/$debug" && exec "$CUTOP" "\$@"
	END
	chmod +x "$T/private"
	there=$CUTOP
	CUTOP="unshare -m $T/private"
	# shellcheck disable=SC2086
	private() {
		name=$1
		shift
		$CUTOP -b -f json -n 1 "$@" >"$T/$name.out" 2>"$T/$name.err"
		grep '^{"schema"' "$T/$name.out" | tail -n 1 >"$T/$name.json"
	}
	private id -- "$T/bare"
	named id "make+ at site_calls.c:$line (bare)"
	CUTOP=$there
else
	echo "not tried: /usr/lib/debug (none, or no private mounts)"
fi

# ---- in a container: the debug file lies below its root, and only there
root=$T/root
mkdir -p "$root/$(dirname "$debug")"
cp "$T/bare" "$root/bare"
cp "$T/split" "$root/$debug"
private_double "$root/lib"
libraries_below "$root" "$program" "$double/libcuda.so.1"
mkfifo "$T/hold"
"$CUTOP" -b -f json -d 0.1 --library "$root/lib/libcudart.so.13" -- \
	env LD_LIBRARY_PATH=/lib chroot "$root" /bare 1 wait >"$T/inside.out" 2>"$T/inside.err" <"$T/hold" &
cutop=$!
exec 3>"$T/hold"
wait_for 10 grep -q '"site":"make+' "$T/inside.out" || fail "container: no site: $(cat "$T/inside.err")"
exec 3>&-
wait $cutop
tail -n 1 "$T/inside.out" | jq -c '.processes |= map(select(.memory.allocations > 0))' >"$T/inside.json"
named inside "make+ at site_calls.c:$line (bare)"

# ---- a library unloaded, and another where it was
plugins=$top_builddir/tests/e2e/bin
# shellcheck disable=SC2016
watch plugins --library "$double/libcudart.so.13" -- sh -c 'LD_PRELOAD=$0/libcudart.so.13 exec "$1/loader" "$1/libplugin-first.so" where allocate_first call allocate_first close \
	open "$1/libplugin-second.so" where allocate_second call allocate_second' "$double" "$plugins"
places=$(sed -n 's/^\(0x[0-9a-f]*\)[0-9a-f]\{3\}$/\1/p' "$T/plugins.out" | sort -u | wc -l)
check "the second library lies where the first was: $(grep ^0x "$T/plugins.out")" [ "$places" = 1 ]
expect plugins '[p.sites[].site | match("libplugin-[a-z]*").string] | sort' '["libplugin-first","libplugin-second"]'
expect_nothing_lost plugins

# ---- a process that calls from more files than symbols are kept of (FILES_MAX of src/collect/modules.c), and then anew from the first
mkdir "$T/files"
set -- "$plugins/loader" "$plugins/libplugin-first.so" call allocate_first
for i in $(seq 64); do
	cp "$plugins/libplugin-second.so" "$T/files/lib$i.so"
	set -- "$@" open "$T/files/lib$i.so" call allocate_second
done
"$CUTOP" -b -f json -d 0.1 --library "$double/libcudart.so.13" -- "$@" open "$plugins/libplugin-first.so" call allocate_later \
	wait "$T/files/end" >"$T/files.out" 2>"$T/files.err" &
cutop=$!
check "files: its first file has no symbols any more: $(cat "$T/files.err")" \
	wait_for 20 grep -q '"allocate_later+0x[^"]*(libplugin-first.so)"' "$T/files.out"
touch "$T/files/end"
wait $cutop

# ---- programs that nobody knew, and that had ended when cutop first came to look: below mounts, too, and where no path leads
mkdir "$T/lying" "$T/seen"
touch "$T/seen/alone"
for name in here below moved long; do
	cp "$T/plain" "$T/lying/$name"
done
mkdir "$T/lying/deep"
mv "$T/lying/below" "$T/lying/deep/below"
long=$T/lying
for _ in 1 2 3 4 5; do
	long=$long/$(printf '%0250d' 0)
done
mkdir -p "$long"
mv "$T/lying/long" "$long/long"
cat >"$T/mounted" <<END
mkdir "$T/seen/folder"
mount --bind "$T/lying" "$T/seen/folder"
mount --bind "$T/plain" "$T/seen/alone"
exec "\$@"
END
before="unshare -m sh $T/mounted"
begin gone --library "$double/libcudart.so.13" -c "$T/*"
before=
kill -STOP $cutop
for name in lying/here seen/folder/deep/below seen/alone lying/moved "${long#"$T/"}/long"; do
	nsenter -m -t $cutop "$T/$name"
done
mv "$T/lying/moved" "$T/lying/elsewhere"
cp "$T/bare" "$T/lying/moved"
kill -CONT $cutop
ours="[.processes[] | select((.command | startswith(\"$T/\")) and .ended == \"exit\")]"
check "gone: all are seen" wait_for 20 newest "$ours | length == 5"
end gone
expect gone "$ours | [.[] | [.sites[].site] | unique[] | sub(\"[+]0x[0-9a-f]+\"; \"+\")] | sort" \
	'["long+","make+ (below)","make+ (here)","make+ (plain)","moved+"]'
expect gone "$ours | [.[].inexact] | any" false

# ---- a debug file that was cut short costs its names, and nothing else
size=$(stat -c %s "$T/split")
for part in 2 3 5 9; do
	cp "$T/linked" "$T/cut$part"
	head -c $((size / part)) "$T/split" >"$T/linked.debug"
	(cd "$T" && objcopy --remove-section .gnu_debuglink "cut$part" && objcopy --add-gnu-debuglink=linked.debug "cut$part")
	watch cut -- "$T/cut$part"
	expect cut "$leaks | map(.[1:])" '[[12100,4]]'
	expect_nothing_lost cut
done

finish
