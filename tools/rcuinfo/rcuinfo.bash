# SPDX-License-Identifier: BSD-3-Clause
# Completion of the command `rcuinfo` in bash. Installed where bash-completion loads it at the first <Tab>; a shell
# without bash-completion may source it.

# Offers those of the words in $1 that begin as $word, the word at the cursor, does.
_rcuinfo_words()
{
    mapfile -t COMPREPLY < <(compgen -W "$1" -- "$word")
}

# Offers files, and what compgen's options in "$@" name. Names may contain blanks, so each is a line.
_rcuinfo_files()
{
    mapfile -t COMPREPLY < <(compgen "$@" -f -- "$word")
}

_rcuinfo()
{
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} subcommand=${COMP_WORDS[1]} i
    COMPREPLY=()

    if [ "$COMP_CWORD" -eq 1 ]; then
        _rcuinfo_words 'run env hints stress --help --version'
        return
    fi

    # Behind PROGRAM, the words are PROGRAM's.
    for ((i = 2; i < COMP_CWORD; i++)); do
        case $subcommand:${COMP_WORDS[i]}:${COMP_WORDS[i + 1]} in
            run:-*:=) i=$((i + 2)) ;;
            run:--mpi:* | run:--hints:*) i=$((i + 1)) ;;
            run:-*) ;;
            run:*)
                if declare -F _command_offset >/dev/null; then
                    _command_offset "$i"
                else
                    _rcuinfo_files
                fi
                return
                ;;
        esac
    done

    # An option's argument. Bash takes --mpi=FLAVOUR for three words.
    if [ "$word" = = ]; then
        before+='=' word=''
    elif [ "$before" = = ]; then
        before=${COMP_WORDS[COMP_CWORD - 2]}=
    fi
    case "$subcommand:$before" in
        run:--mpi | run:--mpi=) _rcuinfo_words 'mpich openmpi abi'; return ;;
        hints:--mpi | hints:--mpi=) _rcuinfo_words 'mpich openmpi'; return ;;
        hints:--for | hints:--for=)
            _rcuinfo_words 'window communicator file session spawn port alloc_mem split_type init process_set env'
            return
            ;;
        run:--hints | run:--hints= | run:--hints-report=) _rcuinfo_files; return ;;
        hints:--key* | hints:--value* | stress:--*) return ;;
    esac

    case $subcommand in
        run)
            if [[ $word == -* ]]; then
                _rcuinfo_words '--mpi --stats --hints --hints-report'
            else
                _rcuinfo_files -c
            fi
            ;;
        env) _rcuinfo_words '--json --explain' ;;
        hints)
            if [ "$COMP_CWORD" -eq 2 ]; then
                _rcuinfo_words 'list lint report'
                return
            fi
            case "${COMP_WORDS[2]}:$word" in
                list:*) _rcuinfo_words '--for --mpi' ;;
                lint:-*) _rcuinfo_words '--for --mpi --key --value' ;;
                *) _rcuinfo_files ;;
            esac
            ;;
        stress) _rcuinfo_words '--seconds --threads --objects --keys --seed --mix' ;;
    esac
}

complete -o filenames -F _rcuinfo rcuinfo
