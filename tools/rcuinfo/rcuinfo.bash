# SPDX-License-Identifier: BSD-3-Clause
# Completion of the command `rcuinfo` in bash. Installed where bash-completion loads it at the first <Tab>; a shell
# without bash-completion may source it.

# Offers the completions that compgen "$@" prints for $word, the word at the cursor: one per line, since names may
# contain blanks.
_rcuinfo_offer()
{
    mapfile -t COMPREPLY < <(compgen "$@" -- "$word")
}

_rcuinfo()
{
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} subcommand=${COMP_WORDS[1]} i
    COMPREPLY=()

    # Words after PROGRAM are its own arguments.
    for ((i = 2; i < COMP_CWORD; i++)); do
        case $subcommand:${COMP_WORDS[i]}:${COMP_WORDS[i + 1]} in
            run:-*:=) i=$((i + 2)) ;;
            run:--mpi:* | run:--hints:*) i=$((i + 1)) ;;
            run:-*) ;;
            run:*)
                if declare -F _command_offset >/dev/null; then
                    _command_offset "$i"
                else
                    _rcuinfo_offer -f
                fi
                return
                ;;
        esac
    done

    # The argument of an option. Bash splits --mpi=FLAVOUR into three words.
    if [ "$word" = = ]; then
        before+='=' word=''
    elif [ "$before" = = ]; then
        before=${COMP_WORDS[COMP_CWORD - 2]}=
    fi
    case "$COMP_CWORD:$subcommand:$before:$word" in
        1:*) _rcuinfo_offer -W 'run env hints stress --help --version' ;;
        *:run:--hints:* | *:run:--hints=:* | *:run:--hints-report=:* | *:run:--mpi:*/* | *:run:--mpi=:*/*) _rcuinfo_offer -f ;;
        *:run:--mpi:* | *:run:--mpi=:*) _rcuinfo_offer -W 'mpich openmpi abi' ;;
        *:run:*:-*) _rcuinfo_offer -W '--mpi --no-dlsym --stats --hints --hints-report' ;;
        *:run:*) _rcuinfo_offer -c -f ;;
        *:env:*) _rcuinfo_offer -W '--json --explain' ;;
        2:hints:*) _rcuinfo_offer -W 'list lint report' ;;
        *:hints:--mpi*) _rcuinfo_offer -W 'mpich openmpi intel' ;;
        *:hints:--for*)
            _rcuinfo_offer -W 'window communicator file session spawn port alloc_mem split_type init process_set env'
            ;;
        *:hints:--key* | *:hints:--value* | *:stress:--*:*) ;;
        *:hints:*)
            case "${COMP_WORDS[2]}:$word" in
                list:*) _rcuinfo_offer -W '--for --mpi' ;;
                lint:-*) _rcuinfo_offer -W '--for --mpi --key --value' ;;
                report:-*) _rcuinfo_offer -W '--csv' ;;
                *) _rcuinfo_offer -f ;;
            esac
            ;;
        *:stress:*) _rcuinfo_offer -W '--seconds --threads --objects --keys --seed --mix' ;;
    esac
}

complete -o filenames -F _rcuinfo rcuinfo
