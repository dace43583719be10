# SPDX-License-Identifier: GPL-2.0-or-later
# bash completion for cutop
_cutop()
{
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} i
	for ((i = 1; i < COMP_CWORD; i++)); do
		if [[ ${COMP_WORDS[i]} == -- ]]; then
			COMPREPLY=($(compgen -c -f -- "$cur"))
			return
		fi
	done
	if ((COMP_CWORD == 1)) && [[ $cur != -* ]]; then
		COMPREPLY=($(compgen -W 'demo doctor record trace' -- "$cur"))
		return
	fi
	case $prev in
	-f | --format) COMPREPLY=($(compgen -W 'text json csv folded openmetrics prometheus chrome' -- "$cur")) ;;
	--folded-by) COMPREPLY=($(compgen -W 'live leaked suspect held allocated launches' -- "$cur")) ;;
	-l | --layer) COMPREPLY=($(compgen -W 'runtime driver both' -- "$cur")) ;;
	-C | --color) COMPREPLY=($(compgen -W 'auto always never' -- "$cur")) ;;
	-u | --user | --run-as) COMPREPLY=($(compgen -u -- "$cur")) ;;
	-s | --sort) COMPREPLY=($(compgen -W "help $(cutop --sort help 2>/dev/null | cut -d' ' -f1)" -- "$cur")) ;;
	--calls) COMPREPLY=($(compgen -W "help $(cutop --calls help 2>/dev/null | cut -d' ' -f1)" -- "$cur")) ;;
	--map) COMPREPLY=($(compgen -W 'all none' -- "$cur")) ;;
	-o | --output | --replay | --library) COMPREPLY=($(compgen -f -- "$cur")) ;;
	-p | --pid) COMPREPLY=($(compgen -W "$(cd /proc && echo [0-9]*)" -- "$cur")) ;;
	*) COMPREPLY=($(compgen -W '--batch --iterations --delay --duration --format --folded-by --output --listen --top-kernels --replay --trace --pid --user --command --sort --reverse --layer --calls --exact-launches --stacks --leak-age --leak-ignore --fail-on-leak --allow-no-cuda --map --run-as --library --probe --ring-size --no-time --entries --pairs --args --color --ascii --theme --no-mouse --readonly --no-config --config --verbose --help --version' -- "$cur")) ;;
	esac
}
complete -F _cutop cutop
