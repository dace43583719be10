/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What cutop calls of glibc that glibc 2.31 has not, for contrib/portable/build. */
#include <signal.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <unistd.h>

/* glibc 2.32 */
const char *sigabbrev_np(int sig)
{
	static const char *const names[] = {
#define NAME(sig) [SIG##sig] = #sig
		NAME(HUP),  NAME(INT),  NAME(QUIT),   NAME(ILL),    NAME(TRAP), NAME(ABRT),
		NAME(BUS),  NAME(FPE),  NAME(KILL),   NAME(USR1),   NAME(SEGV), NAME(USR2),
		NAME(PIPE), NAME(ALRM), NAME(TERM),   NAME(STKFLT), NAME(CHLD), NAME(CONT),
		NAME(STOP), NAME(TSTP), NAME(TTIN),   NAME(TTOU),   NAME(URG),  NAME(XCPU),
		NAME(XFSZ), NAME(PROF), NAME(VTALRM), NAME(WINCH),  NAME(POLL), NAME(PWR),
		NAME(SYS),
#undef NAME
	};

	return sig < 0 || (size_t)sig >= sizeof(names) / sizeof(names[0]) ? NULL : names[sig];
}

/* glibc 2.36 */
int fsopen(const char *name, unsigned int flags)
{
	return (int)syscall(SYS_fsopen, name, flags);
}

int fsconfig(int fd, unsigned int command, const char *key, const void *value, int aux)
{
	return (int)syscall(SYS_fsconfig, fd, command, key, value, aux);
}

int fsmount(int fd, unsigned int flags, unsigned int attributes)
{
	return (int)syscall(SYS_fsmount, fd, flags, attributes);
}
