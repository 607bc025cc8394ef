#!/bin/sh
# shellcheck disable=SC2154 # options.sh sets run_dir
# Shared by runtimes with Apache. Sourced after options.sh, of which it uses the functions.

# apache_config LISTEN KEEP_ALIVE: exports what httpd.conf and prefork.conf need beside the common options.
apache_config() {
    export APACHE_LISTEN="$1" APACHE_KEEP_ALIVE=On APACHE_KEEP_ALIVE_TIME="$2"
    if [ "$2" = 0ms ]; then APACHE_KEEP_ALIVE=Off APACHE_KEEP_ALIVE_TIME=1ms; fi

    # Children that have served their number of connections are replaced when fewer than this are idle. If none ever
    # ends, 1 is enough, and Apache's complaint about too few workers stays true.
    export PREFORK_SPARE=1
    if [ "$MAX_REQUESTS" != 0 ]; then PREFORK_SPARE=$WORKERS; fi

    export APACHE_RUN_DIR="$run_dir" APACHE_LOCK_DIR="$run_dir" APACHE_PID_FILE="$run_dir/apache2.pid"
}

# apache_version: `apache/2.4.1`
apache_version() {
    apache2 -v | sed -n 's|^Server version: Apache/\([0-9.]*\).*|apache/\1|p'
}
