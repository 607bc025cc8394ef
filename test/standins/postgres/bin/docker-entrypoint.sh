#!/bin/bash
# As in the official image: makes the data folder, the user and the database that the environment names, then serves.
set -euo pipefail

# The server refuses to run as root. Commands that docker exec starts are root's, though.
if [[ ${1:-} == postgres && $(id -u) == 0 ]]; then
  exec setpriv --reuid=postgres --regid=postgres --init-groups "${BASH_SOURCE[0]}" "$@"
fi
if [[ ${1:-} == postgres && ! -s $PGDATA/PG_VERSION ]]; then
  user=${POSTGRES_USER:-postgres}
  password=${POSTGRES_PASSWORD:?the image needs POSTGRES_PASSWORD}
  initdb --username="$user" --pwfile=<(printf '%s\n' "$password") --auth=trust >/dev/null
  # From within it trusts everybody.
  echo 'host all all all scram-sha-256' >>"$PGDATA/pg_hba.conf"
  database=${POSTGRES_DB:-$user}
  if [[ $database != postgres ]]; then
    postgres --single postgres <<<"CREATE DATABASE \"$database\"" >/dev/null
  fi
fi
if [[ ${1:-} == postgres ]]; then set -- "$@" -c 'listen_addresses=*'; fi
exec "$@"
