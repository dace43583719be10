#!/bin/bash
# run-vm.sh - run one command on Debian's own kernel in a virtual machine.
#
# cutop has to work on kernels other than the one a developer happens to run: first of all
# on Debian 12's 6.1, which has no uprobe_multi.  This script takes that kernel from
# Debian's package, boots it in qemu from an initramfs made here, runs a command in it and
# hands back what the command printed, its exit status and the files asked for.  It needs
# no disk image, no network inside, no right over /dev/kvm and nothing installed but:
PACKAGES='qemu-system-x86 busybox-static cpio'
# and for an arm64 machine:
PACKAGES_ARM64='qemu-system-arm binutils cpio'
#
# How it works
#   kernel     `apt-get download' puts the package into the cache, and its vmlinuz and
#              config are taken out of it; nothing is installed.  A second run needs no apt.
#              Another suite or architecture is fetched by packages.sh.
#   initramfs  a static busybox with its applets, the files named by -f, and for each ELF
#              file among them the libraries and the loader that ldd names, or, of another
#              architecture, those of a folder with such libraries (-r); packed by cpio
#              and not compressed (unpacking costs the machine more than reading).
#   qemu       emulates in software (TCG), which boots Debian's kernel in one to two
#              seconds; with KVM only where the processor has it, and if the machine does
#              not come up that way, it is started again without.
#   four serial ports, so that nothing needs to be told apart by what it looks like:
#              the kernel's console, kept aside and shown when the machine fails; the
#              command's stdout, and its stderr, both live; init's own report: "ready",
#              "status N", and then a tar archive of the files wanted.
#   /init      mounts proc, sysfs, devtmpfs and bpffs
#              (/sys/fs/bpf; the root, with /tmp, is a tmpfs already), brings lo up, runs
#              the command in /tmp with no input and with pipes for output, kills what the
#              command left running, reports, and ends the machine.
#
# See usage() for options and exit statuses.

set -u -o pipefail

usage() {
    cat <<'EOF'
Usage: run-vm.sh [-v] [-t SECONDS] [-m MEGABYTES] [-a ARCHITECTURE] [-s SUITE]
                 [-k KERNEL_PACKAGE] [-r DIRECTORY]
                 [-f FILE[:DEST]]... [-g FILE[:DEST]]... -- COMMAND
Boot KERNEL_PACKAGE in qemu, run COMMAND there by /bin/sh -c (busybox), give its output.

  -a ARCHITECTURE amd64 (default) or arm64
  -f FILE[:DEST]  put FILE into the machine, under DEST or its own absolute path; a
                  directory with all in it.  Links are followed.  The libraries of ELF
                  files come along under their own paths; what is loaded by dlopen and
                  the interpreters of scripts do not
  -g FILE[:DEST]  afterwards fetch FILE (or a directory) from the machine to DEST, or
                  into the current directory
  -k PACKAGE      the kernel, default linux-image-cloud-amd64 or -arm64; one that only
                  depends on the kernel's own package is followed
  -m MEGABYTES    memory of the machine, default 1024
  -r DIRECTORY    where libraries of another architecture are found, as from a root
  -s SUITE        of Debian, that the kernel is taken from, such as bookworm-backports;
                  default: what apt is set up for
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

seconds=120 megabytes=1024 kernel='' verbose='' files=() wanted=() arch=amd64 suite='' libraries=''
while getopts a:f:g:hk:m:r:s:t:v opt; do
    case $opt in
    a) arch=$OPTARG ;;
    f) files+=("$OPTARG") ;;
    g) wanted+=("$OPTARG") ;;
    h) usage; exit 0 ;;
    k) kernel=$OPTARG ;;
    m) megabytes=$OPTARG ;;
    r) libraries=$OPTARG ;;
    s) suite=$OPTARG ;;
    t) seconds=$OPTARG ;;
    v) verbose=1 ;;
    *) usage >&2; exit 125 ;;
    esac
done
shift $((OPTIND - 1))
[ $# -gt 0 ] || { usage >&2; exit 125; }
command=$*
[[ $seconds =~ ^[1-9][0-9]*$ && $megabytes =~ ^[1-9][0-9]*$ ]] || die "-t and -m take a number"
[[ $arch =~ ^(amd64|arm64)$ ]] || die "-a takes amd64 or arm64"
[[ $suite =~ ^[a-z0-9-]*$ ]] || die "-s takes the name of a suite: $suite"
kernel=${kernel:-linux-image-cloud-$arch}
[[ $kernel =~ ^[a-z0-9][a-z0-9.+~-]+$ ]] || die "-k takes the name of a package: $kernel"
here=$(cd "$(dirname "$0")" && pwd)
if [ "${abs_top_builddir:-}" ]; then cache=$abs_top_builddir/tests/vm/cache; else cache=$here/cache; fi
cache=${VM_CACHE:-$cache}
export VM_CACHE=$cache
home=$cache/$kernel${suite:+-$suite}

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
    command -v "$emulator" && command -v cpio &&
        if [ "$arch" = arm64 ]; then command -v readelf; else command -v busybox && ! ldd "$(command -v busybox)"; fi
} >/dev/null 2>&1

emulator=qemu-system-x86_64
if [ "$arch" = arm64 ]; then
    PACKAGES=$PACKAGES_ARM64
    emulator=qemu-system-aarch64
else
    [ "$(uname -m)" = x86_64 ] || skip "the machine made here is an x86-64 one"
fi
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

# download PACKAGE: leave its .deb in $work/deb, or skip
download() {
    rm -rf "$work/deb" && mkdir "$work/deb" && chmod 755 "$work" "$work/deb" || exit 125
    if [ "$suite" ] || [ "$arch" != amd64 ]; then
        # shellcheck source=/dev/null
        bash "$here/packages.sh" -a "$arch" -s "${suite:-$(. /etc/os-release && echo "$VERSION_CODENAME")}" \
            -o "$work/deb" "$1" || exit
        return
    fi
    (cd "$work/deb" && apt download "$1") && return
    if [ "$(id -u)" = 0 ] && apt update; then
        (cd "$work/deb" && apt download "$1") && return
    fi
    skip "cannot download $1: $(apt_says)"
}

# get_kernel: fill $home with vmlinuz, config and package (its name and version)
get_kernel() {
    local package=$kernel next boot new

    command -v apt-get >/dev/null || skip "no apt-get here to download $kernel"
    note "downloading $kernel"
    for _ in 1 2 3; do
        download "$package"
        mkdir "$work/pkg" || exit 125
        dpkg-deb --fsys-tarfile "$work"/deb/*.deb |
            tar -x -C "$work/pkg" --wildcards './boot/*' './usr/lib/modules/*/vmlinuz' 2>/dev/null
        set -- "$work"/pkg/boot/vmlinuz-* "$work"/pkg/usr/lib/modules/*/vmlinuz
        boot=$1
        [ -e "$boot" ] || boot=$2
        [ -e "$boot" ] && break
        rm -rf "$work/pkg"
        next=$(dpkg-deb -f "$work"/deb/*.deb Depends | grep -oE 'linux-(image|binary)-[0-9][a-z0-9.+~-]+' | head -n 1)
        [ "$next" ] || die "$package holds no kernel and depends on none"
        package=$next
    done
    [ -e "$boot" ] || die "no kernel found by way of $kernel"
    { mkdir -p "$cache" && new=$(mktemp -d "$cache/new.XXXXXX"); } ||
        die "cannot write to $cache (VM_CACHE names another place)"
    chmod 755 "$new"
    # Since Linux 7 the config is in a package of its own, and goes without saying.
    { cp "$boot" "$new/vmlinuz" && { cp "$work"/pkg/boot/config-* "$new/config" 2>/dev/null || :; } &&
        dpkg-deb -W "$work"/deb/*.deb >"$new/package"; } || die "cannot fill $new"
    # whoever else did the same at the same time has put the same there
    mv -T "$new" "$home" 2>/dev/null || rm -rf "$new"
}

[ -s "$home/vmlinuz" ] || get_kernel
[ -s "$home/vmlinuz" ] || die "no kernel in $home"
note "kernel: $(tr '\t' ' ' <"$home/package")"
for option in BLK_DEV_INITRD DEVTMPFS SERIAL_8250_CONSOLE BPF_SYSCALL UPROBE_EVENTS DEBUG_INFO_BTF; do
    [ ! -e "$home/config" ] || grep -q "^CONFIG_$option=y" "$home/config" || say "warning: $kernel lacks CONFIG_$option"
done

# A busybox of the other architecture, for it alone.
busybox=$(command -v busybox)
if [ "$arch" = arm64 ]; then
    busybox=$cache/busybox-arm64
    if [ ! -x "$busybox" ]; then
        kernel_suite=$suite suite=''
        download busybox-static
        suite=$kernel_suite
        { dpkg-deb --fsys-tarfile "$work"/deb/*.deb | tar -x -O ./bin/busybox >"$busybox.$$" &&
            chmod 755 "$busybox.$$" && mv "$busybox.$$" "$busybox"; } || die "no busybox in its package"
    fi
fi

# --- the initramfs -----------------------------------------------------------------------

root=$work/root

# put FILE DEST: copy a file, through links; what stands there (a busybox applet) gives way
put() {
    [[ $2 == /* ]] || die "-f wants an absolute path for a destination: $2"
    { mkdir -p "$root${2%/*}" &&
        cp -L --preserve=mode,timestamps --remove-destination "$1" "$root$2"; } ||
        die "cannot copy $1"
}

# libraries FILE: what the dynamic loader would load for it, where it is here and its absolute path there
libraries() {
    local magic name dir
    IFS= read -r -N 4 magic <"$1" 2>/dev/null
    [ "$magic" = $'\x7fELF' ] || return 0
    if [ "$libraries" ]; then
        # Relocatable files need none; what libraries need in their turn comes when they are put.
        readelf -ld "$1" 2>/dev/null | sed -n 's/.*interpreter: \(.*\)]/\1/p; s/.*(NEEDED).*\[\(.*\)]/\1/p' |
            while IFS= read -r name; do
                for dir in "" /lib/*-linux-gnu /usr/lib/*-linux-gnu /lib /usr/lib; do
                    # shellcheck disable=SC2086 # a pattern
                    set -- "$libraries"${dir}/"${name#/}"
                    [ -e "$1" ] && printf '%s\t%s\n' "$1" "${1#"$libraries"}" && break
                done
            done
        return 0
    fi
    ldd "$1" 2>/dev/null | awk -v f="$1" -v me="$me" '
        /not found/                { print me ": warning: " f ": " $1 " not found" >"/dev/stderr" }
        $2 == "=>" && $3 ~ /^\//   { print $3 "\t" $3; next }
        $1 ~ /^\// && $2 ~ /^\(0x/ { print $1 "\t" $1 }'
    return 0
}

# add FILE DEST: put it, or each file of a directory, and the libraries
add() {
    local file from lib
    if [ -d "$1" ]; then
        mkdir -p "$root$2"
        while IFS= read -r -d '' file; do
            add "$1/$file" "${2%/}/$file"
        done < <(cd "$1" && find -L . -type f -printf '%P\0')
        return
    fi
    [ -r "$1" ] || die "cannot read $1"
    put "$1" "$2"
    while IFS=$'\t' read -r from lib; do
        if [ -e "$root$lib" ]; then continue; fi
        if [ "$libraries" ]; then add "$from" "$lib"; else put "$from" "$lib"; fi
    done < <(libraries "$1")
}

# applets FILE: what a busybox that cannot be run here has in it: names that end with NUL, one after the other, from "["
applets() {
    LC_ALL=C grep -aoP '\x00\[\x00\[\[\x00([a-z][a-z0-9_-]*\x00)+' "$1" | tr '\0' '\n' | sed '/^$/d' | sort -u
}

mkdir -p "$root"/{usr/{bin,sbin,lib,lib64},dev,etc,proc,root,run,sys,tmp,var,.vm}
for dir in bin sbin lib lib64; do ln -s "usr/$dir" "$root/$dir"; done
put "$busybox" /bin/busybox
for applet in $(case $arch in amd64) "$busybox" --list ;; *) applets "$busybox" ;; esac); do
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
case $arch in
amd64) echo ttyS1 ttyS2 ttyS3 ;;
*) echo ttyS0 ttyS1 ttyS2 ;;
esac >"$root/.vm/ports"
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
mount -t bpf bpf /sys/fs/bpf
ln -sf /proc/self/fd /dev/fd
ln -sf fd/0 /dev/stdin
ln -sf fd/1 /dev/stdout
ln -sf fd/2 /dev/stderr
hostname vm
ip link set lo up
dmesg -n 5
read -r port_out port_err port_report </.vm/ports
for port in $port_out $port_err $port_report; do stty -F /dev/$port raw -echo; done

read -r up _ </proc/uptime
echo "ready $up" >/dev/$port_report

mkfifo /.vm/out /.vm/err
cat /.vm/out >/dev/$port_out &
out=$!
cat /.vm/err >/dev/$port_err &
err=$!
cd /tmp
setsid /bin/sh -c "$(cat /.vm/command)" </dev/null >/.vm/out 2>/.vm/err &
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
} >/dev/$port_report
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
    case $arch in
    # pointers are signed by a way of the emulator's own: the real one takes it most of its time
    arm64) set -- -accel "$1" -cpu max,pauth-impdef=on -machine virt ;;
    # 6.12 comes to grief in qemu 7.2's pages of five levels, and in its cmpxchg16b; without that, 7 has no storage for tasks
    *) case $suite in
       trixie*) set -- -accel "$1" -cpu max,la57=off -machine q35 ;;
       *) set -- -accel "$1" -cpu max,la57=off,cx16=off -machine q35 ;;
       esac ;;
    esac
    # One processor: two that patch the kernel's code under the emulator's hands can wait for each other for ever.
    set -- "$@" -smp 1 -m "$megabytes" \
        -nodefaults -no-user-config -display none -no-reboot \
        -kernel "$home/vmlinuz" -initrd "$work/initramfs" -append "$append"
    # Linux believes what ACPI says of the interrupts; by default two ports would share one
    port=0
    for chardev in console:0x3f8:4 out:0x2f8:3 err:0x3e8:5 report:0x2e8:7; do
        IFS=: read -r file iobase irq <<<"$chardev"
        set -- "$@" -chardev "file,id=c$port,path=$work/$file"
        if [ "$arch" = amd64 ]; then
            set -- "$@" -device "isa-serial,chardev=c$port,index=$port,iobase=$iobase,irq=$irq"
        elif [ "$port" = 0 ]; then
            set -- "$@" -serial chardev:c0
        else
            set -- "$@" -device "pci-serial,chardev=c$port"
        fi
        port=$((port + 1))
    done
    timeout --foreground -k 5 "$seconds" "$emulator" "$@" </dev/null >"$work/qemu" 2>&1 &
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
case $arch in amd64) console=ttyS0 ;; *) console=ttyAMA0 ;; esac
append="console=$console quiet loglevel=0 panic=-1 oops=panic mitigations=off nokaslr
 tsc=reliable no_timer_check audit=0 random.trust_cpu=on"
append=${append//$'\n'/}

accel=${VM_ACCEL:-}
if [ -z "$accel" ]; then
    accel=tcg
    # the flags count, not the device alone: a paravirtual KVM cannot run this machine
    if [ "$arch" = amd64 ] && grep -qE '^flags.* (vmx|svm)( |$)' /proc/cpuinfo && (: <>/dev/kvm) 2>/dev/null; then accel=kvm; fi
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
