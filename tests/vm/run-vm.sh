#!/bin/bash
# run-vm.sh - run one command on Debian's own kernel in a virtual machine.
#
# cutop has to work on kernels other than the one a developer happens to run: first of all
# on Debian 12's 6.1, which has no uprobe_multi.  This script takes that kernel from
# Debian's package, boots it in qemu from an initramfs made here, runs a command in it and
# hands back what the command printed, its exit status and the files asked for.  It needs
# no disk image, no network inside, no right over /dev/kvm and nothing installed but:
PACKAGES='qemu-system-x86 busybox-static cpio'
#
# How it works
#   kernel     `apt-get download' puts the package into the cache, and its vmlinuz and
#              config are taken out of it; nothing is installed.  A second run needs no apt.
#   initramfs  a static busybox with its applets, the files named by -f, and for each ELF
#              file among them the libraries and the loader that ldd names; packed by cpio
#              and not compressed (unpacking costs the machine more than reading).
#   qemu       emulates in software (TCG), which boots Debian's kernel in one to two
#              seconds; with KVM only where the processor has it, and if the machine does
#              not come up that way, it is started again without.
#   four serial ports, so that nothing needs to be told apart by what it looks like:
#              ttyS0 the kernel's console, kept aside and shown when the machine fails;
#              ttyS1 the command's stdout, ttyS2 its stderr, both live; ttyS3 init's own
#              report: "ready", "status N", and then a tar archive of the files wanted.
#   /init      mounts proc, sysfs, devtmpfs, tracefs (/sys/kernel/tracing) and bpffs
#              (/sys/fs/bpf; the root, with /tmp, is a tmpfs already), brings lo up, runs
#              the command in /tmp with no input and with pipes for output, kills what the
#              command left running, reports, and ends the machine.
#
# See usage() for options and exit statuses.

set -u -o pipefail

usage() {
    cat <<'EOF'
Usage: run-vm.sh [-v] [-t SECONDS] [-m MEGABYTES] [-k KERNEL_PACKAGE]
                 [-f FILE[:DEST]]... [-g FILE[:DEST]]... -- COMMAND
Boot KERNEL_PACKAGE in qemu, run COMMAND there by /bin/sh -c (busybox), give its output.

  -f FILE[:DEST]  put FILE into the machine, under DEST or its own absolute path; a
                  directory with all in it.  Links are followed.  The libraries of ELF
                  files come along under their own paths; what is loaded by dlopen and
                  the interpreters of scripts do not
  -g FILE[:DEST]  afterwards fetch FILE (or a directory) from the machine to DEST, or
                  into the current directory
  -k PACKAGE      the kernel, default linux-image-cloud-amd64; one that only depends on
                  the kernel's own package is followed
  -m MEGABYTES    memory of the machine, default 1024
  -t SECONDS      kill the machine after this time, default 120; downloads do not count
  -v              say what is done, how long it takes, and show the machine's console

Environment: VM_CACHE    where kernels are kept; default tests/vm/cache in the build
                         directory (abs_top_builddir), else beside this script
             VM_ACCEL    tcg or kvm, instead of finding out

Exit status: that of COMMAND; 77 with a reason on stderr when a package is missing and
cannot be had; 124 when the time is up; 125 when the machine or this script failed.
EOF
}

me=${0##*/}
say()  { echo "$me: $*" >&2; }
die()  { say "$*"; exit 125; }
skip() { say "skipped: $*"; exit 77; }
note() { if [ "$verbose" ]; then say "$*"; fi; }

seconds=120 megabytes=1024 kernel=linux-image-cloud-amd64 verbose='' files=() wanted=()
while getopts f:g:hk:m:t:v opt; do
    case $opt in
    f) files+=("$OPTARG") ;;
    g) wanted+=("$OPTARG") ;;
    h) usage; exit 0 ;;
    k) kernel=$OPTARG ;;
    m) megabytes=$OPTARG ;;
    t) seconds=$OPTARG ;;
    v) verbose=1 ;;
    *) usage >&2; exit 125 ;;
    esac
done
shift $((OPTIND - 1))
[ $# -gt 0 ] || { usage >&2; exit 125; }
command=$*
[[ $seconds =~ ^[1-9][0-9]*$ && $megabytes =~ ^[1-9][0-9]*$ ]] || die "-t and -m take a number"
[[ $kernel =~ ^[a-z0-9][a-z0-9.+~-]+$ ]] || die "-k takes the name of a package: $kernel"
here=$(cd "$(dirname "$0")" && pwd)
if [ "${abs_top_builddir:-}" ]; then cache=$abs_top_builddir/tests/vm/cache; else cache=$here/cache; fi
cache=${VM_CACHE:-$cache}

work=$(mktemp -d) || exit 125
qemu=''
# shellcheck disable=SC2317 # called by the trap
cleanup() {
    # shellcheck disable=SC2046,SC2086 # one process id per word
    kill $qemu $(jobs -p) 2>/dev/null
    rm -rf "$work"
}
trap cleanup EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

# --- the programs ------------------------------------------------------------------------

# apt: apt-get, with its words kept for the case that it fails
apt() { DEBIAN_FRONTEND=noninteractive apt-get -qq "$@" >>"$work/apt.log" 2>&1; }
apt_says() { sed -n 's/^E: //p' "$work/apt.log" 2>/dev/null | tail -n 1; }

have_programs() {
    command -v qemu-system-x86_64 && command -v cpio && command -v busybox &&
        ! ldd "$(command -v busybox)"
} >/dev/null 2>&1

[ "$(uname -m)" = x86_64 ] || skip "the machine made here is an x86-64 one"
if ! have_programs; then
    command -v apt-get >/dev/null || skip "no apt-get here to install $PACKAGES"
    [ "$(id -u)" = 0 ] || skip "not all of $PACKAGES are installed, and only root can do that"
    note "installing $PACKAGES"
    # shellcheck disable=SC2086 # one package per word
    apt install -y --no-install-recommends $PACKAGES ||
        { apt update && apt install -y --no-install-recommends $PACKAGES; } ||
        skip "cannot install $PACKAGES: $(apt_says)"
    have_programs || skip "$PACKAGES are installed and yet not all there"
fi

# --- the kernel --------------------------------------------------------------------------

# download PACKAGE: leave its .deb in $work/deb
download() {
    rm -rf "$work/deb" && mkdir "$work/deb" && chmod 755 "$work" "$work/deb" &&
        (cd "$work/deb" && apt download "$1")
}

# get_kernel: fill $cache/$kernel with vmlinuz, config and package (its name and version)
get_kernel() {
    local package=$kernel next boot new

    command -v apt-get >/dev/null || skip "no apt-get here to download $kernel"
    note "downloading $kernel"
    for _ in 1 2 3; do
        download "$package" ||
            { [ "$(id -u)" = 0 ] && apt update && download "$package"; } ||
            skip "cannot download $package: $(apt_says)"
        mkdir "$work/pkg" || exit 125
        dpkg-deb --fsys-tarfile "$work"/deb/*.deb |
            tar -x -C "$work/pkg" --wildcards './boot/*' 2>/dev/null
        set -- "$work"/pkg/boot/vmlinuz-*
        boot=$1
        [ -e "$boot" ] && break
        rm -rf "$work/pkg"
        next=$(dpkg-deb -f "$work"/deb/*.deb Depends | grep -oE -m 1 'linux-image-[a-z0-9.+~-]+' | head -n 1)
        [ "$next" ] || die "$package holds no kernel and depends on none"
        package=$next
    done
    [ -e "$boot" ] || die "no kernel found by way of $kernel"
    { mkdir -p "$cache" && new=$(mktemp -d "$cache/new.XXXXXX"); } ||
        die "cannot write to $cache (VM_CACHE names another place)"
    chmod 755 "$new"
    { cp "$boot" "$new/vmlinuz" && cp "$work"/pkg/boot/config-* "$new/config" &&
        dpkg-deb -W "$work"/deb/*.deb >"$new/package"; } || die "cannot fill $new"
    # whoever else did the same at the same time has put the same there
    mv -T "$new" "$cache/$kernel" 2>/dev/null || rm -rf "$new"
}

[ -s "$cache/$kernel/vmlinuz" ] || get_kernel
[ -s "$cache/$kernel/vmlinuz" ] || die "no kernel in $cache/$kernel"
note "kernel: $(tr '\t' ' ' <"$cache/$kernel/package")"
for option in BLK_DEV_INITRD DEVTMPFS SERIAL_8250_CONSOLE BPF_SYSCALL UPROBE_EVENTS DEBUG_INFO_BTF; do
    grep -q "^CONFIG_$option=y" "$cache/$kernel/config" || say "warning: $kernel lacks CONFIG_$option"
done

# --- the initramfs -----------------------------------------------------------------------

root=$work/root

# put FILE DEST: copy a file, through links; what stands there (a busybox applet) gives way
put() {
    [[ $2 == /* ]] || die "-f wants an absolute path for a destination: $2"
    { mkdir -p "$root${2%/*}" &&
        cp -L --preserve=mode,timestamps --remove-destination "$1" "$root$2"; } ||
        die "cannot copy $1"
}

# libraries FILE: the absolute paths of what the dynamic loader would load for it
libraries() {
    local magic
    IFS= read -r -N 4 magic <"$1" 2>/dev/null
    [ "$magic" = $'\x7fELF' ] || return 0
    ldd "$1" 2>/dev/null | awk -v f="$1" -v me="$me" '
        /not found/                { print me ": warning: " f ": " $1 " not found" >"/dev/stderr" }
        $2 == "=>" && $3 ~ /^\//   { print $3; next }
        $1 ~ /^\// && $2 ~ /^\(0x/ { print $1 }'
    return 0
}

# add FILE DEST: put it, or each file of a directory, and the libraries
add() {
    local file lib
    if [ -d "$1" ]; then
        mkdir -p "$root$2"
        while IFS= read -r -d '' file; do
            add "$1/$file" "${2%/}/$file"
        done < <(cd "$1" && find -L . -type f -printf '%P\0')
        return
    fi
    [ -r "$1" ] || die "cannot read $1"
    put "$1" "$2"
    while IFS= read -r lib; do
        [ -e "$root$lib" ] || put "$lib" "$lib"
    done < <(libraries "$1")
}

mkdir -p "$root"/{usr/{bin,sbin,lib,lib64},dev,etc,proc,root,run,sys,tmp,var,.vm}
for dir in bin sbin lib lib64; do ln -s "usr/$dir" "$root/$dir"; done
put "$(command -v busybox)" /bin/busybox
for applet in $(busybox --list); do
    [ "$applet" = busybox ] || ln -s busybox "$root/bin/$applet"
done
echo 'root:x:0:0:root:/root:/bin/sh
nobody:x:65534:65534:nobody:/:/bin/sh' >"$root/etc/passwd"
echo 'root:x:0:
nogroup:x:65534:' >"$root/etc/group"
echo '127.0.0.1 localhost' >"$root/etc/hosts"
for file in ${files[@]+"${files[@]}"}; do
    from=${file%%:*} to=''
    [[ $file == *:* ]] && to=${file#*:}
    add "$from" "${to:-$(realpath -s -- "$from")}"
done
printf '%s' "$command" >"$root/.vm/command"
for file in ${wanted[@]+"${wanted[@]}"}; do
    [[ $file == /* ]] || die "-g wants an absolute path: $file"
    printf '%s\n' "${file%%:*}"
done >"$root/.vm/wanted" || exit 125

cat >"$root/init" <<'EOF'
#!/bin/busybox sh
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root TERM=dumb
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
mkdir -p /dev/pts /dev/shm
mount -t devpts -o mode=620,ptmxmode=666 devpts /dev/pts
mount -t tmpfs -o mode=1777 tmpfs /dev/shm
mount -t tracefs tracefs /sys/kernel/tracing
mount -t bpf bpf /sys/fs/bpf
ln -sf /proc/self/fd /dev/fd
ln -sf fd/0 /dev/stdin
ln -sf fd/1 /dev/stdout
ln -sf fd/2 /dev/stderr
hostname vm
ip link set lo up
dmesg -n 5
for port in 1 2 3; do stty -F /dev/ttyS$port raw -echo; done

read -r up _ </proc/uptime
echo "ready $up" >/dev/ttyS3

mkfifo /.vm/out /.vm/err
cat /.vm/out >/dev/ttyS1 &
out=$!
cat /.vm/err >/dev/ttyS2 &
err=$!
cd /tmp
setsid sh -c "$(cat /.vm/command)" </dev/null >/.vm/out 2>/.vm/err &
wait $!
status=$?

# What is left would keep the pipes open. Kernel threads have no program.
for dir in /proc/[0-9]*; do
    pid=${dir#/proc/}
    case $pid in 1 | "$out" | "$err") continue ;; esac
    [ -n "$(readlink "$dir/exe")" ] && kill -9 "$pid"
done 2>/dev/null
wait $out $err

read -r up _ </proc/uptime
cd /
set --
while IFS= read -r file; do
    if [ -e "$file" ]; then set -- "$@" "${file#/}"; fi
done </.vm/wanted
{
    echo "status $status $up"
    [ $# = 0 ] || tar -c -f - -- "$@"
} >/dev/ttyS3
reboot -f
EOF
chmod 755 "$root/init"
chmod 700 "$root/root"
chmod 1777 "$root/tmp"
(cd "$root" && find . -print0 | cpio -0 -o -H newc --quiet -R +0:+0) >"$work/initramfs" ||
    die "cannot make the initramfs"
note "initramfs: $(($(stat -c %s "$work/initramfs") / 1024)) KiB"

# --- the machine -------------------------------------------------------------------------

# boot ACCELERATOR: run the machine to its end; leaves $work/console and $work/report
boot() {
    local cats=() port status
    rm -f "$work"/{out,err,console,report}
    mkfifo "$work/out" "$work/err"
    # the ports' own processes: a fifo keeps qemu from truncating what stdout may be
    cat "$work/out" & cats+=($!)
    cat "$work/err" >&2 & cats+=($!)
    set -- -accel "$1" -cpu max -machine q35 -smp 2 -m "$megabytes" \
        -nodefaults -no-user-config -display none -no-reboot \
        -kernel "$cache/$kernel/vmlinuz" -initrd "$work/initramfs" -append "$append"
    # Linux believes what ACPI says of the interrupts; by default two ports would share one
    port=0
    for chardev in console:0x3f8:4 out:0x2f8:3 err:0x3e8:5 report:0x2e8:7; do
        IFS=: read -r file iobase irq <<<"$chardev"
        set -- "$@" -chardev "file,id=c$port,path=$work/$file" \
            -device "isa-serial,chardev=c$port,index=$port,iobase=$iobase,irq=$irq"
        port=$((port + 1))
    done
    timeout --foreground -k 5 "$seconds" qemu-system-x86_64 "$@" </dev/null >"$work/qemu" 2>&1 &
    qemu=$!
    wait "$qemu"
    status=$?
    qemu=''
    # when qemu never opened them, nobody else ends the readers
    touch "$work/report" "$work/console"
    [ -s "$work/report" ] || kill "${cats[@]}" 2>/dev/null
    wait "${cats[@]}" 2>/dev/null
    return "$status"
}

# console to the serial port and quiet (each line costs); a panic or an oops is told in any
# case and ends the machine
append='console=ttyS0 quiet loglevel=0 panic=-1 oops=panic mitigations=off nokaslr
 tsc=reliable no_timer_check audit=0 random.trust_cpu=on'
append=${append//$'\n'/}

accel=${VM_ACCEL:-}
if [ -z "$accel" ]; then
    accel=tcg
    # the flags count, not the device alone: a paravirtual KVM cannot run this machine
    if grep -qE '^flags.* (vmx|svm)( |$)' /proc/cpuinfo && (: <>/dev/kvm) 2>/dev/null; then accel=kvm; fi
fi
[ "$accel" = tcg ] && accel=tcg,thread=multi
start=${EPOCHREALTIME/[.,]/}
boot "$accel"
status=$?
if [ "$accel" = kvm ] && [ -z "${VM_ACCEL:-}" ] && [ "$status" != 124 ] && ! grep -q '^ready' "$work/report"; then
    note "no machine with KVM ($(tail -n 1 "$work/qemu")); once more without"
    boot tcg,thread=multi
    status=$?
fi
ms=$(((${EPOCHREALTIME/[.,]/} - start) / 1000))

console() { cat "$work/console" "$work/qemu" | tr -d '\r' | sed 's/^/console: /' >&2; }
[ -z "$verbose" ] || console
ready='' result='' up=''
{ read -r ready up && read -r word result end; } <"$work/report" 2>/dev/null
if [ "${word:-}" != status ] || [ "$ready" != ready ]; then
    [ "$verbose" ] || console
    case $status in
    124 | 137) say "no end after $seconds seconds (${ready:-not even started})"; exit 124 ;;
    *) die "the machine ended (qemu: $status) before it reported" ;;
    esac
fi
note "started ($accel) ${up} s after boot, ended at ${end} s, $ms ms in all; status $result"

# --- the files ---------------------------------------------------------------------------

if [ ${#wanted[@]} -gt 0 ]; then
    mkdir "$work/files"
    tail -n +3 "$work/report" | tar -x -C "$work/files" 2>"$work/tar"
    missing=0
    for file in "${wanted[@]}"; do
        from=${file%%:*} to=''
        [[ $file == *:* ]] && to=${file#*:}
        if [ -e "$work/files$from" ]; then
            cp -r -T -- "$work/files$from" "${to:-${from##*/}}" || die "cannot write ${to:-${from##*/}}"
        else
            say "$from did not come back from the machine"
            missing=1
        fi
    done
    if [ "$missing" = 1 ] && [ "$result" = 0 ]; then exit 125; fi
fi
exit "$result"
