/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the workloads share.  A workload is a function named in workload.c's
 * table; it makes an exact, documented set of CUDA calls and prints nothing
 * unless -v is given or printing is its purpose.
 */
#ifndef WORKLOAD_H
#define WORKLOAD_H

#include <stdbool.h>
#include "cuda_double.h"

enum launch_way { LAUNCH_DIRECT, LAUNCH_HANDLE, LAUNCH_EXC };

struct options {
	int argc;
	char **argv; /* what follows the subcommand */
	bool verbose, keep;
	enum launch_way way;
	const char *program;
};

extern struct options options;

/* kernels.c: stubs as nvcc would emit them, by the demangled name */
enum kernel_id {
	VECTOR_ADD,
	SAXPY,
	REDUCE,
	SOFTMAX,
	FILL_FLOAT,
	FILL_DOUBLE,
	ADD,
	GEMM_LARGE,
	GEMM_SMALL,
	NUM_KERNELS
};
const void *kernel_stub(enum kernel_id id);
void prepare(enum kernel_id id);
cudaError_t launch(enum kernel_id id, unsigned int grid, unsigned int block, cudaStream_t stream);
extern float coefficients[256]; /* a __constant__ variable's shadow */

long number(int index, long otherwise);
void must(cudaError_t err, const char *what);
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
double seconds_now(void);
void pause_us(long us);

int case_study(void);
int pairs(void);
int launches(void);
int copies(void);
int arrays(void);
int threads(void);
int kinds(void);
int failures(void);
int double_free(void);
int unknown_free(void);
int reset(void);
int fork_child(void);
int ipc(void);
int ipc_other(void);
int exec_again(void);
int short_run(void);
int hang(void);
int sync_waits(void);
int nested(void);
int driver_launch(void);
int loop(void);
int trainer(void);
int leaker(void);
int network(void);
int server(void);
int copier(void);
int failing(void);
int demo(void);
int stress_launch(void);
int exhaust(void);
int hold(void);
int fill(void);
int graphs(void);
int broken(void);
int contexts(void);
int pageable(void);
int calls(void);
int churn(void);
int brief(void);
int spawn(void);
int crowd(void);

#define MUST(call) must((call), #call)

#endif /* WORKLOAD_H */
