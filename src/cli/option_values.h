/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Values of options. Each function returns 0, or -EINVAL after telling the user what is wrong with
 * the value.
 */
#ifndef CLI_OPTION_VALUES_H
#define CLI_OPTION_VALUES_H

#include "cutop_calls.h"
#include "cli/options.h"

#define GROUPS_ALL     ((1u << GROUP_COUNT) - 1)
#define GROUPS_DEFAULT (GROUPS_ALL & ~(1u << GROUP_QUERY))
/* Without these the accounts would be wrong or without names: they are always probed. */
#define GROUPS_NEEDED (1u << GROUP_NAME | 1u << GROUP_DEVICE | 1u << GROUP_MEMORY)

/*
 * What a trace prints by default: every call that the program makes, including queries, but not
 * registrations of kernels: the compiler puts those before main(), by the thousand.
 */
#define GROUPS_TRACED (GROUPS_ALL & ~(1u << GROUP_NAME))

#define LAYERS_ALL ((1u << LAYER_COUNT) - 1)

/* Prints the message, and where to find help. Returns -EINVAL. */
int __attribute__((format(printf, 1, 2))) usage_error(const char *format, ...);

/* @name is the option's, for the message. */
int parse_count(const char *name, const char *text, uint64_t min, uint64_t max, uint64_t *value);
int parse_seconds(const char *name, const char *text, double min, uint64_t *ns);
int parse_bytes(const char *name, const char *text, uint64_t *bytes);
int parse_user(const char *name, const char *text, uint32_t *uid);

/* Returns the index of @text in @choices, or -EINVAL. */
int parse_choice(const char *name, const char *text, const char *const *choices, size_t count);

/* These fill their part of @options. Lists are split in place. */
int parse_pids(struct options *options, const char *text);
int parse_groups(struct options *options, const char *text);
int parse_layer(struct options *options, const char *text);
int parse_ring(struct options *options, const char *text);
int parse_names_memory(struct options *options, const char *text);
int parse_probe(struct options *options, const char *text);
int parse_listen(struct options *options, const char *text);
int parse_map(struct options *options, const char *text);

/* Print the possible values. */
void columns_help(void);
void calls_help(void);

#endif
