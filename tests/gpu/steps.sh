# SPDX-License-Identifier: GPL-2.0-or-later
# The steps of the GPU check, for run, which sets here, report, cutop, compare, samples, python and the rest.
# shellcheck shell=sh disable=SC2154,SC2034

# A row for each program, with how many figures were right in each way of running it.
table() {
	awk '
	function column(text) {
		if (text ~ / alone:/) return "alone"
		if (text ~ /CUPTI/) return "CUPTI"
		if (text ~ /traced|-trace:/) return "traced"
		if (text ~ /replayed|-record:/) return "replayed"
		if (match(text, /(layer |-)(both|runtime|driver)[:,]/))
			return substr(text, RSTART, RLENGTH) ~ /both/ ? "both" : substr(text, RSTART, RLENGTH) ~ /runtime/ ? "runtime" : "driver"
		return ""
	}
	$1 == "PASS" || $1 == "FAIL" || $1 == "SKIP" {
		what = column($0)
		name = $2
		sub(/[,:].*/, "", name)
		sub(/-(both|runtime|driver|trace|record)$/, "", name)
		if (what == "" && $1 == "SKIP" && name ~ /^(blas|nccl|torch|compile|processes|torch-nccl|triton|jax|cupy|numba)$/) what = "alone"
		if (what == "" || name !~ /^[a-z-]+$/) next
		if (!(name in known)) { known[name] = 1; names[++count] = name }
		tally[name, what, $1]++
	}
	END {
		columns = split("alone both runtime driver traced replayed CUPTI", list, " ")
		printf "%-16s", "right figures"
		for (c = 1; c <= columns; c++) printf "%10s", list[c]
		printf "\n"
		for (i = 1; i <= count; i++) {
			printf "%-16s", names[i]
			for (c = 1; c <= columns; c++) {
				cell = tally[names[i], list[c], "PASS"] + 0
				if (tally[names[i], list[c], "FAIL"]) cell = cell "," tally[names[i], list[c], "FAIL"] "!"
				else if (!cell) cell = tally[names[i], list[c], "SKIP"] ? "skip" : "-"
				printf "%10s", cell
			}
			printf "\n"
		}
		print "(4,1!: four right, one wrong; skip: why stands below; -: not tried)"
	}' "$report/results.txt"
}

# left: how many seconds a step may still take; fails if the time is up
left() {
	limit=$((time_limit - ($(date +%s) - started)))
	[ "$limit" -gt 3 ] || return 1
	[ "$limit" -lt "$step_limit" ] || limit=$step_limit
}

# limited OUTPUT ERRORS COMMAND...: in the background, so that a signal to this script is not held up by it
limited() {
	output=$1
	errors=$2
	shift 2
	left || return 124
	timeout -k 5 "$limit" "$@" >"$output" 2>"$errors" </dev/null &
	child=$!
	wait "$child"
	status=$?
	child=
	return $status
}

program_error() {
	tail -n 1 "$1" | sed -n 's/.*"no_device":"\([^"]*\)","error":"\([^"]*\)".*/\1\2/p'
}

# alone PROGRAM: sets works to yes, no, or none, where there is no device
alone() {
	limited "$report/$1.own.json" "$report/$1.own.err" "$samples/$1"
	case $? in
	0)
		works=yes
		if [ -n "${CUTOP_GPU_DOUBLE:-}" ]; then
			say "PASS $1 alone: it runs"
		else
			say "PASS $1 alone: $(tail -n 1 "$report/$1.own.json" | sed -n 's/.*"checks":\([0-9]*\),"wrong":0,.*/\1/p') results, all right"
		fi
		;;
	3)
		works=none
		why=$(program_error "$report/$1.own.json")
		if [ "${why#the library }" != "$why" ]; then
			say "SKIP $1 alone: $why ($(tail -n 1 "$report/$1.own.err"))"
		elif [ "$gpus" -gt 0 ] && [ "$why" = "cudaGetDeviceCount: cudaErrorInsufficientDriver" ]; then
			say "SKIP $1 alone: the driver is too old for the CUDA runtime that the bundle was built with"
		elif [ "$gpus" -gt 0 ] && [ -z "${CUTOP_GPU_DOUBLE:-}" ]; then
			say "FAIL $1 alone: the driver has GPUs, but the program gets none ($why)"
		else
			say "NOTE $1 alone: no device ($why)"
		fi
		;;
	124 | 137)
		works=no
		say "SKIP $1: $(left && echo "it did not end in $step_limit s" || echo "the time is up")"
		;;
	*)
		works=no
		why=$(program_error "$report/$1.own.json")
		say "FAIL $1 alone: ${why:-$(tail -n 1 "$report/$1.own.err")}"
		;;
	esac
}

# ---- watched ----

# watched LABEL PROGRAM CUTOP...: runs the program under cutop, which is called as given; the program's output is in LABEL.json
watched() {
	label=$1
	program=$2
	shift 2
	limited "$report/$label.json" "$report/$label.err" "$@" -- "$samples/$program"
	status=$?
	case $status in
	124 | 137) say "SKIP $label: $(left && echo "it did not end in $step_limit s" || echo "the time is up")"; return 1 ;;
	esac
	if [ "$status" != 0 ] && [ "$status" != 3 ]; then
		say "FAIL $label: watched, it ended with status $status: $(program_error "$report/$label.json") $(tail -n 1 "$report/$label.err")"
		return 1
	fi
	if [ "$status" = 0 ]; then
		say "PASS $label: watched, it still computes what it should"
	fi
}

# library_file NAME...: the first of these files that the machine has
library_file() {
	for name; do
		for folder in $(echo "${LD_LIBRARY_PATH:-}" | tr ':' ' '); do
			[ ! -e "$folder/$name" ] || { echo "$folder/$name"; return; }
		done
		found=$({ ldconfig -p || /sbin/ldconfig -p; } 2>/dev/null | sed -n "s,.*[[:space:]]$name .*64.*=> ,,p" | head -n 1)
		[ -z "$found" ] || { echo "$found"; return; }
		for found in /usr/local/cuda*/lib64/"$name" /usr/local/cuda*/targets/*/lib/"$name" $python_libraries; do
			[ "${found##*/}" != "$name" ] || [ ! -e "$found" ] || { echo "$found"; return; }
		done
	done
}
# NVIDIA's libraries as pip installs them
python=${CUTOP_GPU_PYTHON:-python3}
# shellcheck disable=SC2016
python_libraries=$(command -v "$python" >/dev/null && "$python" -c 'import glob, os, sys
for path in sys.path:
	for name in ("libcublas.so.*", "libnccl.so.*"):
		print("\n".join(glob.glob(os.path.join(path, "nvidia", "*", "lib", name))))' 2>/dev/null)

# library PROGRAM: its counts compared, as far as it knows them
library() {
	watched "$1-both" "$1" "$cutop" -b -f json -n 1 -o "$report/$1-both.cutop.json" || return
	"$compare" library "$1, layer both" "$report/$1-both.json" "$report/$1-both.cutop.json" | tee -a "$report/results.txt"
}

# of_python NAME [TRACE]: watched, and compared with what it says of itself; by itself only to see whose fault a failure is
of_python() {
	script=$here/bin/python_programs.py
	how=own
	[ "$can_watch" != yes ] || how=both
	if [ $how = both ]; then
		limited "$report/$1-both.json" "$report/$1-both.err" "$cutop" -b -f json -n 1 --exact-launches \
			-o "$report/$1-both.cutop.json" -- "$python" "$script" "$@"
	else
		limited "$report/$1-own.json" "$report/$1-own.err" "$python" "$script" "$@"
	fi
	status=$?
	case $status in
	0) say "PASS $1-$how: $(sed -n 's/.*"version": *"\([^"]*\)".*/\1/p' "$report/$1-$how.json") computes what it should" ;;
	3)
		say "SKIP $1: $(sed -n 's/.*"no_device": *"\([^"]*\)".*/\1/p' "$report/$1-$how.json")"
		return
		;;
	124 | 137)
		say "SKIP $1: $(left && echo "it did not end in $limit s" || echo "the time is up")"
		return
		;;
	*)
		if [ $how = both ] && limited "$report/$1-own.json" "$report/$1-own.err" "$python" "$script" "$@"; then
			say "FAIL $1-both: watched, it ended with status $status: $(tail -n 1 "$report/$1-both.err")"
		else
			say "SKIP $1: it fails by itself, too (status $status): $(tail -n 1 "$report/$1-$how.err")"
		fi
		return
		;;
	esac
	if [ $how != both ]; then
		say "SKIP $1, layer both: nothing is watched"
		return
	fi
	"$python" "$here/bin/python_check.py" "$1, layer both" "$report/$1-both.json" "$report/$1-both.cutop.json" ${2:+"$2"} |
		tee -a "$report/results.txt"
	[ -z "${2:-}" ] || rm -f "$2"
}

# of_pythons NAME...: those that write a trace of PyTorch's profiler get a file for it
of_pythons() {
	if ! command -v "$python" >/dev/null; then
		say "SKIP $*: there is no $python"
		return
	fi
	for example; do
		case $example in
		torch | compile) of_python "$example" "$report/$example.trace.json" ;;
		*) of_python "$example" ;;
		esac
	done
}

# slowdowns: the steps of real programs, with cutop attached and detached in turn
slowdowns() {
	if ! command -v "$python" >/dev/null; then
		say "SKIP slowdown: there is no $python"
		return
	fi
	for kind in train forward jax loop; do
		step_limit=90
		limited "$report/slowdown-$kind.json" "$report/slowdown-$kind.err" "$python" "$here/bin/slowdown.py" "$cutop" "$kind"
		status=$?
		step_limit=40
		if [ "$status" = 0 ]; then
			cat "$report/slowdown-$kind.json" >>"$report/slowdown-runs.json"
			say "PASS slowdown of $kind was measured"
		elif left; then
			say "SKIP slowdown of $kind: $(tail -n 1 "$report/slowdown-$kind.err")"
		else
			say "SKIP slowdown of $kind: the time is up"
		fi
	done
	[ -s "$report/slowdown-runs.json" ] || return
	"$python" "$here/bin/slowdown.py" --table "$report/slowdown-runs.json" >"$report/slowdown.txt"
	cat "$report/slowdown.txt"
}

# counts LAYER PROGRAM: watched, its counts compared
counts() {
	label=$2-$1
	case $2 in
	failures*) exact=--exact-launches ;;	# otherwise failed launches are a lower bound
	*) exact= ;;
	esac
	watched "$label" "$2" "$cutop" -b -f json -n 1 -l "$1" $exact -o "$report/$label.cutop.json" || return
	"$compare" counts "$2, layer $1" "$1" "$report/$label.json" "$report/$label.cutop.json" | tee -a "$report/results.txt"
}

# How the runtime takes its reference to a primary context, which no document says: cutop counts those that it can see.
how_retained() {
	[ -s "$report/vectors-driver.cutop.json" ] || return
	retains=$(tr '{' '\n' <"$report/vectors-driver.cutop.json" | sed -n 's/.*"call":"cuDevicePrimaryCtxRetain".*"calls":\([0-9]*\).*/\1/p')
	if [ -n "$retains" ]; then
		fact "the runtime retains primary contexts by" "cuDevicePrimaryCtxRetain ($retains calls)"
	else
		fact "the runtime retains primary contexts by" "a call that no symbol leads to"
	fi
}

traced() {
	label=$1-trace
	watched "$label" "$1" "$cutop" trace -f json -o "$report/$label.calls.json" || return
	"$compare" trace "$1, traced" "$report/$label.json" "$report/$label.calls.json" | tee -a "$report/results.txt"
}

# A recording, and what comes out when it is played here.
recorded() {
	label=$1-record
	watched "$label" "$1" "$cutop" record -o "$report/$label.cutop" || return
	limited "$report/$label.replay.json" "$report/$label.replay.err" "$cutop" -b -f json --replay "$report/$label.cutop"
	"$compare" counts "$1, replayed" both "$report/$label.json" "$report/$label.replay.json" | tee -a "$report/results.txt"
}

# cupti LAYER PROGRAM: counted by CUPTI and by cutop in the same run. With both layers cutop counts what the runtime calls
# in the driver as the runtime's alone, hence one layer at a time.
cupti() {
	label=$2-cupti-$1
	injected=$here/cuda/libcupti_count.so
	limited "$report/$label.json" "$report/$label.err" "$cutop" -b -f json -n 1 -l "$1" --exact-launches \
		--library "$here/cuda/libcudart.so.13" ${libcuda:+--library "$libcuda"} \
		${CUTOP_GPU_LIBRARY:+--library "$CUTOP_GPU_LIBRARY"} -o "$report/$label.cutop.json" -- \
		env CUTOP_GPU_CUPTI="$report/$label.calls.json" CUDA_INJECTION64_PATH="$injected" LD_PRELOAD="$injected" "$samples/$2"
	status=$?
	if [ ! -s "$report/$label.calls.json" ]; then
		why=$(grep -m 1 'CUPTI\|error while loading\|cannot be preloaded' "$report/$label.err")
		say "SKIP $2 with CUPTI: ${why:-status $status, no counts}"
		return
	fi
	"$compare" cupti "$2 with CUPTI, layer $1" "$1" "$report/$label.json" "$report/$label.calls.json" "$report/$label.cutop.json" |
		tee -a "$report/results.txt"
}

# ---- what cutop costs ----

# The runtime that the program gets, which is the bundle's unless LD_LIBRARY_PATH leads to another one.
runtime_file=$here/cuda/libcudart.so.13
for folder in $(echo "${LD_LIBRARY_PATH:-}" | tr ':' ' '); do
	[ ! -e "$folder/libcudart.so.13" ] || { runtime_file=$folder/libcudart.so.13; break; }
done
cost_modes='alone empty-runtime empty-driver both runtime driver exact'

# cost MODE: one run; its lines, with the mode before them
cost() {
	case $1 in
	alone) set -- "$1" ;;
	empty-runtime) set -- "$1" "$here/bin/empty" entry "$runtime_file" -- ;;
	empty-driver) set -- "$1" "$here/bin/empty" entry "$libcuda" -- ;;
	exact) set -- "$1" "$cutop" -b -f json -n 1 --exact-launches -o "$report/cost.json" -- ;;
	*) set -- "$1" "$cutop" -b -f json -n 1 -l "$1" -o "$report/cost.json" -- ;;
	esac
	mode=$1
	shift
	limited "$report/cost-run.txt" "$report/cost-run.err" "$@" "$samples/cost" || return
	sed -n "s/^COST /$mode /p" "$report/cost-run.txt" >>"$report/cost-runs.txt"
}

cost_table() {
	awk -v modes="$cost_modes" '
	{
		if (!($2 in known)) { known[$2] = 1; calls[++count] = $2 }
		if (!(($1, $2) in least) || $3 < least[$1, $2]) least[$1, $2] = $3
	}
	END {
		n = split(modes, mode, " ")
		print "ns per call, the least of all runs (alone: without cutop; empty: probes that do nothing,\nsince Linux 6.13; exact: both layers with --exact-launches):"
		printf "%-14s", ""
		for (m = 1; m <= n; m++) printf "%15s", mode[m]
		printf "\n"
		for (c = 1; c <= count; c++) {
			printf "%-14s", calls[c]
			for (m = 1; m <= n; m++) printf "%15s", ((mode[m], calls[c]) in least) ? least[mode[m], calls[c]] : "-"
			printf "\n"
		}
	}' "$report/cost-runs.txt" >"$report/cost.txt"
	awk -v modes="$cost_modes" '
	!(($1, $2) in least) || $3 < least[$1, $2] { least[$1, $2] = $3 }
	END {
		printf "{"
		for (key in least) {
			split(key, part, SUBSEP)
			printf "%s\"%s %s\":%s", comma, part[1], part[2], least[key]
			comma = ","
		}
		print "}"
	}' "$report/cost-runs.txt" >"$report/cost-table.json"
	rm -f "$report/cost-run.txt" "$report/cost.json"
}

# What doctor says of a process that has the driver and the runtime loaded, and of these files.
doctored() {
	doctor=$report/doctor-$1
	CUTOP_GPU_WAIT=20 "$samples/$1" >"$report/doctor-$1.own.json" 2>/dev/null </dev/null &
	sample=$!
	for _ in 1 2 3 4 5 6 7 8 9 10 11 12; do
		[ ! -s "$report/doctor-$1.own.json" ] || break
		sleep 1
	done
	limited "$doctor.txt" "$doctor.err" "$cutop" doctor -v -p "$sample"
	limited "$doctor.json" "$doctor.err" "$cutop" doctor -f json -p "$sample"
	kill "$sample" 2>/dev/null
	wait "$sample" 2>/dev/null
	{
		echo "where the probes are in what the program $1 has loaded, from cutop doctor:"
		"$compare" starts "$doctor.json"
	} >"$report/starts-$1.txt" 2>&1
	cat "$report/starts-$1.txt"
}