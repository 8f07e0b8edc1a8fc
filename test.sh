#!/bin/sh
# Set up what is missing, then check everything. With arguments: run pytest with these alone.
# With CI=true a missing system package is a failure; otherwise its tests are skipped, and say so.
set -eu
cd "$(dirname -- "$0")"
./start.sh --only-set-up tests/requirements.txt
python=.venv/bin/python

# What pip cannot bring: a browser, fonts for it, and a reader of docker-compose.yml.
missing=''
command -v chromium >/dev/null || command -v chromium-browser >/dev/null || missing="$missing chromium"
[ -n "$(find /usr/share/fonts -name 'LiberationSans*' 2>/dev/null | head -n 1)" ] || missing="$missing fonts-liberation"
if [ "${CI:-}" = true ]; then
    command -v docker-compose >/dev/null || missing="$missing docker-compose"
fi
if [ -n "$missing" ]; then
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
        echo "Installing$missing …"
        export DEBIAN_FRONTEND=noninteractive
        # shellcheck disable=SC2086  # a list of words
        { apt-get update -q && apt-get install -q -y --no-install-recommends $missing; } >/tmp/vault-apt.$$ 2>&1 ||
            { tail -n 5 /tmp/vault-apt.$$; failed_apt=yes; }
        rm -f /tmp/vault-apt.$$
    fi
    if [ "$(id -u)" != 0 ] || [ -n "${failed_apt:-}" ] || ! command -v apt-get >/dev/null; then
        echo "Not installed:$missing. Tests that need it are skipped; on Debian: sudo apt install$missing"
        [ "${CI:-}" != true ] || exit 1
    fi
fi

if [ $# -gt 0 ]; then exec "$python" -m pytest "$@"; fi

failed=''
check() {
    what=$1
    shift
    printf '%-12s' "$what"
    if said=$("$@" 2>&1); then echo ok; else
        echo failed
        printf '%s\n' "$said"
        failed="$failed $what"
    fi
}

# Only pytest brings a database; the checks of Django write no more than a key into a spare folder.
VAULT_DATA=$(mktemp -d)
export VAULT_DATA
trap 'rm -rf "$VAULT_DATA"' EXIT
check format "$python" -m ruff format --check .
check lint "$python" -m ruff check .
check types "$python" -m mypy vaultsite apps manage.py
check imports .venv/bin/lint-imports
check django "$python" manage.py check --fail-level WARNING
check migrations "$python" -W ignore manage.py makemigrations --check --dry-run
echo 'tests'
"$python" -m pytest || failed="$failed tests"
[ -z "$failed" ] || { echo "Failed:$failed"; exit 1; }
echo 'All is well.'
