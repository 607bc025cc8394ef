#!/bin/sh
# shellcheck disable=SC2034,SC2154 # `render` reads variables by name; options.sh sets conf and run_dir
# Shared by runtimes with nginx in front. Sourced after options.sh, of which it uses the functions.

# Workers of nginx: nproc counts the CPUs that this container may use, not the machine's.
CPUS=$(nproc)

# nginx_config FILE NAME…: writes the configuration: what all share, and the server block in that file with these variables.
nginx_config() {
    server=$1
    shift
    GZIP_SWITCH=off
    LOG=off
    if [ "$GZIP" = true ]; then GZIP_SWITCH=on; fi
    if [ "$ACCESS_LOG" = true ]; then LOG='/dev/stderr line'; fi
    render "$conf/nginx.conf" CPUS KEEP_ALIVE GZIP_SWITCH LOG > "$run_dir/nginx.conf"
    render "$conf/$server" PORT "$@" > "$run_dir/server.conf"
}

# upstream_config KEEP: how nginx keeps connections to a server behind it that has WORKERS, if it is to (true).
upstream_config() {
    KEPT=
    CONNECTION=close
    # A kept connection may hold a worker, even while idle. So all workers of nginx together keep half as many as there are:
    # with more, new connections would wait for a worker until idle ones time out. Each worker of nginx keeps its own.
    # With more of them than that half, none could keep one.
    half=$((WORKERS / 2))
    if [ "$CPUS" -gt "$half" ]; then CPUS=$((half > 1 ? half : 1)); fi
    idle=$((half / CPUS))
    if [ "$1" != true ] || [ "$idle" = 0 ]; then return; fi
    # Shorter than the 60 s of a server that keeps them for nginx. One that is closed while a request is on its way
    # would be an error.
    KEPT="keepalive $idle; keepalive_timeout 50s;"
    CONNECTION=
}

# proxy_config PORT HEADER: writes the configuration of an nginx that passes all to the server on that port.
proxy_config() {
    BACKEND_PORT=$1
    FORWARDED=$2
    nginx_config proxy.conf BACKEND_PORT KEPT CONNECTION FORWARDED
}

# nginx_version: `nginx/1.2.3`
nginx_version() {
    nginx -v 2>&1 | sed -n 's|.*\(nginx/[0-9.]*\).*|\1|p'
}
