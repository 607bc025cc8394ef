#!/bin/bash
# shellcheck disable=SC2154 # $conf is of options.sh
# Starts Laravel Octane as in its documentation, and stops its server gracefully, which Octane itself does not wait for.
# Sourced by the entry points, after options.sh.

# octane SERVER ARGUMENT…: runs until the server ends.
octane() {
  local server=$1 artisan='' stopping=''
  shift
  [[ -f bootstrap/cache/packages.php ]] || php artisan package:discover --quiet >&2
  if [[ ${BENCH_FACTS:-} == 1 ]]; then
    export APP_PACKAGES_CACHE="$conf/octane.php" APP_SERVICES_CACHE="$run_dir/services.php"
  fi

  # Artisan ends at once after a signal, and requests in flight are lost. So only the server gets the signal, its one
  # child, and Artisan ends after it.
  # shellcheck disable=SC2317,SC2329 # the trap calls it
  stop() {
    stopping=yes
    local children
    children=$(grep -ls "^PPid:[[:space:]]*$artisan\$" /proc/[0-9]*/status | cut -d/ -f3)
    # shellcheck disable=SC2086 # none yet: Artisan is starting
    kill -TERM ${children:-$artisan} 2>/dev/null || true
  }
  trap stop TERM INT

  php artisan octane:start --server="$server" --host=0.0.0.0 --port="$PORT" --workers="$WORKERS" "$@" >&2 &
  artisan=$!
  local code=0
  while kill -0 "$artisan" 2>/dev/null; do wait "$artisan" && code=0 || code=$?; done
  [[ -n $stopping ]] && exit 0
  exit "$code"
}
