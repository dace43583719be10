#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""terminals.py CUTOP RECORDING: cutop's screen on terminals that behave in unusual ways. Prints a line
per failure, and exits 1 if there was one."""
import fcntl
import os
import pty
import resource
import select
import signal
import struct
import sys
import tempfile
import termios
import time

LIMIT = 30
STOP, GO_ON, REDRAW, SUSPEND = b"\x13", b"\x11", b"\x0c", b"\x1a"     # Ctrl-S, -Q, -L, -Z
CUTOP, RECORDING = map(os.path.abspath, sys.argv[1:3])
failures = 0


class Screen:
    """A cutop that leads the session of its own terminal: no shell has job control over it."""

    def __init__(self, *arguments, prepare=None):
        self.pid, self.fd = pty.fork()
        if not self.pid:
            if prepare:
                prepare()
            # These may be started by nohup(1).
            signal.signal(signal.SIGHUP, signal.SIG_DFL)
            os.environ["TERM"] = "xterm"
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 200, 0, 0))
            os.execv(CUTOP, [CUTOP, "--no-config", "--replay", RECORDING, *arguments])
        self.seen = b""

    def read(self, seconds):
        """Reads what comes within that time."""
        until = time.monotonic() + seconds
        while True:
            left = until - time.monotonic()
            if left <= 0 or not select.select([self.fd], [], [], left)[0]:
                return
            try:
                self.seen += os.read(self.fd, 65536)
            except OSError:     # its end of the terminal is closed
                return

    def see(self, text):
        """Waits until it has written that since the last call; returns whether it has."""
        until = time.monotonic() + LIMIT
        while text not in self.seen and time.monotonic() < until:
            self.read(0.1)
        found = text in self.seen
        self.seen = b""
        return found

    def keys(self, text):
        os.write(self.fd, text)

    def fill(self):
        """Draws all of it so often, unread, that the terminal takes no more."""
        for _ in range(40):
            self.keys(REDRAW)
            time.sleep(0.05)

    def end(self, reads=True, seconds=LIMIT):
        """Its exit status, 128 and more for a signal; None: it does not end, and is killed."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            if reads:
                self.read(0.05)
            else:
                time.sleep(0.05)
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                return os.waitstatus_to_exitcode(status)
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        return None


def check(what, got, wanted):
    global failures
    if got != wanted:
        failures += 1
        print(f"FAIL: {what}: {got}, not {wanted}")


def verdicts():
    """--fail-on-leak with a recording on the screen: as in batch mode, if it was shown to its end."""
    screen = Screen("--fail-on-leak")
    check("a recording: the screen comes", screen.see(b"Quit"), True)
    screen.keys(b"q")
    check("left early: no verdict", screen.end(), 1)
    check("left early: it says so", screen.see(b"left before its end"), True)
    batch = os.waitstatus_to_exitcode(os.system(
        f"{CUTOP} -b -f json --replay {RECORDING} --fail-on-leak >/dev/null 2>&1"))
    screen = Screen("--fail-on-leak")
    check("to its end: the screen comes", screen.see(b"Quit"), True)
    screen.keys(b"\033[C" * 25)
    check("to its end: it is there", screen.see(b"END"), True)
    screen.keys(b"q")
    check("to its end: the verdict", screen.end(), batch)


def modes(fd):
    return termios.tcgetattr(fd)[:4]


def without_output():
    """A terminal that takes no output does not keep cutop from ending, nor from going on later."""
    screen = Screen()
    check("Ctrl-S: the screen comes", screen.see(b"Quit"), True)
    screen.keys(STOP)
    time.sleep(1.2)
    screen.keys(GO_ON + REDRAW)
    check("Ctrl-Q: it goes on", screen.see(b"Quit"), True)
    screen.keys(STOP)
    time.sleep(1.2)
    os.kill(screen.pid, signal.SIGTERM)
    check("Ctrl-S: SIGTERM ends it", screen.end(), 128 + signal.SIGTERM)
    check("Ctrl-S: the screen is restored", screen.see(b"\x1b[?1049l"), True)
    screen = Screen()
    check("stalled: the screen comes", screen.see(b"Quit"), True)
    screen.fill()
    os.kill(screen.pid, signal.SIGHUP)
    check("stalled: SIGHUP ends it", screen.end(reads=False), 128 + signal.SIGHUP)
    screen = Screen()
    check("stalled: the screen comes, to be ended by force", screen.see(b"Quit"), True)
    screen.fill()
    os.kill(screen.pid, signal.SIGQUIT)
    check("stalled: SIGQUIT ends it", screen.end(reads=False), -signal.SIGQUIT)
    screen = Screen()
    check("stalled: the screen comes, to be stopped", screen.see(b"Quit"), True)
    screen.fill()
    os.kill(screen.pid, signal.SIGSTOP)
    os.kill(screen.pid, signal.SIGCONT)
    time.sleep(0.5)
    os.kill(screen.pid, signal.SIGTERM)
    check("stalled: SIGTERM ends it after a stop", screen.end(reads=False), 128 + signal.SIGTERM)
    screen = Screen("--duration", "4")
    before = modes(screen.fd)
    check("stalled: the screen comes again", screen.see(b"Quit"), True)
    screen.fill()
    check("stalled: --duration ends it", screen.end(reads=False), 0)
    check("stalled: the terminal's settings are as before", modes(screen.fd), before)


def suspended():
    """Ctrl-Z where no shell could continue it: it goes on, and the screen is there."""
    screen = Screen()
    check("Ctrl-Z: the screen comes", screen.see(b"Quit"), True)
    screen.keys(SUSPEND)
    check("Ctrl-Z: the screen is there again", screen.see(b"Quit"), True)
    screen.keys(b"?")
    check("Ctrl-Z: keys are read", screen.see(b"freeze"), True)
    screen.keys(b"\x1bq")
    check("Ctrl-Z: it ends", screen.end(), 0)


def unwritten():
    """Key w: a file that could not be written whole does not stay."""
    with tempfile.TemporaryDirectory() as folder:
        def prepare():
            os.chdir(folder)
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
        screen = Screen(prepare=prepare)
        check("w: the screen comes", screen.see(b"Quit"), True)
        screen.keys(b"w")
        check("w: it says why not", screen.see(b"large"), True)
        check("w: nothing is left", os.listdir(folder), [])
        screen.keys(b"q")
        check("w: it ends", screen.end(), 0)


unwritten()
without_output()
suspended()
verdicts()
sys.exit(failures > 0)
