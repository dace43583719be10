#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# --launch-sites: where kernels are launched and where threads wait, of C programs and of Python ones: exact where every
# launch is looked at, within the error of a sample where not, and then it says so; folded, recorded, with whole stacks.
. "${top_srcdir:-.}/tests/e2e/lib.sh"

sites=$top_builddir/tests/e2e/bin/launch_sites
python=$(sh "$top_srcdir/tests/python/interpreters.sh" | head -n 1 | cut -d ' ' -f 3)
launches=$top_srcdir/tests/python/launches.py
# mark WORD: the number of the line that is so marked
mark() {
	grep -n "# $1\$" "$launches" | cut -d : -f 1
}
often="often at launches.py:$(mark 'three times') (python)"
once="once at launches.py:$(mark once) (python)"
other="other at launches.py:$(mark 'the other kernel') (python)"
wait="wait at launches.py:$(mark waits) (python)"
export CUDA_DOUBLE_DELAY=cudaDeviceSynchronize=5ms,cudaMemcpy=1ms

# near NAME FILTER VALUE PERCENT: what the filter gives is that much off at most
near() {
	is=$(jq "$2" "$T/$1.json")
	off=$((is > $3 ? is - $3 : $3 - is))
	check "$1: $2 is $is, not about $3" [ $off -le $(($3 * $4 / 100)) ]
}

# The program launches by an inlined function; around it is the one in memory.
function='([.frames[] | select(.inlined != true).function] | .[0])'
by_function=".processes[].launch_sites | map({ key: $function, value: . }) | from_entries"

# ---- C: every launch, then a sample, by both ways to launch
watch exact --launch-sites --exact-launches -- "$sites" 1000 20
check "exact: status $status" [ "$status" = 0 ]
expect exact "[p.launch_sites[] | [$function, .kernel, .launches, .samples, .sampled]]" \
	'[["often","scale",3000,3000,false],["once","scale",1000,1000,false]]'
expect exact '[p.launch_sites[] | .frames[:3][] | [.language, .function, .module]] | unique' \
	'[["native","launch","launch_sites"],["native","main","launch_sites"],["native","often","launch_sites"],["native","once","launch_sites"]]'
expect exact '[p.launch_sites[] | .site | sub(":[0-9]+"; "") | sub("[+]0x[0-9a-f]+"; "")]' \
	'["launch at launch_sites.c in often (launch_sites)","launch at launch_sites.c in once (launch_sites)"]'
expect exact '[p.wait_sites[] | [(.site | sub("[+].*"; "")), .call, .calls]]' \
	'[["wait_device","cudaDeviceSynchronize",20],["copy","cudaMemcpy",20],["wait_stream","cudaStreamSynchronize",20]]'
expect exact 'p.wait_sites[0].seconds | . > 0.1 and . < 20' true
# A wait's time is that of its call, and what the process waited.
expect exact 'p.wait_sites[0].seconds == call("cudaDeviceSynchronize").seconds' true
expect exact '([p.wait_sites[] | select(.call != "cudaMemcpy").seconds] | add) - p.synchronize.seconds | fabs < 0.001' true
expect exact 'p.wait_sites[1].seconds - ([p.copies[].seconds] | add) | fabs < 0.001' true
expect_nothing_lost exact
for way in "" exc; do
	watch "sample$way" --launch-sites -- "$sites" 5000 0 $way
	expect "sample$way" '[p.launch_sites[].launches] | add' 20000
	expect "sample$way" '[p.launch_sites[] | .sampled and .samples > 20 and .samples < 20000 / 4] | unique' '[true]'
	near "sample$way" "$by_function | .often.launches" 15000 15
	expect "sample$way" 'p | has("wait_sites")' false
	expect_nothing_lost "sample$way"
done
watch without -- "$sites" 1000 20
expect without 'p | has("launch_sites") or has("wait_sites")' false

# ---- where each return is looked at anyhow, a sample of the sites is enough
CUTOP_ATTACH=multi
export CUTOP_ATTACH
if [ -n "$(attach_method)" ]; then
	watch multi --launch-sites -- "$sites" 5000 10
	expect multi '[p.launch_sites[].launches] | add' 20000
	expect multi '[p.launch_sites[] | .sampled and .samples > 20 and .samples < 20000 / 4] | unique' '[true]'
	near multi "$by_function | .often.launches" 15000 15
	expect multi '[p.wait_sites[] | [(.site | sub("[+].*"; "")), .calls]]' '[["wait_device",10],["copy",10],["wait_stream",10]]'
else
	echo "not tried: CUTOP_ATTACH=multi, which this kernel has not"
fi
unset CUTOP_ATTACH

# ---- whole stacks, unless there are to be none
watch never --launch-sites --stacks=never --exact-launches -- "$sites" 100 3
expect never "[p.launch_sites[] | [$function, .launches, .stack]]" '[["often",300,null],["once",100,null]]'
expect never '[p.wait_sites[].stack] | unique' '[null]'
watch stacks --launch-sites --stacks --exact-launches -- "$sites" 100 3
expect stacks '[p.launch_sites[].stack[0] | sub(" .*"; "")] | unique' '["launch"]'
expect stacks '[p.launch_sites[], p.wait_sites[] | [.stack, .frames] | transpose | map(select(.[1].inlined != true)[0]) | .[:2] | map(sub("[+].*"; "")) | join(" ")] | sort' \
	'["copy main","often main","once main","wait_device main","wait_stream main"]'

# ---- by lines of Python
if [ "$python" ]; then
	watch lines --launch-sites --exact-launches --library "$double/libcudart.so.13" -- "$python" "$launches" "$double/libcudart.so.13" 500 20
	check "lines: status $status: $(cat "$T/lines.err")" [ "$status" = 0 ]
	expect lines '[p.launch_sites[] | [.site, .kernel, .launches, .sampled]] | sort' \
		"[[\"$often\",\"often\",1500,false],[\"$once\",\"often\",500,false],[\"$other\",\"seldom\",500,false]]"
	expect lines '[p.launch_sites[].frames | map(select(.language == "python").function) | join(" ")] | sort' \
		'["often <module>","once <module>","other <module>"]'
	expect lines '[p.wait_sites[] | [.site, .call, .calls]]' "[[\"$wait\",\"cudaDeviceSynchronize\",20]]"
	expect lines 'p.wait_sites[0].seconds | . > 0.1 and . < 20' true
	expect_nothing_lost lines
	watch some --launch-sites --library "$double/libcudart.so.13" -- "$python" "$launches" "$double/libcudart.so.13" 5000 0
	expect some '[p.launch_sites[] | select(.kernel == "often").launches] | add' 20000
	expect some '[p.launch_sites[] | select(.kernel == "seldom").launches]' '[5000]'
	near some "[.processes[].launch_sites[] | select(.site == \"$often\").launches] | add" 15000 15
	expect some '.lost | [.python_frames, .call_sites, .ring_full] | add' 0
	# More sites than one process may have: what comes then is one, and no launch is missing.
	watch many --launch-sites --exact-launches --library "$double/libcudart.so.13" -- "$python" "$launches" "$double/libcudart.so.13" 1 0 9000
	expect many '[p.launch_sites[] | select(.kernel == "seldom").launches] | add' 9001
	expect many 'p.launch_sites | length' $((8192 + 1))
	expect many 'p.launch_sites[0] | [.site, .launches]' '["other call sites",811]'
	expect many '.lost | [.python_frames, .call_sites, .ring_full] | add' 0
fi

# ---- recorded, and folded
"$CUTOP" record -o "$T/recording" --launch-sites --exact-launches -- "$sites" 100 20 >"$T/record.out" 2>&1
check "record: $(cat "$T/record.out")" [ "$?" = 0 ]
"$CUTOP" -b -f json -n 1 --replay "$T/recording" >"$T/replay.json"
expect replay "[p.launch_sites[] | [$function, .kernel, .launches, .sampled]]" \
	'[["often","scale",300,false],["once","scale",100,false]]'
expect replay '[p.wait_sites[] | [(.site | sub("[+].*"; "")), .calls]]' '[["wait_device",20],["copy",20],["wait_stream",20]]'
"$CUTOP" -b -f folded --folded-by launches --replay "$T/recording" | sed 's/^.*;main /main /; s/ at [^;]*;/;/' >"$T/folded"
check "folded: $(cat "$T/folded")" [ "$(cat "$T/folded")" = 'main (launch_sites);often (launch_sites);launch;scale 300
main (launch_sites);once (launch_sites);launch;scale 100' ]
"$CUTOP" -b -f folded --folded-by wait --replay "$T/recording" >"$T/waits"
check "folded waits: $(cat "$T/waits")" grep -qE '^launch_sites \([0-9]+\);.*;main [^;]*;wait_device[^;]*;cudaDeviceSynchronize [1-9][0-9]{5,}$' "$T/waits"
sum=$("$CUTOP" -b -f folded --folded-by wait --replay "$T/recording" | awk '{ n += $NF } END { printf "%d", n }')
expect replay "[p.wait_sites[].seconds] | add * 1e6 - $sum | fabs < 3" true

finish
