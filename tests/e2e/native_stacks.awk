# SPDX-License-Identifier: GPL-2.0-or-later
# Compares what cutop recorded (stack_dump) with the truth (native_stacks.h):
#
#   awk -v outer=N -f native_stacks.awk DUMP TRUTH...
#
# A line for each scenario, then of its first stack that is not equal what differs; status 1 if any is not.
#
# Equal are two stacks if
# * the innermost addresses lie in the same function: backtrace() and cudaMalloc() are called at two places of it, so these are
#   less than 512 bytes apart;
# * all others are the same. The last @outer of them may differ or be missing: unwinders do not agree on whether the code that
#   calls nothing back (_start, the start of a thread) is an address of the stack. 1 is right for an unwinder, 0 demands all;
#   frame pointers end in the C library, which has none: 3. What needed that is counted.
# Of a stack that is deeper than @depth, which is all that cutop keeps, those innermost must all be there.
# Where the truth says that LEAST are enough, the stack may end after so many, if it is marked as one that ends early (cut).
# A whole one is not.
BEGIN {
	if (depth == "")
		depth = 127
	if (outer == "")
		outer = 1
}

function number(hex,   value, i) {
	value = 0
	for (i = 3; i <= length(hex); i++)
		value = value * 16 + index("0123456789abcdef", substr(hex, i, 1)) - 1
	return value
}

function differs(   have, cut, want, same, i, apart, allowed) {
	if (!($3 in got))
		return "cutop has no such allocation"
	have = split(got[$3], at, " ")
	cut = have && at[have] == "cut"
	have -= cut
	if (!have)
		return "it has no stack"
	want = NF - 3
	allowed = outer
	if (want > depth) {
		want = depth
		allowed = 0
	}
	apart = number(at[1]) - number($4)
	if (apart <= -512 || apart >= 512)
		return "the call is at " $4 ", not at " at[1]
	if (!($1 in nearest) || apart < nearest[$1])
		nearest[$1] = apart
	if (!($1 in farthest) || apart > farthest[$1])
		farthest[$1] = apart
	for (same = 1; same < have && same < want && at[same + 1] == $(same + 4); same++)
		;
	if (same == want && same == have && !cut)
		return ""
	if (want - same <= allowed && have - same <= allowed) {
		without[$1]++
		return ""
	}
	if ($2 > 0 && same == have && same >= $2 && cut) {
		ended[$1]++
		return ""
	}
	if (same == have)
		return "it ends after " have " of " want " addresses, before " $(same + 4)
	if (same == want)
		return "it goes on after " want " addresses: " at[same + 1]
	return "address " (same + 1) " of " want " is " at[same + 1] ", not " $(same + 4)
}

# The dump
FNR == NR {
	bytes = $1
	$1 = ""
	got[bytes] = $0
	next
}

{
	if (!($1 in all))
		names[++count] = $1
	all[$1]++
	why = differs()
	if (why == "")
		equal[$1]++
	else if (!($1 in first))
		first[$1] = $3 " bytes: " why "\n\tcutop:    " got[$3] "\n\ttruth:     " substr($0, index($0, $4))
}

END {
	for (i = 1; i <= count; i++) {
		name = names[i]
		line = name ": " (equal[name] + 0) " of " all[name] " stacks equal"
		if (without[name])
			line = line ", " without[name] " but for the outermost"
		if (ended[name])
			line = line ", " ended[name] " end early, as they may"
		if (name in nearest)
			line = line " (cudaMalloc " nearest[name] (nearest[name] != farthest[name] ? " to " farthest[name] : "") " bytes after backtrace)"
		print line
		if (name in first) {
			print "\t" first[name]
			bad = 1
		}
	}
	if (!count) {
		print "there is no truth"
		bad = 1
	}
	exit bad
}
