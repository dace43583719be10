/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/internal.h"
void suspect_change(struct model *model, struct site *site, uint64_t time) { (void)model; (void)site; (void)time; }
uint64_t suspect_bytes(struct model *model, struct site *site, uint64_t now) { (void)model; (void)site; (void)now; return 0; }
void suspect_free(struct site *site) { (void)site; }
