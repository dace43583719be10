#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Where probes sit in NVIDIA's own libraries, held against what objdump says of
# them. They are Debian's packages of the components contrib and non-free:
# downloaded and unpacked for this test, not installed, and gone with it.
# Skipped where they cannot be had.
. "${top_srcdir:-.}/tests/e2e/lib.sh"

packages='libcuda1 libnvidia-tesla-470-cuda1 libcudart11.0'

[ "$(uname -m)" = x86_64 ] || skip "looks at code of x86-64"
for tool in apt-get dpkg-deb objdump nm; do
	command -v "$tool" >/dev/null || skip "needs $tool"
done

# ---- fetching them

# The same mirrors and suites as the machine's, with these components.
apt-get indextargets --format '$(REPO_URI) $(SUITE) $(ORIGIN)' 'Created-By: Packages' 2>/dev/null |
	awk '$3 == "Debian" && !seen[$1 $2]++ { print "deb", $1, $2, "contrib non-free" }' >"$T/sources.list"
[ -s "$T/sources.list" ] || skip "apt-get knows no mirror of Debian (apt-get update)"
mkdir -p "$T/lists/partial" "$T/cache" "$T/root"
chmod -R a+rwX "$T"

apt() {
	timeout --foreground 60 apt-get -q -o Dir::Etc::SourceList="$T/sources.list" -o Dir::Etc::SourceParts=/dev/null \
		-o Dir::State::Lists="$T/lists" -o Dir::Cache="$T/cache" -o APT::Sandbox::User=root \
		-o Acquire::Retries=0 -o Acquire::http::Timeout=15 -o Acquire::https::Timeout=15 "$@" >"$T/apt.log" 2>&1
}
apt update || skip "the mirror does not answer"
cd "$T" || exit 1
for package in $packages; do
	apt download "$package" || echo "$package cannot be had"
done
for archive in "$T"/*.deb; do
	[ ! -e "$archive" ] || dpkg-deb -x "$archive" "$T/root" || fail "$archive cannot be unpacked"
done
libraries=$(find "$T/root" -type f \( -name 'libcuda.so.*' -o -name 'libcudart.so.*' \))
[ -n "$libraries" ] || skip "none of NVIDIA's packages can be had"

# ---- what objdump says

# entries LIBRARY: for each exported function its name, and how it begins: "driver" (cmpl $imm32,flag(%rip); je), "emulated"
# (push, jump, call, nop: what every kernel emulates), or "other".
entries() {
	nm -D --defined-only "$1" | awk '$2 ~ /[TtWi]/ { sub(/@.*/, "", $3); print $1, $3 }' >"$T/symbols"
	objdump -d --no-show-raw-insn "$1" | awk -v symbols="$T/symbols" '
		BEGIN { while ((getline line <symbols) > 0) { split(line, part, " "); address = part[1]; sub(/^0+/, "", address)
			names[address] = names[address] " " part[2] } }
		function tell(how,  list, count, i) {
			count = split(names[at], list, " ")
			for (i = 1; i <= count; i++)
				print list[i], how
			at = ""
		}
		/^ +[0-9a-f]+:/ {
			here = $1; sub(/:/, "", here)
			if (at != "")		# the second instruction, behind the cmpl
				tell($2 ~ /^je$/ ? "driver" : "other")
			if (here in names) {
				at = here
				if ($2 == "cmpl" && $3 ~ /^\$0x[0-9a-f]+,.*\(%rip\)$/)
					next
				tell($2 ~ /^(push|jmp|j[a-z]+|call|nop)$/ && $3 !~ /^\*/ ? "emulated" : "other")
			}
		}' | sort -u
}

for library in $libraries; do
	name=$(basename "$library")
	left=$(sh "$top_srcdir/tests/checks/calls.sh" "$library") || fail "$left"
	echo "$left" | tail -n 1
	"$CUTOP" doctor -f json -p $$ --library "$library" >"$T/doctor.json" 2>"$T/doctor.err" || fail "doctor: $(cat "$T/doctor.err")"
	jq -r --arg path "$library" '.libraries[] | select(.path == $path) | .functions.list[] | select(.state == "probed") |
		.call + " " + .probe + " \(.past_bytes // 0)"' "$T/doctor.json" | sort >"$T/ours"
	entries "$library" >"$T/theirs"
	join "$T/ours" "$T/theirs" >"$T/both"
	echo "$name: $(wc -l <"$T/ours") functions attached; objdump: $(awk '{ n[$4]++ } END { for (k in n) printf "%s %d  ", k, n[k] }' "$T/both")"
	check "$name: functions are attached" test "$(wc -l <"$T/ours")" -gt 250
	check "$name: objdump has each of them" test "$(wc -l <"$T/ours")" = "$(wc -l <"$T/both")"
	wrong=$(awk '($4 == "driver" && ($2 != "past_entry" || $3 != 10)) || ($4 == "emulated" && $2 != "entry")' "$T/both")
	check "$name: each probe sits where the code says: $wrong" test -z "$wrong"
	# Those that begin in neither way may be stepped, and nothing else.
	check "$name: $(awk '$2 == "single_stepped"' "$T/both" | head -n 5)" \
		test -z "$(awk '$2 == "single_stepped" && $4 != "other"' "$T/both")"
	counted=$(awk '{ n[$2]++ } END { printf "[%d,%d,%d]", n["entry"] + n["single_stepped"], n["past_entry"], n["single_stepped"] }' "$T/both")
	told=$(jq -c --arg path "$library" '.libraries[] | select(.path == $path) | .functions.probes |
		[.at_entry, .past_entry, .single_stepped]' "$T/doctor.json")
	check "$name: doctor counts $told, and lists $counted" test "$told" = "$counted"
	case $name in
	libcuda.so.*)
		check "$name begins as NVIDIA's drivers do" test "$(grep -c ' driver$' "$T/both")" -gt 300
		check "$name: no function is single-stepped" test "${told##*,}" = '0]'
		;;
	libcudart.so.11*)
		check "$name: no function is single-stepped" test "${told##*,}" = '0]'
		;;
	esac
done

finish
