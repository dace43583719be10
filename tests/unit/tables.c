/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Prints the tables that the manual, --help and the completions are held to, a line per entry, its
 * fields between tabs: what it is, its name, and what is said of it. test_docs.sh and
 * test_completion.sh read them.
 */
#include <stdio.h>

#include "model/columns.h"
#include "model/findings.h"
#include "print/print.h"
#include "view/keys.h"
#include "view/list.h"
#include "view/theme.h"

static const char *text(const char *may_be_null)
{
	return may_be_null ? may_be_null : "";
}

int main(void)
{
	const char *name, *when, *why;
	char help[128];
	size_t i;

	for (i = 0; i < binding_count; i++)
		printf("key\t%s\t%s\n", bindings[i].label,
		       binding_help(&bindings[i], help, sizeof(help)));
	for (i = 0; i < PANE_COUNT; i++)
		printf("pane\t%s\t%s\n", panes[i]->title, panes[i]->help);
	for (i = 0; i < PANE_COUNT; i++)
		for (size_t column = 0; column < panes[i]->column_count; column++)
			if (!panes[i]->columns[column].is_bar)
				printf("pane-column\t%s\t%s\t%s\n", panes[i]->title,
				       column_title(panes[i], &panes[i]->columns[column]),
				       text(panes[i]->columns[column].help));
	for (i = 0; i < column_count; i++)
		printf("column\t%s\t%s\t%s\t%s\n", columns[i].name, columns[i].help,
		       text(columns[i].json), text(columns[i].metric.name));
	for (i = 0; findings_rule(i, &name, &when, &why); i++)
		printf("finding\t%s\t%s\t%s\n", name, when, why);
	for (i = 0; i < FORMAT_COUNT; i++)
		printf("format\t%s\n", format_names[i]);
	for (i = 0; i < FOLDED_WEIGHT_COUNT; i++)
		printf("folded-by\t%s\n", folded_weight_names[i]);
	for (i = 0; i < theme_count; i++)
		printf("theme\t%s\n", themes[i].name);
	return 0;
}
