# shellcheck shell=bash
# The Docker engine with buildx. One that runs is never stopped or restarted: others may be using it.

engine_version() { bounded 30 docker version --format '{{.Server.Version}}' 2>/dev/null; }

apt_folder=/etc/apt

# Debian 12's engine has no buildx; Debian 13's packages work there beside its own runc. The mirror is the machine's.
# The pin comes first: the source without it would move all of the machine to Debian 13 with its next upgrade.
add_trixie() {
  local mirror of=('Identifier: Packages' 'Origin: Debian' 'Codename: bookworm')
  # shellcheck disable=SC2016 # apt expands it
  mirror=$(apt-get indextargets --format '$(REPO_URI)' "${of[@]}" | sed -n 1p)
  [[ -n $mirror ]] || return
  cat >"$apt_folder/preferences.d/php-runtime-bench" <<'PREFERENCES' || return
Package: *
Pin: release n=trixie
Pin-Priority: 1

Package: docker.io docker-cli docker-buildx docker-compose containerd
Pin: release n=trixie
Pin-Priority: 990
PREFERENCES
  cat >"$apt_folder/sources.list.d/php-runtime-bench-trixie.sources" <<SOURCES
Types: deb
URIs: $mirror
Suites: trixie
Components: main
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg
SOURCES
}

is_bookworm() { grep -qx 'ID=debian' /etc/os-release && grep -qx 'VERSION_CODENAME=bookworm' /etc/os-release; }

# Makes sure that apt knows docker-buildx.
offer_buildx() {
  apt_get update || true
  if has_candidate docker-buildx; then return; fi
  if ! is_bookworm; then
    echo 'this release has no package docker-buildx'
    return 1
  fi
  add_trixie && apt_get update && has_candidate docker-buildx
}

install_engine() {
  local packages=(docker.io docker-buildx iptables ca-certificates)
  offer_buildx || return 1
  if has_candidate docker-cli; then packages+=(docker-cli); fi # Ubuntu and older Debian have it in docker.io
  apt_install "${packages[@]}"
}

install_buildx() {
  if dpkg -s docker-ce-cli; then
    apt_install docker-buildx-plugin
  else
    offer_buildx && apt_install docker-buildx
  fi
}

# runs_dockerd [PROC]: one that has ended does not count. Without an init, as in many containers, it stays as a zombie.
runs_dockerd() { grep -qs '(dockerd) [^XZ]' "${1:-/proc}"/[0-9]*/stat; }

start_engine() {
  local end
  if [[ -d /run/systemd/system ]]; then
    systemctl start docker
  elif ! runs_dockerd; then # else it is on its way up
    # One that was killed left its pid. If another process has that by now, Docker takes it for a running engine.
    rm -f /var/run/docker.pid /var/run/docker/containerd/containerd.pid
    setsid dockerd </dev/null >/var/log/dockerd.log 2>&1 &
  fi
  end=$((SECONDS + 60))
  while ((SECONDS < end)); do
    if engine_version; then return; fi
    sleep 0.5
  done
  return 1
}

explain_engine() {
  if [[ $(uname -s) == Darwin ]]; then
    ask_person "$1" 'Start Docker Desktop, OrbStack or Colima, then start again.'
  else
    ask_person "$1" 'Root on Debian or Ubuntu gets one from this script; elsewhere see https://docs.docker.com/engine/install/'
  fi
}

ensure_engine() {
  local answer context
  if engine_version >/dev/null; then
    ensure_buildx
    return
  fi
  if has docker; then
    answer=$(bounded 30 docker version 2>&1 >/dev/null || true)
    if [[ $answer == *'permission denied'* ]]; then
      ask_person "There is a Docker engine, but $(id -un) may not use its socket." \
        "As root: usermod -aG docker $(id -un); then log in again."
    fi
    if [[ -n ${DOCKER_HOST:-} ]]; then
      ask_person "The Docker engine at DOCKER_HOST=$DOCKER_HOST does not answer." "${answer##*$'\n'}"
    fi
    # On macOS each engine has a context of its own, and may just have to be started.
    context=$(docker context show 2>/dev/null || true)
    if [[ -n $context && $context != default && $(uname -s) != Darwin ]]; then
      ask_person "The Docker engine of the context $context does not answer." "${answer##*$'\n'}" \
        "Start it, or choose another one: ${DOCKER_CONTEXT:+unset DOCKER_CONTEXT, or }docker context use default"
    fi
  fi
  if ! has dockerd; then
    can_apt || explain_engine 'No Docker engine answers here.'
    step 'installing the Docker engine and buildx: they build and run everything that is measured' install_engine
  fi
  if ! engine_version >/dev/null; then # the package may have started it
    is_root || explain_engine 'The Docker engine here does not run.'
    say 'starting the Docker engine'
    quietly start_engine || fail 'the Docker engine does not start' 'see /var/log/dockerd.log or journalctl -u docker'
  fi
  ensure_buildx
}

ensure_buildx() {
  local version
  version=$(engine_version)
  # As in src/engine/docker.ts: Podman and builds of one's own have other numbers, or words.
  if [[ $version =~ ^(1[7-9]|20)\. ]]; then
    ask_person "The Docker engine is $version; builds with named contexts need 23 or newer." 'Upgrade it, then start again.'
  fi
  if docker buildx version >/dev/null 2>&1; then return; fi
  can_apt || ask_person 'Docker has no buildx here.' 'Install it: https://github.com/docker/buildx#installing'
  step 'installing buildx: the images are built with it' install_buildx
}

# Debian 12's docker-compose is version 1, which is no plugin; that of Debian 13 works there as well.
install_compose() {
  apt_get update || true
  if dpkg -s docker-ce-cli; then
    apt_install docker-compose-plugin
  elif has_candidate docker-compose-v2; then
    apt_install docker-compose-v2
  else
    if is_bookworm; then add_trixie; fi
    apt_install 'docker-compose=2*'
  fi
}

# A run needs it for services alone. Without it a run with services stops before it builds, and their tests are skipped.
ensure_compose() {
  if docker compose version >/dev/null 2>&1; then return; fi
  if can_apt; then
    say 'installing docker compose: it starts services of apps'
    quietly install_compose || true
  fi
  docker compose version >/dev/null 2>&1 || say 'no docker compose here: services do not start without it'
}
