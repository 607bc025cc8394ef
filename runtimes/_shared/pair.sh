#!/bin/bash
# shellcheck disable=SC2317,SC2329 # the trap calls `stop_pair`
# For containers of two servers, of which the one in front passes requests to the one behind.

# keep_pair FRONT PID SIGNAL BACK PID SIGNAL: waits for a signal, then stops each server gracefully with its own signal.
# If either ends by itself, the container ends, too.
keep_pair() {
  local front=$1 front_pid=$2 front_signal=$3 back=$4 back_pid=$5 back_signal=$6 stopping='' died pid code=0
  stop_pair() {
    stopping=yes
    # The one in front first: it takes no more connections and waits for the answers to those it has. However it ends,
    # under `set -e`, too, the one behind is stopped.
    kill -"$front_signal" "$front_pid" || true
    wait "$front_pid" || true
    kill -"$back_signal" "$back_pid" || true
    wait "$back_pid" || true
    exit 0
  }
  trap stop_pair TERM QUIT INT WINCH
  # One that ended before the other was started is not among those that `wait -n` knows.
  if kill -0 "$front_pid" 2>/dev/null && kill -0 "$back_pid" 2>/dev/null; then
    wait -n "$front_pid" "$back_pid" || true
  fi
  [[ -z $stopping ]] || exit 0
  if kill -0 "$back_pid" 2>/dev/null; then died=$front pid=$front_pid; else died=$back pid=$back_pid; fi
  wait "$pid" || code=$?
  # The reason is in the server's own lines before: src/text/log-cause.ts looks there.
  echo "$BENCH_RUNTIME: $died has ended (exit code $code), so the container ends, too" >&2
  kill -TERM "$front_pid" "$back_pid" 2>/dev/null || true
  exit 70
}
