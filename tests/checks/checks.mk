# SPDX-License-Identifier: GPL-2.0-or-later
# Sanitizers, valgrind and static analysis: docs/testing.md.
checks_run = top_srcdir='$(abs_top_srcdir)' top_builddir='$(abs_top_builddir)' SANITIZERS='$(SANITIZERS)' \
	sh $(srcdir)/tests/checks/checks.sh

check-asan:
	$(checks_run) asan
check-tsan:
	$(checks_run) tsan
coverage:
	$(checks_run) coverage
check-valgrind: all
	$(MAKE) $(AM_MAKEFLAGS) check TESTS=
	UNIT_TESTS='$(TESTS)' $(checks_run) valgrind
check-static: all
	top_srcdir='$(abs_top_srcdir)' sh $(srcdir)/tests/checks/test_format.sh || [ $$? = 77 ]
	$(checks_run) cppcheck || [ $$? = 77 ]
	$(checks_run) warnings || [ $$? = 77 ]
	$(checks_run) analyzer || [ $$? = 77 ]
.PHONY: check-asan check-tsan check-valgrind check-static coverage

clean-local: clean-checks
clean-checks:
	rm -rf checks
.PHONY: clean-checks
TESTS += tests/checks/test_rooms.sh tests/checks/test_bpf_headers.sh tests/checks/test_format.sh
EXTRA_DIST += tests/checks/test_format.sh tests/checks/test_rooms.sh tests/checks/test_bpf_headers.sh tests/checks/rooms.py
EXTRA_DIST += docs/testing.md tests/checks/checks.sh tests/checks/analyzer.known tests/checks/calls.sh tests/checks/excluded-calls tests/checks/arguments.py tests/checks/table.sh
