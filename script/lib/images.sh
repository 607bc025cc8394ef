# shellcheck shell=bash
# The base images: official where a registry answers, stand-ins elsewhere.

readonly k6_image=grafana/k6:2.2.0

can_build_standins() { can_apt || has mmdebstrap; }

# Writes the error of the registry into the file `standins`, or removes the file. A registry that did not answer is
# asked again after an hour: a train ride must not make stand-ins of all runs to come.
choose_images() {
  if docker image inspect "$k6_image" >/dev/null 2>&1; then
    rm -f "$cache/standins"
  elif ! can_build_standins || [[ -z $(find "$cache/standins" -mmin -60 2>/dev/null) ]]; then
    say "pulling $k6_image: it makes the load"
    if quietly bounded 300 docker pull "$k6_image" || quietly bounded 300 docker pull "$k6_image"; then
      rm -f "$cache/standins"
    elif can_build_standins; then
      tail -n 1 "$log" >"$cache/standins"
    else
      fail "could not pull $k6_image: $(tail -n 1 "$log")" \
        "Check the network, Docker's proxy or \`docker login\`, then start again."
    fi
  fi
}

build_standins() {
  "$root/test/standins/build" "$@" 2>&1 9>&- | tee -a "$log" | { grep --line-buffered -v -e 'up to date' -e 'done in' || true; }
}

# ensure_standins [NAME…]: these, or all. Nothing where the official images are in use.
ensure_standins() {
  if [[ ! -e $cache/standins ]]; then return; fi
  if [[ ! -x $cache/k6-${k6_image##*:}/k6 ]] && can_apt; then ensure_go k6; fi
  say 'no image registry answers: using stand-ins from Debian packages instead of the official images'
  build_standins "$@" || fail 'the stand-ins do not build' "see $log" "could not pull $k6_image: $(cat "$cache/standins")"
}
