#!/bin/sh
# shellcheck disable=SC2034
# Reads the options of a container from its environment. Sourced by the entry points. Each function below takes the name
# of a variable, its default and what is allowed, and exports the checked value. A bad value ends the container (exit
# code 64, one line on stderr).

# The entry point writes its configuration here; the rest of the container may be read-only, except for /app
# with `octane-frankenphp` and `octane-roadrunner`.
readonly run_dir=/tmp/php-runtime-bench
# The images have their shared files and their configuration here.
readonly conf=/usr/local/share/php-runtime-bench

# refuse NAME VALUE ALLOWED
refuse() {
    printf "%s: %s='%s': expected %s\n" "${BENCH_RUNTIME:-php-runtime-bench}" "$1" "$2" "$3" >&2
    exit 64
}

# value_of NAME DEFAULT
value_of() {
    eval "printf '%s' \"\${$1-\$2}\""
}

# decimal DIGITS: without leading zeros, which shells and servers read as octal.
decimal() {
    digits=${1#"${1%%[!0]*}"}
    echo "${digits:-0}"
}

# integer NAME DEFAULT MIN MAX
integer() {
    value=$(value_of "$1" "$2")
    case $value in '' | *[!0-9]* | ??????????*) refuse "$1" "$value" "an integer from $3 to $4" ;; esac
    if [ "$value" -lt "$3" ] || [ "$value" -gt "$4" ]; then refuse "$1" "$value" "an integer from $3 to $4"; fi
    export "$1=$(decimal "$value")"
}

# boolean NAME DEFAULT
boolean() {
    one_of "$1" "$2" true false
}

# one_of NAME DEFAULT VALUE…
one_of() {
    name=$1
    value=$(value_of "$1" "$2")
    shift 2
    list=
    for allowed; do
        if [ "$value" = "$allowed" ]; then
            export "$name=$value"
            return
        fi
        list="$list, $allowed"
    done
    refuse "$name" "$value" "one of ${list#, }"
}

# duration NAME DEFAULT: exports NAME as whole milliseconds with the unit, e.g. 5000ms; at most an hour.
duration() {
    value=$(value_of "$1" "$2")
    case $value in
    *ms) number=${value%ms} unit=1 ;;
    *s) number=${value%s} unit=1000 ;;
    *m) number=${value%m} unit=60000 ;;
    *) refuse "$1" "$value" 'a duration such as 500ms, 5s or 1m' ;;
    esac
    case $number in '' | *[!0-9]* | ????????*) refuse "$1" "$value" 'a duration such as 500ms, 5s or 1m' ;; esac
    milliseconds=$(($(decimal "$number") * unit))
    if [ "$milliseconds" -gt 3600000 ]; then refuse "$1" "$value" 'at most 60m'; fi
    export "$1=${milliseconds}ms"
}

# size NAME DEFAULT: bytes, with PHP's shorthand K, M, G.
size() {
    value=$(value_of "$1" "$2")
    number=${value%[KMG]}
    case $number in '' | 0* | *[!0-9]*) refuse "$1" "$value" 'a size such as 128M' ;; esac
    export "$1=$value"
}

# app_folder: checks DOCROOT, a folder within /app, and exports its path as BENCH_DOCUMENT_ROOT.
app_folder() {
    export DOCROOT="${DOCROOT-public}"
    case /$DOCROOT/ in
    //* | */../*) refuse DOCROOT "$DOCROOT" 'a folder relative to the app, such as public or .' ;;
    *[!A-Za-z0-9._/@+\ -]*) refuse DOCROOT "$DOCROOT" 'a folder name of letters, digits, space and ._/@+-' ;;
    esac
    [ -d "/app/$DOCROOT" ] || refuse DOCROOT "$DOCROOT" 'a folder that exists in the app'
    # The same without a dot or slash at its end, which PHP would see.
    BENCH_DOCUMENT_ROOT=$(cd "/app/$DOCROOT" && pwd)
    export BENCH_DOCUMENT_ROOT
}

# common_options: what every runtime has, and the php.ini that follows from it.
common_options() {
    integer PORT 8080 1024 64535
    app_folder
    integer WORKERS 16 1 4096
    integer MAX_REQUESTS 0 0 100000000
    duration KEEP_ALIVE 5s
    boolean GZIP false
    boolean ACCESS_LOG false
    size MEMORY_LIMIT 128M
    one_of JIT off off function tracing

    mkdir -p "$run_dir/php"
    {
        # PHP settings of the app's own. The settings below override them.
        if [ -n "${BENCH_INI:-}" ]; then printf '%s\n' "$BENCH_INI"; fi
        echo "memory_limit = $MEMORY_LIMIT"
        if [ "$JIT" != off ]; then printf 'opcache.jit = %s\nopcache.jit_buffer_size = 64M\n' "$JIT"; fi
    } > "$run_dir/php/options.ini"
    # The empty first part means PHP's own conf.d.
    export PHP_INI_SCAN_DIR=":$run_dir/php"
}

# render FILE NAME…: prints a template with each @NAME@ replaced by the value of that variable.
render() {
    file=$1
    shift
    script=
    for name; do
        script="$script;s|@$name@|$(value_of "$name" '' | sed 's/[&|\\]/\\&/g')|g"
    done
    sed "${script#;}" "$file"
}
