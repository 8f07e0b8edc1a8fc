#!/bin/sh
# Set up what is missing, then run the vault. See README.md.
#   ./start.sh                              run it (Ctrl-C stops it)
#   ./start.sh --only-set-up [FILE…]        install requirements.txt, and these files of more
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
venv="$here/.venv"
python="$venv/bin/python"

say() { printf '%s\n' "$*" >&2; }

# The first Python that is new enough and can make virtual environments.
find_python() {
    without_venv=''
    for name in python3.13 python3.12 python3.11 python3.14 python3 python; do
        "$name" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || continue
        if "$name" -c 'import ensurepip, venv' 2>/dev/null; then
            printf '%s\n' "$name"
            return
        fi
        without_venv=$name
    done
    if [ -n "$without_venv" ]; then
        say "$without_venv cannot make virtual environments. On Debian or Ubuntu: apt install python3-venv"
    else
        say 'Vaultsite needs Python 3.11 or newer. On Debian or Ubuntu: apt install python3 python3-venv;'
        say 'on Fedora: dnf install python3; on macOS: brew install python'
    fi
    return 1
}

# A virtual environment that works: one that was left half made or half filled is made anew.
make_venv() {
    if [ -e "$venv/vault.installing" ] || ! "$python" -m pip --version >/dev/null 2>&1; then
        found=$(find_python)
        say "Making a virtual environment with $("$found" --version) …"
        rm -rf "$venv"
        "$found" -m venv "$venv"
    fi
}

# Install these files, unless just these are installed.
install() {
    stamp="$venv/$1"
    shift
    wanted=$(cat "$@" | cksum)
    [ "$(cat "$stamp" 2>/dev/null || true)" != "$wanted" ] || return 0
    say 'Installing packages; the first time this takes one to three minutes …'
    : >"$venv/vault.installing"
    for file in "$@"; do set -- "$@" -r "$file"; shift; done
    if ! "$python" -m pip install --quiet --quiet --disable-pip-version-check "$@"; then
        say 'The packages could not be installed: see above. Set-up needs the network; running does not.'
        return 1
    fi
    printf '%s\n' "$wanted" >"$stamp"
    rm "$venv/vault.installing"
}

# One set-up at a time: the lock is on this very file, and goes when the process goes.
exec 9<"$here/start.sh"
if command -v flock >/dev/null; then flock 9; fi
make_venv
install vault.packages "$here/requirements.txt"
if [ "${1:-}" = --only-set-up ]; then
    shift
    [ $# = 0 ] || install vault.more "$@"
    exit
fi
exec 9<&-
exec "$python" "$here/manage.py" up "$@"
