#!/bin/sh
# shellcheck disable=SC2154 # $run_dir is of options.sh
# Shared by runtimes on FrankenPHP. Sourced after options.sh.

# frankenphp_environment: exports what its configuration and Go read.
frankenphp_environment() {
    case $KEEP_ALIVE in 0ms) export KEEP_ALIVE_SWITCH=off ;; *) export KEEP_ALIVE_SWITCH=on ;; esac
    # It would like homes for certificates and configurations, of which there are none.
    export XDG_CONFIG_HOME="$run_dir" XDG_DATA_HOME="$run_dir"
    # https://frankenphp.dev/docs/performance/#go-runtime-configuration-for-frankenphp
    # Of cgroup v2 or v1, where there may be none.
    limit=$(cat /sys/fs/cgroup/memory.max /sys/fs/cgroup/memory/memory.limit_in_bytes 2>/dev/null | head -n 1)
    case $limit in '' | *[!0-9]*) ;; *) export GOMEMLIMIT="$limit" ;; esac
}

# frankenphp_version: prints its version.
frankenphp_version() {
    frankenphp version | sed -n 's|^FrankenPHP v\([0-9.]*\).*|frankenphp/\1|p'
}
