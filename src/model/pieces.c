/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/pieces.h"

void pieces_begin(struct pieces *pieces, struct program *program)
{
	*pieces = (struct pieces){ program, book_lowest(&program->ledger.book),
				   mappings_lowest(&program->mappings) };
}

bool pieces_next(struct pieces *pieces, struct piece *piece)
{
	if (pieces->mapping) {
		*piece = (struct piece){
			pieces->mapping->address,
			pieces->mapping->bytes,
			book_handle(&pieces->program->ledger.book, pieces->mapping->handle),
			true,
		};
		if (!pieces->node || piece->address < pieces->node->address) {
			pieces->mapping = mappings_higher(pieces->mapping);
			return true;
		}
	}
	if (!pieces->node)
		return false;
	*piece = (struct piece){ pieces->node->address, pieces->node->bytes, pieces->node, false };
	pieces->node = book_higher(pieces->node);
	return true;
}
