# SPDX-License-Identifier: BSD-3-Clause
# Completion of sluice and sluice-bench for bash: what is offered is what --help names.
_sluice() {
    local program=$1 word=$2 previous=$3 command="" at help words values
    COMPREPLY=()
    help=$("$program" --help 2>/dev/null) || return
    if [[ $help == usage:*\ COMMAND* ]]; then
        words=$(sed -n 's/^  \([a-z][a-z-]*\)  .*/\1/p' <<<"$help")
        for ((at = 1; at < COMP_CWORD; at++)); do
            if grep -qxF -- "${COMP_WORDS[at]}" <<<"$words"; then
                command=${COMP_WORDS[at]}
                help=$("$program" "$command" --help 2>/dev/null) || return
                break
            fi
        done
    fi
    case $previous in
    --level | --effort | --window)
        values='formula|sigma|program|placement|json|estimate|measure|patient|hann|hamming|blackman|rect'
        values=$(grep -e "$previous " <<<"$help" | grep -owE "$values" | sort -u)
        ;;
    --suite) values=$(sed -n '/^Suites:/,/^$/s/^  \([a-z][a-z0-9-]*\)  .*/\1/p' <<<"$help") ;;
    esac
    if [[ -n ${values-} ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$values" -- "$word")
    elif [[ $word == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$(grep -oE -- '--[a-z][a-z-]*' <<<"$help" | sort -u)" -- "$word")
    elif [[ -n ${words-} && -z $command ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$words help" -- "$word")
    else
        mapfile -t COMPREPLY < <(compgen -f -- "$word")
        compopt -o filenames 2>/dev/null
    fi
}
complete -F _sluice sluice sluice-bench
