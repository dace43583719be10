# SPDX-License-Identifier: GPL-2.0-or-later
# bash completion for cutop

# _cutop_list WORDS: of a list with commas the last is completed, and none that stands in it already is proposed.
_cutop_list()
{
	local done= word words=
	[[ $cur == *,* ]] && done=${cur%,*},
	for word in $1; do
		[[ ,$done == *,$word,* ]] || words+=" $word"
	done
	COMPREPLY=($(compgen -P "$done" -W "$words" -- "${cur##*,}"))
	compopt -o nospace 2>/dev/null
}

_cutop()
{
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} i
	for ((i = 1; i < COMP_CWORD; i++)); do
		if [[ ${COMP_WORDS[i]} == -- ]]; then
			# Behind -- stands a command, with whatever completes its own words.
			if declare -F _command_offset >/dev/null; then
				_command_offset $((i + 1))
			elif ((i + 1 == COMP_CWORD)); then
				COMPREPLY=($(compgen -c -- "$cur"))
				compopt -o filenames 2>/dev/null
			else
				COMPREPLY=($(compgen -f -- "$cur"))
				compopt -o filenames 2>/dev/null
			fi
			return
		fi
	done
	# --option=value comes as three words.
	if [[ $cur == = ]]; then
		cur=
	elif [[ $prev == = ]]; then
		prev=${COMP_WORDS[COMP_CWORD - 2]}
	fi
	if ((COMP_CWORD == 1)) && [[ $cur != -* ]]; then
		COMPREPLY=($(compgen -W 'demo doctor record trace' -- "$cur"))
		return
	fi
	case $prev in
	-f | --format) COMPREPLY=($(compgen -W 'text json csv folded openmetrics prometheus chrome' -- "$cur")) ;;
	--folded-by) COMPREPLY=($(compgen -W 'live leaked suspect held allocated tensors rising launches wait' -- "$cur")) ;;
	-l | --layer) COMPREPLY=($(compgen -W 'runtime driver both' -- "$cur")) ;;
	-C | --color | --returns) COMPREPLY=($(compgen -W 'auto always never' -- "$cur")) ;;
	--tensor-sites) COMPREPLY=($(compgen -W 'sample all' -- "$cur")) ;;
	--theme) COMPREPLY=($(compgen -W 'default mono colorblind light' -- "$cur")) ;;
	-u | --user | --run-as) COMPREPLY=($(compgen -u -- "$cur")) ;;
	-s | --sort) _cutop_list "help $(cutop --sort help 2>/dev/null | cut -d' ' -f1)" ;;
	--calls) _cutop_list "help $(cutop --calls help 2>/dev/null | cut -d' ' -f1)" ;;
	--map) COMPREPLY=($(compgen -W 'all none' -- "$cur")) ;;
	-o | --output | --replay | --library | --config)
		COMPREPLY=($(compgen -f -- "$cur"))
		compopt -o filenames 2>/dev/null
		;;
	-p | --pid) _cutop_list "$(cd /proc && echo [0-9]*)" ;;
	-n | --iterations | -d | --delay | --duration | --listen | --top-kernels | --top-sites | -c | --command | --leak-age | --leak-ignore | --site-skip | --probe | --ring-size | --names-memory) ;;
	*) COMPREPLY=($(compgen -W '--batch --iterations --delay --duration --format --folded-by --output --listen --top-kernels --top-sites --replay --trace --pid --user --command --sort --reverse --layer --calls --exact-launches --returns --no-single-step --stacks --site-skip --launch-sites --tensor-sites --budget --no-python --leak-age --leak-ignore --fail-on-leak --allow-no-cuda --map --run-as --library --probe --pool --ring-size --names-memory --no-time --entries --pairs --args --color --ascii --theme --no-mouse --readonly --no-config --config --verbose --help --version' -- "$cur")) ;;
	esac
}
complete -F _cutop cutop
