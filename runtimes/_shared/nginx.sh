#!/bin/sh
# shellcheck disable=SC2034,SC2154 # `render` reads variables by name; options.sh sets conf and run_dir
# What runtimes with nginx in front share. Sourced after options.sh, of which it uses the functions.

# nginx_config NAME…: writes the configuration: what all share, and the server block of the runtime with these variables.
nginx_config() {
    # Of the CPUs that this container may use, not of the machine's.
    CPUS=$(nproc)
    GZIP_SWITCH=off
    LOG=off
    if [ "$GZIP" = true ]; then GZIP_SWITCH=on; fi
    if [ "$ACCESS_LOG" = true ]; then LOG='/dev/stderr line'; fi
    render "$conf/nginx.conf" CPUS KEEP_ALIVE GZIP_SWITCH LOG > "$run_dir/nginx.conf"
    render "$conf/server.conf" PORT "$@" > "$run_dir/server.conf"
}

# nginx_version: `nginx/1.2.3`
nginx_version() {
    nginx -v 2>&1 | sed -n 's|.*\(nginx/[0-9.]*\).*|\1|p'
}
