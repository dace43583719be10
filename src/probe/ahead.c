/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Follows a command line word by word, as the programs in it would. It need not be perfect: a
 * library found by mistake gets a probe that never fires, and one that is missed is found when a
 * program maps it.
 */
#include "probe/ahead.h"

#include <glob.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "probe/closure.h"
#include "probe/rooted_open.h"
#include "util/util.h"

#define DEPTH_MAX    12          /* programs that start programs */
#define WORDS_MAX    64          /* of a line looked at */
#define TEXT_MAX     (64u << 10) /* bytes of a script */
#define LINE_MAX_LEN 512         /* of "#!" */

/* NCCL and NVSHMEM have a runtime inside. */
static const char *const cuda_files[] = { "libcudart*.so*", "libcuda.so*", "libnccl.so*",
					  "libnvshmem_host.so*" };

struct ahead {
	void (*visit)(void *context, const char *path);
	void *context;
	unsigned int programs, globbed;
	const char *library_path; /* whose folders were looked through last; NULL: none's */
};

static void follow(struct ahead *ahead, char *const *words, struct ahead_start start,
		   unsigned int depth);

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* ---- programs that start the program in their last words ---- */

static const struct starter {
	const char *name;
	/* Letters of options that take a value in a word of their own */
	const char *with_value;
	const char *long_with_value; /* " --name " for each such */
	unsigned int words;          /* how many words come before the program */
} starters[] = {
	{ "chrt", "TPD", " --sched-runtime --sched-period --sched-deadline ", 1 },
	{ "ionice", "cn", " --class --classdata ", 0 },
	{ "nice", "n", " --adjustment ", 0 },
	{ "nohup", "", "", 0 },
	{ "numactl", "iNCmpPw", " --interleave --cpunodebind --physcpubind --membind --preferred ",
	  0 },
	{ "setsid", "", "", 0 },
	{ "stdbuf", "ioe", " --input --output --error ", 0 },
	{ "taskset", "", "", 1 },
	{ "time", "fo", " --format --output ", 0 },
	{ "timeout", "ks", " --kill-after --signal ", 1 },
};

/* The first of @words that is neither an option nor an option's value. */
static char *const *options_skip(char *const *words, const char *with_value,
				 const char *long_with_value)
{
	char name[64];

	for (; *words && (*words)[0] == '-' && (*words)[1]; words++) {
		const char *word = *words;
		bool takes;

		if (!strcmp(word, "--"))
			return words + 1;
		if (word[1] == '-') {
			snprintf(name, sizeof(name), " %s ", word);
			takes = strstr(long_with_value, name) != NULL;
		} else {
			/* The value may stand in the same word: -n5. */
			takes = strchr(with_value, word[strlen(word) - 1]) &&
				strcspn(word, with_value) == strlen(word) - 1;
		}
		if (takes && words[1])
			words++;
	}
	return words;
}

static void follow_starter(struct ahead *ahead, const struct starter *starter, char *const *words,
			   const struct ahead_start *start, unsigned int depth)
{
	unsigned int skip = starter->words;

	words = options_skip(words + 1, starter->with_value, starter->long_with_value);
	while (skip && *words) {
		words++;
		skip--;
	}
	follow(ahead, words, *start, depth);
}

/*
 * Sets the variable that @word ("NAME=VALUE") assigns, if it is one of @start's. @len: the length
 * of NAME; @value NULL: unset.
 */
static void variable_set(struct ahead_start *start, const char *name, size_t len, const char *value)
{
	const struct {
		const char *name;
		const char **value;
	} variables[] = {
		{ "PATH", &start->path },          { "LD_LIBRARY_PATH", &start->library_path },
		{ "LD_PRELOAD", &start->preload }, { "PYTHONPATH", &start->python_path },
		{ "HOME", &start->home },
	};
	size_t i;

	for (i = 0; i < ARRAY_LEN(variables); i++)
		if (strlen(variables[i].name) == len && !strncmp(variables[i].name, name, len))
			*variables[i].value = value;
}

/* True if @word is NAME=VALUE, which was set. */
static bool assignment_take(struct ahead_start *start, const char *word)
{
	size_t len = strcspn(word, "=");

	if (!len || !word[len])
		return false;
	variable_set(start, word, len, word + len + 1);
	return true;
}

static size_t words_split(char *text, char *words[WORDS_MAX + 1])
{
	char *rest = NULL, *word;
	size_t count = 0;

	for (word = strtok_r(text, " \t", &rest); word && count < WORDS_MAX;
	     word = strtok_r(NULL, " \t", &rest))
		words[count++] = word;
	words[count] = NULL;
	return count;
}

static void follow_env(struct ahead *ahead, char *const *words, struct ahead_start start,
		       unsigned int depth)
{
	const struct ahead_start nothing = { .root = start.root };
	char text[LINE_MAX_LEN], *split[WORDS_MAX + 1];
	const char *value;

	for (words++; *words && (*words)[0] == '-'; words++) {
		const char *word = *words;

		if (!strcmp(word, "-") || !strcmp(word, "-i") ||
		    !strcmp(word, "--ignore-environment")) {
			start = nothing;
		} else if (!strncmp(word, "-u", 2) || !strncmp(word, "--unset", 7)) {
			value = word[1] == 'u' ? word + 2 : word[7] == '=' ? word + 8 : "";
			if (!*value && !(value = *++words))
				return;
			variable_set(&start, value, strlen(value), NULL);
		} else if (!strncmp(word, "-S", 2) || !strncmp(word, "--split-string", 14)) {
			value = word[1] == 'S' ? word + 2 : word[14] == '=' ? word + 15 : "";
			if (!*value && !(value = *++words))
				return;
			/*
			 * What follows are the program's words, most often a script that only a
			 * shell or Python can read.
			 */
			snprintf(text, sizeof(text), "%s", value);
			for (size_t count = words_split(text, split), i = 1;
			     words[i] && count < WORDS_MAX; i++) {
				split[count++] = words[i];
				split[count] = NULL;
			}
			for (words = split; *words && assignment_take(&start, *words); words++)
				;
			follow(ahead, words, start, depth);
			return;
		} else if (!strcmp(word, "-C") || !strcmp(word, "--chdir")) {
			if (!*++words)
				return;
		} else if (!strcmp(word, "--")) {
			words++;
			break;
		}
	}
	while (*words && assignment_take(&start, *words))
		words++;
	follow(ahead, words, start, depth);
}

static void follow_chroot(struct ahead *ahead, char *const *words, struct ahead_start start,
			  unsigned int depth)
{
	char root[4096];

	words = options_skip(words + 1, "", " --userspec --groups ");
	/*
	 * A relative path within another is not followed: the first one's folder would have to be
	 * put before the second's.
	 */
	if (!*words || start.root || !realpath(*words, root))
		return;
	start.root = root;
	follow(ahead, words + 1, start, depth);
}

/* ---- shells ---- */

static bool is_shell(const char *name)
{
	static const char *const shells[] = { "sh", "bash", "dash", "ksh", "zsh", "ash" };
	size_t i;

	for (i = 0; i < ARRAY_LEN(shells); i++)
		if (!strcmp(name, shells[i]))
			return true;
	return false;
}

static bool is_keyword(const char *word)
{
	static const char *const keywords[] = {
		"if",    "then", "elif", "else", "do",      "while",
		"until", "!",    "{",    "exec", "command", "time",
	};
	size_t i;

	for (i = 0; i < ARRAY_LEN(keywords); i++)
		if (!strcmp(word, keywords[i]))
			return true;
	return false;
}

struct shell_text {
	const char *at;
	char *words; /* where the next word is put */
};

/*
 * The next word, without its quotes; NULL where a command ends. The values of variables are
 * unknown: such a word stays as it is, and no file has that name.
 */
static char *shell_word(struct shell_text *text)
{
	char *word = text->words, quote = 0;
	const char *at;

	for (at = text->at + strspn(text->at, " \t"); !strncmp(at, "\\\n", 2);
	     at += 2 + strspn(at + 2, " \t"))
		;
	text->at = at;
	if (!*at || *at == '#' || strchr("\n;&|()<>`", *at))
		return NULL;
	for (; *at && (quote || !strchr(" \t\n;&|()<>`", *at)); at++) {
		if (*at == '\\' && quote != '\'' && at[1]) {
			if (*++at != '\n')
				*text->words++ = *at;
		} else if (quote ? *at == quote : (*at == '\'' || *at == '"')) {
			quote = quote ? 0 : *at;
		} else {
			*text->words++ = *at;
		}
	}
	*text->words++ = 0;
	text->at = at;
	return word;
}

/* Goes to where the next command begins. */
static void shell_end(struct shell_text *text)
{
	if (*text->at == '#')
		text->at += strcspn(text->at, "\n");
	/* A redirection ends a command's words, too: its file is read or written, not run. */
	if (*text->at == '<' || *text->at == '>')
		text->at += strcspn(text->at, "\n;|");
	text->at += strspn(text->at, " \t\n;&|()`");
}

/*
 * Each command in the text of a script, or of sh -c, one by one. Variables that a command sets
 * count for those after it.
 */
static void follow_text(struct ahead *ahead, const char *commands, struct ahead_start start,
			unsigned int depth)
{
	char *room = malloc(2 * strlen(commands) + 2), *words[WORDS_MAX + 1], *word;
	struct shell_text text = { .at = commands, .words = room };
	struct ahead_start one;
	size_t count, i;

	shell_end(&text);
	while (room && *text.at && ahead->programs < AHEAD_PROGRAMS_MAX) {
		for (count = 0; (word = shell_word(&text));)
			if (count < WORDS_MAX)
				words[count++] = word;
		words[count] = NULL;
		shell_end(&text);
		for (i = 0; words[i] && (is_keyword(words[i]) || !strcmp(words[i], "export")); i++)
			;
		for (one = start; words[i] && assignment_take(&one, words[i]); i++)
			;
		if (words[i])
			follow(ahead, words + i, one, depth);
		else /* of the shell's own environment */
			start = one;
	}
	free(room);
}

static void follow_shell(struct ahead *ahead, char *const *words, const struct ahead_start *start,
			 unsigned int depth)
{
	char *text;

	for (words++; *words && ((*words)[0] == '-' || (*words)[0] == '+'); words++) {
		const char *word = *words;

		if (!strcmp(word, "-o") || !strcmp(word, "+o") || !strcmp(word, "-O")) {
			if (!*++words)
				return;
		} else if (word[0] == '-' && word[1] != '-' && strchr(word, 'c')) {
			if (words[1])
				follow_text(ahead, words[1], *start, depth);
			return;
		}
	}
	if (!*words)
		return;
	text = root_file_read(start->root, *words, TEXT_MAX);
	if (text && memcmp(text, "\177ELF", 4))
		follow_text(ahead, text, *start, depth);
	free(text);
}

/* ---- folders ---- */

static void glob_visit(struct ahead *ahead, const char *root, const char *pattern)
{
	char path[4096];
	glob_t found;
	size_t i;

	if (snprintf(path, sizeof(path), "%s%s", root ? root : "", pattern) >= (int)sizeof(path) ||
	    glob(path, GLOB_NOSORT, NULL, &found))
		return;
	for (i = 0; i < found.gl_pathc && ahead->globbed < AHEAD_GLOBBED_MAX; i++, ahead->globbed++)
		ahead->visit(ahead->context, found.gl_pathv[i]);
	globfree(&found);
}

/*
 * CUDA's libraries in the folders of LD_LIBRARY_PATH, which a program may load although none needs
 * them: by dlopen(3), or ctypes.
 */
static void library_path_visit(struct ahead *ahead, const struct ahead_start *start)
{
	const char *list = start->library_path;
	char path[4096];
	size_t i, len;

	if (list == ahead->library_path)
		return;
	ahead->library_path = list;
	for (; list && *list; list += len + (list[len] == ':')) {
		len = strcspn(list, ":");
		for (i = 0; len && i < ARRAY_LEN(cuda_files); i++)
			if (snprintf(path, sizeof(path), "%.*s/%s", (int)len, list, cuda_files[i]) <
			    (int)sizeof(path))
				glob_visit(ahead, start->root, path);
	}
}

/* ---- Python ---- */

static bool is_python(const char *name)
{
	return !strncmp(name, "python", strlen("python")) &&
	       !name[strlen("python") + strspn(name + strlen("python"), "0123456789.")];
}

/*
 * Where Python wheels keep these files in a folder of sys.path: NVIDIA's, PyTorch's and other wheels,
 * and libraries that auditwheel put in.
 */
static void packages_visit(struct ahead *ahead, const char *root, const char *folder)
{
	static const char *const places[] = { "nvidia/*/lib", "torch/lib", "*.libs", "*/lib",
					      "*/.data/lib",  "*",         "." };
	char pattern[4096];
	size_t i, j;

	for (i = 0; i < ARRAY_LEN(places); i++)
		for (j = 0; j < ARRAY_LEN(cuda_files); j++)
			if (snprintf(pattern, sizeof(pattern), "%s/%s/%s", folder, places[i],
				     cuda_files[j]) < (int)sizeof(pattern))
				glob_visit(ahead, root, pattern);
}

/* Visits the package folders below @prefix, in the layouts of Python itself and of Debian. */
static void prefix_visit(struct ahead *ahead, const char *root, const char *prefix)
{
	static const char *const folders[] = { "lib/python3*/site-packages",
					       "lib64/python3*/site-packages",
					       "local/lib/python3*/dist-packages",
					       "lib/python3*/dist-packages" };
	char path[4096];
	size_t i;

	for (i = 0; i < ARRAY_LEN(folders); i++)
		if (snprintf(path, sizeof(path), "%s/%s", prefix, folders[i]) < (int)sizeof(path))
			packages_visit(ahead, root, path);
	/* conda's */
	if (snprintf(path, sizeof(path), "%s/lib/libcudart*.so*", prefix) < (int)sizeof(path))
		glob_visit(ahead, root, path);
}

/*
 * @program is tried both as it is called and as the file it leads to: in a virtual environment it
 * is a link, and the folder of the link counts.
 */
static void follow_python(struct ahead *ahead, const char *program, const char *real,
			  const struct ahead_start *start)
{
	const char *const names[] = { program, real };
	char path[4096], *slash;
	const char *list;
	size_t i, len;

	for (i = 0; i < ARRAY_LEN(names); i++) {
		if (i && !strcmp(program, real))
			break;
		snprintf(path, sizeof(path), "%s", names[i]);
		slash = strrchr(path, '/');
		if (slash)
			*slash = 0;
		slash = strrchr(path, '/');
		if (!slash)
			continue;
		*slash = 0;
		prefix_visit(ahead, start->root, path);
	}
	for (list = start->python_path; list && *list; list += len + (list[len] == ':')) {
		len = strcspn(list, ":");
		snprintf(path, sizeof(path), "%.*s", (int)len, list);
		if (len)
			packages_visit(ahead, start->root, path);
	}
	if (start->home &&
	    snprintf(path, sizeof(path), "%s/.local", start->home) < (int)sizeof(path))
		prefix_visit(ahead, start->root, path);
}

/* ---- a command ---- */

/* Finds @name as its process will. Returns false if it is not found. */
static bool program_find(const char *name, const struct ahead_start *start, char path[4096])
{
	const char *list = start->path ? start->path : "/usr/local/bin:/usr/bin:/bin";
	size_t len;

	if (strchr(name, '/'))
		return snprintf(path, 4096, "%s", name) < 4096 && root_has(start->root, path, X_OK);
	for (;; list += len + 1) {
		len = strcspn(list, ":");
		if (snprintf(path, 4096, "%.*s%s%s", (int)len, list, len ? "/" : "./", name) <
			    4096 &&
		    root_has(start->root, path, X_OK))
			return true;
		if (!list[len])
			return false;
	}
}

/*
 * Follows "#!interpreter [argument]" of the script at @path, which has the rest of @words as its
 * arguments.
 */
static void follow_script(struct ahead *ahead, char *path, char *const *words,
			  const struct ahead_start *start, unsigned int depth)
{
	char *line = root_file_read(start->root, path, LINE_MAX_LEN), *interpreter[WORDS_MAX + 1],
	     *argument;
	size_t count = 0;

	if (!line || line[0] != '#' || line[1] != '!')
		goto out;
	line[strcspn(line, "\n")] = 0;
	interpreter[count] = line + 2 + strspn(line + 2, " \t");
	if (!*interpreter[count])
		goto out;
	/* What follows the interpreter's name is one word. */
	argument = interpreter[count++] + strcspn(interpreter[0], " \t");
	if (*argument) {
		*argument++ = 0;
		argument += strspn(argument, " \t");
		for (size_t len = strlen(argument); len && strchr(" \t", argument[len - 1]);
		     argument[--len] = 0)
			;
		if (*argument)
			interpreter[count++] = argument;
	}
	interpreter[count++] = path;
	for (words++; *words && count < WORDS_MAX; words++)
		interpreter[count++] = *words;
	interpreter[count] = NULL;
	/* A script that names itself as its interpreter runs nothing. */
	if (strcmp(interpreter[0], path))
		follow(ahead, interpreter, *start, depth);
out:
	free(line);
}

static void follow(struct ahead *ahead, char *const *words, struct ahead_start start,
		   unsigned int depth)
{
	const struct closure_settings settings = { .root = start.root,
						   .library_path = start.library_path,
						   .preload = start.preload };
	char path[4096], real[4096];
	const char *name;
	size_t i;

	if (!*words || depth == DEPTH_MAX || ahead->programs == AHEAD_PROGRAMS_MAX ||
	    !program_find(*words, &start, path))
		return;
	ahead->programs++;
	closure_visit(path, &settings, ahead->visit, ahead->context);
	library_path_visit(ahead, &start);
	name = base_of(path);
	for (i = 0; i < ARRAY_LEN(starters); i++)
		if (!strcmp(starters[i].name, name))
			follow_starter(ahead, &starters[i], words, &start, depth + 1);
	if (!strcmp(name, "env"))
		follow_env(ahead, words, start, depth + 1);
	else if (!strcmp(name, "chroot"))
		follow_chroot(ahead, words, start, depth + 1);
	else if (is_shell(name))
		follow_shell(ahead, words, &start, depth + 1);
	else if (is_python(name) && root_realpath(start.root, path, real))
		follow_python(ahead, path, start.root ? real + strlen(start.root) : real, &start);
	/* Each of them may be a script of that name. */
	follow_script(ahead, path, words, &start, depth + 1);
}

void ahead_visit(char *const *words, const struct ahead_start *start,
		 void (*visit)(void *context, const char *path), void *context)
{
	struct ahead ahead = { .visit = visit, .context = context };

	follow(&ahead, words, *start, 0);
}
