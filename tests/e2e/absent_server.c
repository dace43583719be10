// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * absent_server FOLDER MOUNT [UID]: a FUSE file system that shows the regular files in FOLDER at
 * MOUNT, to that user only if one is named, and can be told to leave requests without an answer. It ends, and with it all that waits for it,
 * when its standard input does.
 *
 * Each line on standard input is a command, answered by a line "done":
 *
 *   hold OPERATION NAME   requests of this kind for this file are not answered any more; OPERATION: lookup, getattr, open, read,
 *                         flush or all; NAME may be "*". The first held of each kind is told of:
 *                         "held OPERATION NAME"
 *   stop                  no request is so much as read
 *   slow MILLISECONDS     each answer takes so long
 *   go                    answers what was held, and all that comes
 *
 * What is read and not answered keeps its caller asleep whatever signal it gets; what is not read,
 * only until it is killed.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILES_MAX   64
#define HELD_MAX    512
#define REQUEST_MAX (1 << 20)
#define ANSWER_MAX  (1 << 17)

struct file {
	char name[256];
	int fd;
};

struct held {
	struct fuse_in_header header;
	union {
		struct fuse_read_in read;
	};
	char name[256];
};

static struct file files[FILES_MAX];
static size_t file_count;
static struct held held[HELD_MAX];
static size_t held_count;
static char hold_operation[16] = "", hold_name[256] = "";
static char told[16][300];
static size_t told_count;
static int device;
static unsigned int slow_ms;

static void send(const struct fuse_in_header *to, int error, const void *data, size_t len)
{
	char answer[sizeof(struct fuse_out_header) + ANSWER_MAX];
	struct fuse_out_header header = { .len = (uint32_t)(sizeof(header) + len),
					  .error = error,
					  .unique = to->unique };

	memcpy(answer, &header, sizeof(header));
	memcpy(answer + sizeof(header), data, len);
	/* The caller may be gone: ENOENT. */
	if (write(device, answer, header.len) < 0 && errno != ENOENT)
		perror("absent_server: an answer");
}

static int attributes(uint64_t node, struct fuse_attr *attr)
{
	struct stat st;

	memset(attr, 0, sizeof(*attr));
	attr->ino = node + 1000;
	attr->nlink = 1;
	attr->mode = S_IFDIR | 0755;
	if (node == FUSE_ROOT_ID)
		return 0;
	if (node - 2 >= file_count || fstat(files[node - 2].fd, &st))
		return -ESTALE;
	attr->mode = S_IFREG | 0755;
	attr->size = (uint64_t)st.st_size;
	attr->blocks = (uint64_t)st.st_blocks;
	attr->blksize = 4096;
	attr->mtime = 1000000000;
	attr->ctime = 1000000000;
	return 0;
}

static size_t file_find(const char *name)
{
	size_t i;

	for (i = 0; i < file_count && strcmp(files[i].name, name); i++)
		;
	return i;
}

static void entry_answer(const struct fuse_in_header *header, const char *name)
{
	struct fuse_entry_out entry = { .generation = 1 };
	size_t i = file_find(name);

	if (i == file_count) {
		send(header, -ENOENT, NULL, 0);
		return;
	}
	entry.nodeid = i + 2;
	/* Nothing is remembered for long: each open asks anew. */
	attributes(entry.nodeid, &entry.attr);
	send(header, 0, &entry, sizeof(entry));
}

static void read_answer(const struct fuse_in_header *header, const struct fuse_read_in *in)
{
	static char data[ANSWER_MAX];
	size_t size = in->size < ANSWER_MAX ? in->size : ANSWER_MAX;
	ssize_t n = header->nodeid - 2 < file_count ?
			    pread(files[header->nodeid - 2].fd, data, size, (off_t)in->offset) :
			    -1;

	send(header, n < 0 ? -EIO : 0, data, n < 0 ? 0 : (size_t)n);
}

static const char *operation_of(uint32_t opcode)
{
	switch (opcode) {
	case FUSE_LOOKUP: return "lookup";
	case FUSE_GETATTR: return "getattr";
	case FUSE_OPEN: return "open";
	case FUSE_READ: return "read";
	case FUSE_FLUSH: return "flush";
	default: return NULL;
	}
}

static void answer(const struct fuse_in_header *header, const void *in)
{
	struct fuse_attr_out attr = { 0 };
	struct fuse_open_out open = { .fh = 1 };
	int err;

	switch (header->opcode) {
	case FUSE_LOOKUP: entry_answer(header, in); return;
	case FUSE_GETATTR:
		err = attributes(header->nodeid, &attr.attr);
		send(header, err, &attr, err ? 0 : sizeof(attr));
		return;
	case FUSE_OPEN:
		/* What was read is remembered, as libfuse's kernel_cache. */
		open.open_flags = FOPEN_KEEP_CACHE;
		send(header, 0, &open, sizeof(open));
		return;
	case FUSE_OPENDIR: send(header, 0, &open, sizeof(open)); return;
	case FUSE_READ: read_answer(header, in); return;
	case FUSE_READDIR:
	case FUSE_FLUSH:
	case FUSE_RELEASE:
	case FUSE_RELEASEDIR: send(header, 0, NULL, 0); return;
	case FUSE_FORGET:
	case FUSE_BATCH_FORGET:
	case FUSE_INTERRUPT: return;
	default: send(header, -ENOSYS, NULL, 0);
	}
}

static void begin(const struct fuse_in_header *header, const struct fuse_init_in *in)
{
	struct fuse_init_out out = { .major = FUSE_KERNEL_VERSION,
				     .minor = FUSE_KERNEL_MINOR_VERSION };

	out.max_readahead = in->max_readahead < ANSWER_MAX ? in->max_readahead : ANSWER_MAX;
	out.max_write = 4096;
	send(header, 0, &out, sizeof(out));
}

static const char *name_of(const struct fuse_in_header *header, const void *in)
{
	if (header->opcode == FUSE_LOOKUP)
		return in;
	return header->nodeid - 2 < file_count ? files[header->nodeid - 2].name : "";
}

/* True if the request was put aside. */
static int is_held(const struct fuse_in_header *header, const void *in)
{
	const char *operation = operation_of(header->opcode), *name = name_of(header, in);
	char line[300];
	size_t i;

	if (!operation || (strcmp(hold_operation, operation) && strcmp(hold_operation, "all")) ||
	    (strcmp(hold_name, name) && strcmp(hold_name, "*")) || held_count == HELD_MAX)
		return 0;
	held[held_count].header = *header;
	if (header->opcode == FUSE_READ)
		memcpy(&held[held_count].read, in, sizeof(held->read));
	snprintf(held[held_count++].name, sizeof(held->name), "%.255s", name);
	snprintf(line, sizeof(line), "held %s %.255s", operation, name);
	for (i = 0; i < told_count; i++)
		if (!strcmp(told[i], line))
			return 1;
	if (told_count < sizeof(told) / sizeof(told[0]))
		strcpy(told[told_count++], line);
	puts(line);
	return 1;
}

static void request_take(void)
{
	static char request[REQUEST_MAX];
	ssize_t n = read(device, request, sizeof(request));
	const struct fuse_in_header *header = (const void *)request;
	const void *in = request + sizeof(*header);

	if (n < 0 && (errno == ENOENT || errno == EINTR || errno == EAGAIN))
		return;
	if (n < (ssize_t)sizeof(*header)) {
		perror("absent_server: a request"); /* ENODEV: it is unmounted */
		exit(1);
	}
	if (header->opcode == FUSE_INIT) {
		begin(header, in);
	} else if (!is_held(header, in)) {
		usleep(1000 * slow_ms);
		answer(header, in);
	}
}

static void held_answer(void)
{
	size_t i;

	hold_operation[0] = 0;
	for (i = 0; i < held_count; i++)
		answer(&held[i].header, held[i].header.opcode == FUSE_READ ?
						(const void *)&held[i].read :
						held[i].name);
	held_count = told_count = 0;
}

static int stopped;

static void command_take(void)
{
	char line[512], name[256] = "", operation[16] = "";

	if (!fgets(line, sizeof(line), stdin))
		exit(0);
	if (sscanf(line, "hold %15s %255s", operation, name) == 2) {
		strcpy(hold_operation, operation);
		strcpy(hold_name, name);
	} else if (!strncmp(line, "stop", 4)) {
		stopped = 1;
	} else if (sscanf(line, "slow %u", &slow_ms) == 1) {
		;
	} else {
		stopped = 0;
		held_answer();
	}
	puts("done");
}

static void files_open(const char *folder)
{
	DIR *dir = opendir(folder);
	struct dirent *item;
	struct stat st;

	while (dir && (item = readdir(dir)) && file_count < FILES_MAX) {
		struct file *file = &files[file_count];

		file->fd = openat(dirfd(dir), item->d_name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
		if (file->fd < 0)
			continue;
		if (fstat(file->fd, &st) || !S_ISREG(st.st_mode)) {
			close(file->fd);
			continue;
		}
		snprintf(file->name, sizeof(file->name), "%s", item->d_name);
		file_count++;
	}
	if (dir)
		closedir(dir);
}

int main(int argc, char **argv)
{
	struct pollfd wanted[2] = { { .events = POLLIN }, { .events = POLLIN } };
	char options[128];

	if (argc != 3 && argc != 4)
		return 2;
	setvbuf(stdout, NULL, _IOLBF, 0);
	setvbuf(stdin, NULL, _IONBF, 0);
	files_open(argv[1]);
	device = open("/dev/fuse", O_RDWR | O_CLOEXEC | O_NONBLOCK);
	snprintf(options, sizeof(options), "fd=%d,rootmode=40000,user_id=%s,group_id=%s%s", device,
		 argc == 4 ? argv[3] : "0", argc == 4 ? argv[3] : "0",
		 argc == 4 ? "" : ",allow_other");
	if (device < 0 ||
	    mount("absent_server", argv[2], "fuse.absent_server", MS_NOSUID | MS_NODEV, options)) {
		perror("absent_server");
		return 77;
	}
	puts("mounted");
	wanted[1].fd = device;
	for (;;) {
		poll(wanted, stopped ? 1 : 2, -1);
		if (wanted[0].revents)
			command_take();
		if (!stopped && wanted[1].revents)
			request_take();
	}
}
