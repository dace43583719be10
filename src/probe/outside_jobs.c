/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What workers do; any of it may sleep for ever. Workers trust what cutop asks, and nothing that they
 * read.
 * Memory is read by process_vm_readv(2), which waits for a page without holding the lock of the
 * other process's address space. Reading /proc/PID/mem would hold it, and block that process,
 * readers of its maps and every removal of a probe. Reading cmdline and environ takes that lock,
 * but waits for no page: for them the kernel loads no page from a file or userfaultfd.
 */
#include "probe/outside_jobs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "cuda/visible_devices.h"
#include "errand/errand.h"
#include "names/sections.h"
#include "probe/closure.h"
#include "probe/maps.h"
#include "util/message.h"
#include "util/starter.h"

/* ---- questions ---- */

static struct question question_head(const void *question, size_t len)
{
	struct question head = { .kind = 0 };

	memcpy(&head, question, len < sizeof(head) ? len : sizeof(head));
	return head;
}

/* Returns string number @number of @question; "" if there is none. */
static const char *question_string(const void *question, size_t len, unsigned int number)
{
	const char *at = (const char *)question + sizeof(struct question),
		   *end = (const char *)question + len;

	for (; number && at < end; number--)
		at += strnlen(at, (size_t)(end - at)) + 1;
	return at < end && memchr(at, 0, (size_t)(end - at)) ? at : "";
}

/* The numbers of @question, *@count of them. */
static const char *question_numbers(const void *question, size_t len, size_t *count)
{
	*count = len < sizeof(struct question) ? 0 :
						 (len - sizeof(struct question)) / sizeof(uint64_t);
	return (const char *)question + sizeof(struct question);
}

/* ---- jobs ---- */

#define MAPS_MAX (32u << 20)

errand_job *const outside_jobs[] = {
	job_open, job_debug, job_text, job_words, job_name, job_glob, job_ahead, job_hold, job_lend,
};
const size_t outside_job_count = ARRAY_LEN(outside_jobs);

/* ---- files ---- */

/*
 * Opens (O_PATH) the file at @path, a path through a watched program's mounts; in ours it may lead
 * elsewhere, so the caller compares the file's identity. A file that has just run is mostly in the
 * kernel's cache; on some network file systems it is not, and then the server is asked. Returns a
 * descriptor or a negative errno.
 */
static int place_told(const char *path)
{
	struct open_how how = { .flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_NO_MAGICLINKS };
	int place = file_place_cached(path);

	if (place != -EAGAIN)
		return place;
	place = (int)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof(how));
	return place < 0 ? -errno : place;
}

/* Answers with the file at @place (O_PATH), which is closed. */
static int seen_answer(int place, int identifier, unsigned int want, const char *path, bool own,
		       struct errand_answer *answer)
{
	struct seen_told told = { .own = own };
	struct statfs fs;
	size_t len = strlen(path) + 1;
	char name[32];
	int fd, copy;

	if (fstat(place, &told.st))
		goto fail;
	errno = EINVAL;
	if (!S_ISREG(told.st.st_mode))
		goto fail;
	snprintf(name, sizeof(name), "/proc/self/fd/%d", place);
	fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		goto fail;
	told.identified = !identify_file(identifier, fd, &told.id, &told.magic);
	told.layered = told.identified &&
		       told.id.device !=
			       (uint32_t)(major(told.st.st_dev) << 20 | minor(told.st.st_dev)) &&
		       !fstatfs(fd, &fs) && fs.f_type == OVERLAYFS_SUPER_MAGIC;
	if (told.identified && magic_is_local(told.magic)) {
		close(place);
		answer->fds[0] = fd;
	} else {
		copy = elf_copy(fd, (uint64_t)told.st.st_size, want);
		close(fd);
		errno = -copy;
		if (copy < 0)
			goto fail;
		answer->fds[0] = copy;
		answer->fds[1] = place;
	}
	answer->data = malloc(sizeof(told) + len);
	if (!answer->data)
		return -ENOMEM;
	memcpy(answer->data, &told, sizeof(told));
	memcpy(answer->data + sizeof(told), path, len);
	answer->len = sizeof(told) + len;
	return 0;
fail:
	fd = errno ? -errno : -EIO;
	close(place);
	return fd;
}

/*
 * Returns @place, or a descriptor (O_PATH) of the same file opened through our own mounts at @path,
 * and sets *@own. A path through another process leads through its mounts.
 */
static int own_place(int place, const char *path, bool *own)
{
	struct stat theirs, ours;
	int other = path[0] == '/' && strncmp(path, "/proc/", 6) ? open(path, O_PATH | O_CLOEXEC) :
								   -1;

	*own = other >= 0 && !fstat(place, &theirs) && !fstat(other, &ours) &&
	       theirs.st_dev == ours.st_dev && theirs.st_ino == ours.st_ino;
	if (other >= 0)
		close(*own ? place : other);
	return *own ? other : place;
}

static int open_mapped(const struct question *question, const char *path, int identifier,
		       struct errand_answer *answer)
{
	struct maps_entry entry = {
		.start = question->start,
		.end = question->end,
		.inode = question->inode,
		.major = question->major,
		.minor = question->minor,
		.path = path,
	};
	pid_t pid = process_reader(question->pid);
	int place = maps_place(pid, &entry);
	char below[4096 + 64];
	bool own;

	if (place < 0)
		return place;
	place = own_place(place, path, &own);
	snprintf(below, sizeof(below), "/proc/%d/root%s", pid, path);
	return seen_answer(place, identifier, question->want, own ? path : below, own, answer);
}

static int open_link(const struct question *question, const char *link, const char *name,
		     int identifier, struct errand_answer *answer)
{
	char path[4096], real[4096];
	int place;
	ssize_t n;
	bool own;

	snprintf(path, sizeof(path), "/proc/%d/%s", process_reader(question->pid), link);
	place = open(path, O_PATH | O_CLOEXEC);
	if (place < 0)
		return -errno;
	n = readlink(path, real, sizeof(real) - 1);
	real[n > 0 ? n : 0] = 0;
	if (*name && strncmp(path_base(real), name, strlen(name))) {
		close(place);
		return -ESTALE;
	}
	place = own_place(place, real, &own);
	return seen_answer(place, identifier, question->want, n > 0 ? real : path, own, answer);
}

static int open_by_path(const struct question *question, const char *path,
			const int fds[ERRAND_FDS], struct errand_answer *answer)
{
	int identifier = fds[0], place;
	char name[32], real[4096];
	ssize_t n;

	switch (question->kind) {
	case OPEN_PLACE:
		snprintf(name, sizeof(name), "/proc/self/fd/%d", fds[0]);
		place = open(name, O_PATH | O_CLOEXEC);
		identifier = fds[1];
		break;
	case OPEN_CACHED: place = place_told(path); break;
	default: place = open(path, O_PATH | O_CLOEXEC); place = place < 0 ? -errno : place;
	}
	if (place < 0)
		return place;
	if (question->kind == OPEN_REAL) {
		snprintf(name, sizeof(name), "/proc/self/fd/%d", place);
		n = readlink(name, real, sizeof(real) - 1);
		real[n > 0 ? n : 0] = 0;
		path = n > 0 ? real : path;
	}
	return seen_answer(place, identifier, question->want, path, true, answer);
}

int job_open(const void *question, size_t len, const int fds[ERRAND_FDS],
	     struct errand_answer *answer)
{
	const struct question open_it = question_head(question, len);
	const char *path = question_string(question, len, 0);
	uint32_t kept = 0;
	int err;

	if (open_it.kind == OPEN_MAPPED)
		return open_mapped(&open_it, path, fds[0], answer);
	if (open_it.kind == OPEN_LINK)
		return open_link(&open_it, path, question_string(question, len, 1), fds[0], answer);
	err = open_it.named ? starter_begin(&kept) : 0;
	if (err)
		return err;
	err = open_by_path(&open_it, path, fds, answer);
	starter_end(kept);
	return err;
}

int job_debug(const void *question, size_t len, const int fds[ERRAND_FDS],
	      struct errand_answer *answer)
{
	const struct question debug = question_head(question, len);
	const char *root = question_string(question, len, 0),
		   *path = question_string(question, len, 1);
	const char *roots[] = { *root ? root : "/", *root ? "/" : NULL, NULL };
	const struct stat of = { .st_dev = debug.device, .st_ino = debug.inode };
	char name[32];
	int fd, place;

	fd = debug_file_open(&of, &debug.link, roots, *path ? path : NULL);
	if (fd < 0)
		return fd;
	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	place = open(name, O_PATH | O_CLOEXEC);
	close(fd);
	return place < 0 ? -errno : seen_answer(place, fds[0], COPY_TABLES, "", false, answer);
}

int job_lend(const void *question, size_t len, const int fds[ERRAND_FDS],
	     struct errand_answer *answer)
{
	int files[2], count = 0, i, err;
	char name[32], byte = 0;
	const struct iovec part = { &byte, 1 };

	(void)question;
	(void)len;
	(void)answer;
	/* The first descriptor is the socket. */
	for (i = 1; i < ERRAND_FDS && fds[i] >= 0; i++) {
		snprintf(name, sizeof(name), "/proc/self/fd/%d", fds[i]);
		files[count] = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
		if (files[count] < 0)
			break;
		count++;
	}
	err = count ? message_send(fds[0], &part, 1, files, (size_t)count, 0) : -EBADF;
	while (count)
		close(files[--count]);
	return err;
}

/* ---- memory ---- */

#define PAGE 4096u /* no page is smaller */

/*
 * Reads up to @len bytes at @address, page by page. Returns how many bytes it got, or a negative
 * errno if none.
 */
static ssize_t memory_read(pid_t pid, uint64_t address, char *to, size_t len)
{
	size_t at = 0;

	while (at < len) {
		size_t want = PAGE - (address + at) % PAGE;
		struct iovec local = { to + at, want < len - at ? want : len - at };
		struct iovec remote = { (void *)(uintptr_t)(address + at), local.iov_len };
		ssize_t n = process_vm_readv(pid, &local, 1, &remote, 1, 0);

		if (n <= 0)
			return at ? (ssize_t)at : -errno;
		at += (size_t)n;
	}
	return (ssize_t)at;
}

/* Where a process keeps its environment now. */
struct environ_search {
	pid_t pid;
	bool is_other;    /* its first file, the program, was looked at */
	uint64_t symbol;  /* of `environ`, before relocation; 0: the file does not define it */
	uint64_t address; /* the same, after */
};

static int environ_visit(void *context, const Elf64_Sym *symbol, size_t name)
{
	struct environ_search *search = context;

	(void)name;
	if (ELF64_ST_TYPE(symbol->st_info) != STT_OBJECT)
		return 0;
	search->symbol = symbol->st_value;
	return 1;
}

/* Looks for the variable in the file at @place, which is closed, that @entry maps. */
static void environ_find(struct environ_search *search, int place, const struct maps_entry *entry)
{
	static const char *const names[] = { "environ", "__environ" };
	int fd = file_reopen_regular(place);
	struct sections file;
	size_t i;

	if (fd < 0 || sections_open(&file, fd))
		goto out;
	sections_find(&file, sections_of_type(&file, SHT_DYNSYM) ? SHT_DYNSYM : SHT_SYMTAB, names,
		      ARRAY_LEN(names), environ_visit, search);
	for (i = 0; search->symbol && i < file.segment_count; i++) {
		const Elf64_Phdr *phdr = &file.segments[i];

		if (phdr->p_type == PT_LOAD && phdr->p_offset / PAGE * PAGE == entry->offset)
			search->address =
				entry->start - phdr->p_vaddr / PAGE * PAGE + search->symbol;
	}
	sections_close(&file);
out:
	if (fd >= 0)
		close(fd);
}

/* The program may have the variable, copied from libc, which uses that one then, too. */
static int environ_entry(void *context, const struct maps_entry *entry)
{
	struct environ_search *search = context;
	const char *name = path_base(entry->path);
	int place;

	if (search->is_other && strncmp(name, "libc.", 5) && strncmp(name, "libc-", 5) &&
	    strncmp(name, "ld-musl", 7))
		return 0;
	search->is_other = true;
	place = maps_place(search->pid, entry);
	if (place < 0)
		return 0;
	environ_find(search, place, entry);
	return search->address != 0;
}

#define VARIABLES_MAX 4096
#define NAME_BYTES    256
#define VARIABLE_MAX  (16u << 10) /* bytes */

/* Prints the clues in the environment @list of @pid to @out. False if it is none, or not readable. */
static bool variables_print(pid_t pid, uint64_t list, FILE *out)
{
	char *text = malloc(VARIABLE_MAX + 1);
	uint64_t at = 0;
	int clue = 0, i;
	ssize_t n = 0;

	/* Also where it has cleared all of them: no clue is one, too. */
	visible_clues_print(out, VISIBLE_NOW, "", 0);
	for (i = 0; text && list && clue >= 0 && i < VARIABLES_MAX; i++) {
		n = memory_read(pid, list + (uint64_t)i * sizeof(at), (char *)&at, sizeof(at));
		if (n != sizeof(at) || !at)
			break;
		n = memory_read(pid, at, text, NAME_BYTES);
		text[n > 0 ? n : 0] = 0;
		clue = visible_is_clue(text);
		if (clue <= 0)
			continue;
		n = memory_read(pid, at, text, VARIABLE_MAX);
		text[n > 0 ? n : 0] = 0;
		visible_clues_print(out, VISIBLE_NOW, text, strlen(text));
	}
	free(text);
	return clue >= 0 && (!list || n == sizeof(at));
}

/* Prints the clues in the environment that @pid has now, if it can be found. */
static void environ_now(pid_t pid, FILE *out)
{
	struct environ_search search = { .pid = pid };
	char path[64], *maps, *text = NULL;
	uint64_t list = 0;
	size_t len = 0;
	FILE *clues;

	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	maps = file_read(path, MAPS_MAX, NULL);
	if (maps)
		maps_visit(maps, environ_entry, &search);
	free(maps);
	if (!search.address ||
	    memory_read(pid, search.address, (char *)&list, sizeof(list)) != sizeof(list))
		return;
	clues = open_memstream(&text, &len);
	if (!clues)
		return;
	if (variables_print(pid, list, clues) && !fflush(clues))
		fwrite(text, 1, len, out);
	fclose(clues);
	free(text);
}

#define FILES_MAX 65536 /* open ones that are looked at */

/* Prints which device's node @pid has open, if it is one. */
static void node_now(pid_t pid, FILE *out)
{
	char path[64], real[64];
	int minor = -1, number, end, files = 0;
	struct dirent *item;
	ssize_t n;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/fd", pid);
	dir = opendir(path);
	while (dir && files++ < FILES_MAX && (item = readdir(dir))) {
		n = readlinkat(dirfd(dir), item->d_name, real, sizeof(real) - 1);
		real[n > 0 ? n : 0] = 0;
		if (sscanf(real, "/dev/nvidia%d%n", &number, &end) != 1 || real[end] ||
		    number == minor)
			continue;
		if (minor >= 0)
			goto out;
		minor = number;
	}
	if (minor >= 0)
		fprintf(out, "%c%d%c", VISIBLE_NODE, minor, 0);
out:
	if (dir)
		closedir(dir);
}

#define ENVIRONMENT_MAX (256u << 10)

static int devices_tell(pid_t pid, struct errand_answer *answer)
{
	char path[64], *start;
	size_t len = 0;
	FILE *out;

	snprintf(path, sizeof(path), "/proc/%d/environ", pid);
	start = file_read(path, ENVIRONMENT_MAX, &len);
	if (!start)
		return -errno;
	out = open_memstream(&answer->data, &answer->len);
	if (out) {
		visible_clues_print(out, VISIBLE_START, start, len);
		environ_now(pid, out);
		node_now(pid, out);
	}
	free(start);
	return !out || fclose(out) ? -ENOMEM : 0;
}

int job_text(const void *question, size_t len, const int fds[ERRAND_FDS],
	     struct errand_answer *answer)
{
	const struct question text = question_head(question, len);
	pid_t pid = process_reader(text.pid);
	char path[64];
	bool is_maps;

	(void)fds;
	if (text.kind == TEXT_DEVICES)
		return devices_tell(pid, answer);
	is_maps = text.kind == TEXT_MAPS;
	snprintf(path, sizeof(path), "/proc/%d/%s", pid, is_maps ? "maps" : "cmdline");
	answer->data = file_read(path, is_maps ? MAPS_MAX : (size_t)text.max, &answer->len);
	return answer->data ? 0 : -errno;
}

#define BATCH 512

int job_words(const void *question, size_t len, const int fds[ERRAND_FDS],
	      struct errand_answer *answer)
{
	const struct question words = question_head(question, len);
	struct iovec local[BATCH], remote[BATCH];
	const char *addresses;
	size_t count, i;
	ssize_t n;

	(void)fds;
	addresses = question_numbers(question, len, &count);
	if (count > BATCH)
		return -EINVAL;
	answer->data = malloc(count * sizeof(uint64_t) + 1);
	if (!answer->data)
		return -ENOMEM;
	for (i = 0; i < count; i++) {
		uint64_t address;

		memcpy(&address, addresses + i * sizeof(address), sizeof(address));
		remote[i] = (struct iovec){ (void *)(uintptr_t)address, sizeof(uint64_t) };
		local[i] = (struct iovec){ answer->data + i * sizeof(uint64_t), sizeof(uint64_t) };
	}
	n = process_vm_readv(process_reader(words.pid), local, count, remote, count, 0);
	answer->len = n > 0 ? (size_t)n : 0;
	return n < 0 ? -errno : 0;
}

/* ---- names ---- */

/*
 * True if @pid was started at @start_time, as far as /proc tells: another process may have the
 * number by now.
 */
static bool is_same_process(pid_t pid, uint64_t start_time)
{
	uint64_t tick = NSEC_PER_SEC / (uint64_t)sysconf(_SC_CLK_TCK);
	struct process_stat stat;

	/* In a time namespace /proc shows other times: then this cannot be told. */
	return !process_stat_read(pid, &stat) || !start_time ||
	       start_time - start_time % tick == stat.started ||
	       clock_own_ns(CLOCK_BOOTTIME) - clock_ns(CLOCK_BOOTTIME) + NSEC_PER_SEC >
		       2 * NSEC_PER_SEC;
}

/* Reads the name at @offset of the file at @path, if that is the one of @id. */
static ssize_t name_in_file(const struct question *name, int place, int identifier, char *to,
			    size_t max)
{
	struct file_id id;
	ssize_t n = -ENOENT;
	int fd = place < 0 ? place : file_reopen_regular(place);

	if (fd < 0)
		return fd;
	if (!identify_file(identifier, fd, &id, NULL) && id.inode == name->id.inode &&
	    id.device == name->id.device && id.generation == name->id.generation)
		n = pread(fd, to, max, (off_t)name->offset);
	close(fd);
	return n;
}

int job_name(const void *question, size_t len, const int fds[ERRAND_FDS],
	     struct errand_answer *answer)
{
	const struct question name = question_head(question, len);
	const char *told = question_string(question, len, 0),
		   *known = question_string(question, len, 1);
	char *text = malloc(CUTOP_NAME_MAX + 1);
	bool in_memory;
	ssize_t n;

	if (!text)
		return -ENOMEM;
	n = is_same_process(name.pid, name.start_time) ?
		    memory_read(process_reader(name.pid), name.start, text + 1,
				CUTOP_NAME_MAX - 1) :
		    -ESRCH;
	/* What was read does not end in NUL, and the rest cannot be read. */
	if (n > 0 && !memchr(text + 1, 0, (size_t)n) && n < CUTOP_NAME_MAX - 1)
		n = -EFAULT;
	in_memory = n > 0;
	if (n <= 0 && name.in_file && *known)
		n = name_in_file(&name, open(known, O_PATH | O_CLOEXEC), fds[0], text + 1,
				 CUTOP_NAME_MAX - 1);
	if (n <= 0 && name.in_file && *told)
		n = name_in_file(&name, place_told(told), fds[0], text + 1, CUTOP_NAME_MAX - 1);
	if (n <= 0) {
		free(text);
		return n ? (int)n : -ENOENT;
	}
	text[0] = in_memory;
	text[1 + n] = 0;
	answer->data = text;
	answer->len = 1 + strlen(text + 1);
	return 0;
}

/* ---- pages to keep in memory ---- */

int job_hold(const void *question, size_t len, const int fds[ERRAND_FDS],
	     struct errand_answer *answer)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), count, i;
	const char *offsets = question_numbers(question, len, &count);
	uint64_t offset, before = UINT64_MAX;
	volatile const char *map;
	char name[32];
	int fd;

	(void)answer;
	snprintf(name, sizeof(name), "/proc/self/fd/%d", fds[0]);
	fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return -errno;
	/* Offsets are sorted. */
	for (i = 0; i < count; i++) {
		memcpy(&offset, offsets + i * sizeof(offset), sizeof(offset));
		offset -= offset % page;
		if (offset == before)
			continue;
		before = offset;
		map = mmap(NULL, page, PROT_READ, MAP_PRIVATE, fd, (off_t)offset);
		if (map == MAP_FAILED)
			break;
		/*
		 * If locking is not allowed, the page is at least read; if the file was cut off,
		 * SIGBUS ends this process.
		 */
		if (mlock((const void *)(uintptr_t)map, page))
			(void)*map;
	}
	close(fd);
	return i < count ? -EIO : 0;
}

/* ---- walks: the answer is a list of paths ---- */

#define WALK_MAX (4u << 20) /* bytes of paths */

struct walk {
	FILE *out;
	size_t written;
};

static void path_write(void *context, const char *path)
{
	struct walk *walk = context;
	size_t len = strlen(path) + 1;

	if (walk->written + len > WALK_MAX)
		return;
	walk->written += len;
	fwrite(path, 1, len, walk->out);
}

static int walk_begin(struct walk *walk, struct errand_answer *answer)
{
	*walk = (struct walk){ .out = open_memstream(&answer->data, &answer->len) };
	return walk->out ? 0 : -ENOMEM;
}

static int walk_end(struct walk *walk)
{
	return fclose(walk->out) ? -ENOMEM : 0;
}

int job_glob(const void *question, size_t len, const int fds[ERRAND_FDS],
	     struct errand_answer *answer)
{
	glob_t found = { 0 };
	struct walk walk;
	size_t i;
	int err = walk_begin(&walk, answer);

	(void)fds;
	if (err)
		return err;
	if (!glob(question_string(question, len, 0), GLOB_NOSORT, NULL, &found))
		for (i = 0; i < found.gl_pathc; i++)
			path_write(&walk, found.gl_pathv[i]);
	globfree(&found);
	return walk_end(&walk);
}

int job_ahead(const void *question, size_t len, const int fds[ERRAND_FDS],
	      struct errand_answer *answer)
{
	struct walk walk;
	uint32_t kept;
	int err = walk_begin(&walk, answer);

	(void)fds;
	if (err)
		return err;
	err = starter_begin(&kept);
	if (!err) {
		ahead_visit(question_string(question, len, 0), question_string(question, len, 1),
			    question_string(question, len, 2), path_write, &walk);
		starter_end(kept);
	}
	if (walk_end(&walk))
		err = -ENOMEM;
	return err;
}
