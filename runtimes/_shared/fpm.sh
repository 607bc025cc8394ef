#!/bin/sh
# shellcheck disable=SC2154 # options.sh sets run_dir
# Shared by runtimes with php-fpm behind a web server. Sourced after options.sh, of which it uses the functions.

# fpm_options: checks the options of php-fpm and exports what php-fpm.conf and the web server need.
fpm_options() {
    one_of LISTEN unix tcp unix
    one_of PM static static dynamic ondemand
    integer MIN_SPARE 0 0 4096
    integer MAX_SPARE 0 0 4096

    case $LISTEN in
    unix) export FPM_LISTEN="$run_dir/fpm.sock" FPM_ADDRESS="unix:$run_dir/fpm.sock" ;;
    tcp) export FPM_LISTEN="127.0.0.1:$((PORT + 1000))" FPM_ADDRESS="127.0.0.1:$((PORT + 1000))" ;;
    esac

    # Only pm=dynamic looks at these.
    if [ "$MIN_SPARE" = 0 ]; then MIN_SPARE=$(((WORKERS + 3) / 4)); fi
    if [ "$MAX_SPARE" = 0 ]; then MAX_SPARE=$(((WORKERS * 3 + 3) / 4)); fi
    [ "$PM" = dynamic ] || return 0
    if [ "$MAX_SPARE" -gt "$WORKERS" ]; then refuse MAX_SPARE "$MAX_SPARE" "at most WORKERS, $WORKERS"; fi
    if [ "$MIN_SPARE" -gt "$MAX_SPARE" ]; then refuse MIN_SPARE "$MIN_SPARE" "at most MAX_SPARE, $MAX_SPARE"; fi
}
