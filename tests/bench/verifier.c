/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the kernel's verifier has to do for each BPF program, as it says itself
 * (log level 4): instructions walked through, of a million that it allows, states
 * kept, and its time; and how large the program becomes.
 *
 *   verifier [-l LIMIT] [-t LIMIT] [-s] [-f] [-w] [METHOD]
 *
 * METHOD is session, multi or perf; default the best that this kernel has. With -f programs are
 * loaded as with all options that add to them: trace with pairs and arguments, whole stacks, exact
 * launches, filters. -w: as by default, and with sites of launches and waits.
 * -l: exit status 1 if a program makes the verifier walk through more than LIMIT instructions. -t:
 * the same if all of them together do. -s: the same if a program that probes could be given another
 * stack than the task's, or if this kernel gives one to programs like ours.
 */
#include <bpf/bpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "own_stack.h"
#include "probe/bpf.h"

#define PROGRAMS_MAX 64
#define LOG_SIZE     (1 << 22)

struct answer {
	const struct bpf_program *program;
	char log[LOG_SIZE];
};

/* The number after @word in @log; 0 if there is none. */
static unsigned long number_after(const char *log, const char *word)
{
	const char *at = strstr(log, word);

	return at ? strtoul(at + strlen(word), NULL, 10) : 0;
}

static void settings_set(struct bpf_settings *settings, bool full, bool sites)
{
	memset(settings, 0, sizeof(*settings));
	settings->layers = 1u << LAYER_RUNTIME | 1u << LAYER_DRIVER;
	settings->only_uid = (uint32_t)-1;
	settings->ring_bytes = 1 << 20;
	settings->stacks_by_rows = settings->python = settings->allocators = true;
	settings->launch_sites = full || sites;
	if (!full)
		return;
	settings->exact_launches = settings->stacks = settings->extras = true;
	settings->only_listed = settings->follow_children = true;
	settings->only_uid = 1;
	settings->trace = (struct trace_settings){
		.on = true, .groups = ~0u, .pairs = true, .arguments = true
	};
}

/* The last words on the program that was refused: the last one with any. */
static void refusal_print(const struct answer *answers, unsigned int count)
{
	const char *log;
	size_t len;

	while (count && !answers[count - 1].log[0])
		count--;
	if (!count)
		return;
	log = answers[count - 1].log;
	len = strlen(log);
	fprintf(stderr, "%s\n", log + (len > 2000 ? len - 2000 : 0));
}

/*
 * Asks for a log of each program that will be loaded: the verifier's figures, or
 * with @whole every step, of which those stay that fit. Returns how many programs those are.
 */
static unsigned int logs_ask(struct bpf *bpf, struct answer *answers, bool whole)
{
	struct bpf_program *program;
	unsigned int count = 0;

	bpf_object__for_each_program(program, bpf->skeleton->obj) {
		if (!bpf_program__autoload(program) || count == PROGRAMS_MAX)
			continue;
		answers[count].program = program;
		/* BPF_LOG_LEVEL1, BPF_LOG_STATS, linux/bpf_verifier.h */
		bpf_program__set_log_level(program, whole ? 1 : 4);
		bpf_program__set_log_buf(program, answers[count].log, LOG_SIZE);
		count++;
	}
	return count;
}

struct most {
	unsigned long walked; /* instructions */
	unsigned long total;  /* instructions, of all programs */
};

/* Prints a line a program, and the sum. Returns the most of one, and the sum. */
static struct most table_print(const struct answer *answers, unsigned int count)
{
	struct most most = { 0 };
	unsigned long walked_sum = 0, states_sum = 0, time_sum = 0, jited_sum = 0;
	unsigned int i;

	printf("%-16s %7s %10s %8s %8s %8s %6s\n", "program", "insns", "processed", "states", "ms",
	       "jited", "stack");
	for (i = 0; i < count; i++) {
		unsigned long walked = number_after(answers[i].log, "processed ");
		unsigned long states = number_after(answers[i].log, "total_states ");
		unsigned long time = number_after(answers[i].log, "verification time ");
		unsigned long stack = number_after(answers[i].log, "stack depth ");
		struct bpf_prog_info info = { 0 };
		__u32 size = sizeof(info);

		if (bpf_obj_get_info_by_fd(bpf_program__fd(answers[i].program), &info, &size))
			memset(&info, 0, sizeof(info));
		printf("%-16s %7zu %10lu %8lu %8.1f %8u %6lu\n",
		       bpf_program__name(answers[i].program),
		       bpf_program__insn_cnt(answers[i].program), walked, states,
		       (double)time / 1000, info.jited_prog_len, stack);
		if (walked > most.walked)
			most.walked = walked;
		walked_sum += walked;
		states_sum += states;
		time_sum += time;
		jited_sum += info.jited_prog_len;
	}
	printf("%-16s %7s %10lu %8lu %8.1f %8lu\n", "sum", "", walked_sum, states_sum,
	       (double)time_sum / 1000, jited_sum);
	most.total = walked_sum;
	return most;
}

static bool may_call_another(const struct bpf_program *program)
{
	const struct bpf_insn *code = bpf_program__insns(program);
	size_t i;

	for (i = 0; i < bpf_program__insn_cnt(program); i++)
		if (code[i].code == (BPF_JMP | BPF_CALL) && !code[i].src_reg &&
		    code[i].imm == BPF_FUNC_tail_call)
			return true;
	return false;
}

/* True if the programs that probe keep the task's stack (bpf/cutop.bpf.c). */
static bool stacks_are_kept(const struct answer *answers, unsigned int count)
{
	bool differs;
	unsigned int i;

	for (i = 0; i < count; i++) {
		const struct bpf_program *program = answers[i].program;

		if (!strncmp(bpf_program__section_name(program), "uprobe", 6) &&
		    !may_call_another(program)) {
			fprintf(stderr, "verifier: %s has no tail call\n",
				bpf_program__name(program));
			return false;
		}
	}
	if (!own_stack_is_kept(&differs)) {
		fprintf(stderr, "verifier: programs are given another stack than the task's\n");
		return false;
	}
	printf("programs use the task's stack%s\n",
	       differs ? ", because they may call another" : "");
	return true;
}

int main(int argc, char **argv)
{
	struct kernel_features features;
	struct bpf_settings settings;
	unsigned long limit = 0, total_limit = 0;
	struct answer *answers;
	struct most most;
	struct reason why;
	unsigned int count;
	uint64_t began;
	bool full = false, sites = false, whole = false, stacks = false;
	struct bpf bpf;
	int option;

	while ((option = getopt(argc, argv, "fl:st:vw")) != -1) {
		if (option == 'f')
			full = true;
		else if (option == 'w')
			sites = true;
		else if (option == 'v')
			whole = true;
		else if (option == 'l')
			limit = strtoul(optarg, NULL, 10);
		else if (option == 't')
			total_limit = strtoul(optarg, NULL, 10);
		else if (option == 's')
			stacks = true;
		else
			return 2;
	}
	settings_set(&settings, full, sites);
	answers = calloc(PROGRAMS_MAX, sizeof(*answers));
	if (!answers || kernel_features_read(&features, argv[optind], &why)) {
		fprintf(stderr, "verifier: %s\n", answers ? why.text : "no memory");
		free(answers);
		return 77;
	}
	if (bpf_prepare(&bpf, &features, &settings, &why)) {
		fprintf(stderr, "verifier: %s\n", why.text);
		free(answers);
		return 1;
	}
	count = logs_ask(&bpf, answers, whole);
	began = clock_ns(CLOCK_MONOTONIC);
	if (bpf_load(&bpf, &why)) {
		fprintf(stderr, "verifier: %s\n", why.text);
		refusal_print(answers, count);
		free(answers);
		return 1;
	}
	printf("Linux %s, %s links%s: %u programs, loaded in %.0f ms\n", features.release,
	       attach_method_names[features.method], full ? ", with every option" : "", count,
	       (double)(clock_ns(CLOCK_MONOTONIC) - began) / 1e6);
	most = table_print(answers, count);
	stacks = !stacks || stacks_are_kept(answers, count);
	bpf_close(&bpf);
	free(answers);
	if (!stacks)
		return 1;
	if (total_limit && (!most.total || most.total > total_limit)) {
		fprintf(stderr, "verifier: %lu instructions walked through, more than %lu\n",
			most.total, total_limit);
		return 1;
	}
	if (!limit || (most.walked && most.walked <= limit))
		return 0;
	fprintf(stderr, "verifier: %lu instructions walked through in one program, more than %lu\n",
		most.walked, limit);
	return 1;
}
