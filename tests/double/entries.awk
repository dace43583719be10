# SPDX-License-Identifier: GPL-2.0-or-later
#
# Gives every exported CUDA function of an assembly file, as gcc or clang writes
# it for x86-64, another beginning:
#
#   awk -v form=driver|stepped|endbr|static -f entries.awk file.s
#
#   driver    cmpl $0x321cba00, flag(%rip); je; jmp *pointer(%rip): how nearly
#             every function of NVIDIA's libcuda begins
#   stepped   mov pointer(%rip), %rax; jmp *%rax: the kernel emulates neither, so
#             it single-steps a probe on either
#
# In the first two, the function's own code follows under the local name double_code_NAME. Calls
# from within the library still go to NAME, and so through its new beginning.

function exported(name)
{
	return (name in global) && (name in is_function) && name ~ /^(__cuda|cuda|cu)[A-Z]/
}

function entry(name)
{
	print "\t.p2align 4"
	print name ":"
	print "\t.cfi_startproc"
	if (form == "driver") {
		# The immediate is the last operand, so the flag's address counts from the end of the instruction.
		print "\tcmpl $0x321cba00, .Ldouble_shut_down(%rip)"
		print "\tje .Ldouble_refuse_" name
		print "\tjmp *.Ldouble_pointer_" name "(%rip)"
		print "\t.p2align 3"
		print ".Ldouble_refuse_" name ":"
		print "\tmovl $4, %eax"	# CUDA_ERROR_DEINITIALIZED
		print "\tret"
	} else {
		print "\tmovq .Ldouble_pointer_" name "(%rip), %rax"
		print "\tjmp *%rax"
	}
	print "\t.cfi_endproc"
	print "\t.size " name ", .-" name
	print "\t.pushsection .data.rel.ro, \"aw\", @progbits"
	print "\t.p2align 3"
	print ".Ldouble_pointer_" name ":"
	print "\t.quad double_code_" name
	print "\t.popsection"
	print "\t.p2align 4"
	print "\t.type double_code_" name ", @function"
	print "double_code_" name ":"
}

BEGIN {
	moves = form == "driver" || form == "stepped"
	if (!moves && form != "endbr" && form != "static") {
		print "entries.awk: no such form: " form >"/dev/stderr"
		exit 1
	}
}

# Symbols are named before their label, on lines of their own.
$1 == ".globl" || $1 == ".weak" {
	global[$2] = 1
	if (form == "static" && $2 ~ /^(__)?cuda/)
		print "\t.hidden " $2
}

$1 == ".type" {
	name = $2
	sub(/,.*/, "", name)
	if ($0 ~ /[@%]function/)
		is_function[name] = 1
}

$1 ~ /:$/ {
	name = substr($1, 1, length($1) - 1)
	if (moves && exported(name)) {
		entry(name)
		entries++
		next
	}
	if (form == "endbr" && exported(name))
		begun = 1
}

begun && $1 == ".cfi_startproc" {
	print
	print "\tendbr64"
	begun = 0
	next
}

# The size of the function is that of its beginning, said there. This one is the code's.
$1 == ".size" {
	name = $2
	sub(/,.*/, "", name)
	if (moves && exported(name)) {
		end = $0
		sub(/^[^,]*,[ \t]*/, "", end)
		sub(name "$", "double_code_" name, end)
		print "\t.size double_code_" name ", " end
		next
	}
}

{ print }

END {
	if (entries && form == "driver") {
		print "\t.section .data, \"aw\", @progbits"
		print "\t.p2align 2"
		print ".Ldouble_shut_down:"
		print "\t.long 0"
	}
}
