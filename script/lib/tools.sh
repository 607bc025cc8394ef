# shellcheck shell=bash
# The tools of the checks, each in one version: wheels checked by hash, Go programs vouched for by Go's checksum database.

# A venv knows its own path, so it is made in place; it counts once the file `whole` is there.
install_venv() {
  rm -rf "$1" &&
    python3 -m venv "$1" &&
    "$1/bin/pip" install --disable-pip-version-check --no-input --only-binary :all: --require-hashes -r "$2" &&
    touch "$1/whole"
}

# ensure_venv NAME WHY: a Python environment with what script/pins/NAME.txt lists, at $cache/NAME.
ensure_venv() {
  local pins=$root/script/pins/$1.txt folder
  folder=$cache/$1-$(cksum <"$pins" | cut -d' ' -f1)
  if [[ ! -e $folder/whole ]]; then
    need_packages 'python3 python3-venv' "$2" python3 -c 'import ensurepip'
    step "installing $(sed -n 's/^\([a-z-]*\)==.*/\1/p' "${pins%.txt}.in" | xargs): $2" install_venv "$folder" "$pins"
  fi
  ln -sfn "$folder" "$cache/$1"
}

ensure_python_tools() {
  local tool
  ensure_venv checks 'they check scripts, Dockerfiles and workflows'
  for tool in zizmor check-jsonschema shellcheck hadolint; do link "$tool" "$cache/checks/bin/$tool"; done
}

has_go() {
  local minor
  minor=$(go env GOVERSION 2>/dev/null | sed -n 's/^go1\.\([0-9]*\).*/\1/p')
  ((${minor:-0} >= 25))
}

# ensure_go WHAT: for building WHAT.
ensure_go() {
  if has_go; then return; fi
  ensure_venv go "$1 is built with Go 1.25 or newer"
  link go "$cache/go/bin/go"
}

install_go_tool() {
  rm -rf "$1" "$1.new" &&
    env GOBIN="$1.new" GOFLAGS=-trimpath CGO_ENABLED=0 nice go install "$2" &&
    mv "$1.new" "$1"
}

# ensure_go_tool NAME MODULE VERSION WHY
ensure_go_tool() {
  local folder=$cache/$1-$3
  if [[ ! -x $folder/$1 ]]; then
    ensure_go "$1"
    step "building $1 $3: $4" install_go_tool "$folder" "$2@v$3"
  fi
  link "$1" "$folder/$1"
}

# It times fresh starts (--cold-start). A run without them needs none, so nothing fails if it is not available.
ensure_hyperfine() {
  if has hyperfine; then return; fi
  if offers hyperfine; then
    step 'installing hyperfine: it times fresh starts' apt_install hyperfine
  else
    say 'no hyperfine here: --cold-start will not work until it is installed'
  fi
}

policy=/usr/sbin/policy-rc.d

# Packages would start servers for everybody; the tests start their own, in networks of their own.
# A policy of the machine stays as it is. One with our name was left by a start that was killed.
# install_unstarted SERVICES PACKAGE…
install_unstarted() {
  local result=0 services
  read -ra services <<<"$1"
  (
    if [[ ! -e $policy ]] || grep -q php-runtime-bench "$policy"; then
      trap 'rm -f "$policy"' EXIT
      printf '#!/bin/sh\n# php-runtime-bench\nexit 101\n' >"$policy" && chmod 755 "$policy"
    fi
    apt_install "${@:2}"
  ) || result=$?
  if [[ -d /run/systemd/system ]]; then systemctl disable --now "${services[@]}" || true; fi
  return "$result"
}

# Tests start engines of their own: each with a network and a disk. Without them these tests are skipped, with a message.
ensure_engine_tools() {
  local missing=()
  has ip || missing+=(iproute2)
  has nsenter || missing+=(util-linux)
  has mkfs.ext4 || missing+=(e2fsprogs)
  ((${#missing[@]})) || return 0
  if can_apt; then
    step "installing ${missing[*]}: tests start engines of their own" apt_install "${missing[@]}"
  else
    say "no ${missing[*]} here: the tests of engines of their own will be skipped"
  fi
}

# Tests reach an engine of theirs over ssh. Without a server they are skipped, with a message.
ensure_sshd() {
  if [[ -x /usr/sbin/sshd ]]; then return; fi
  if can_apt; then
    step 'installing openssh-server, without starting it: tests reach an engine over ssh' \
      install_unstarted 'ssh.service ssh.socket' openssh-server openssh-client
  else
    say 'no openssh-server here: the tests of an engine over ssh will be skipped'
  fi
}

# Engines of tests share images through a registry. Without one these tests are skipped, with a message.
ensure_registry() {
  if has docker-registry; then return; fi
  if offers docker-registry; then
    step 'installing docker-registry, without starting it: engines of tests share images through it' \
      install_unstarted docker-registry.service docker-registry
  else
    say 'no docker-registry here: the tests of a registry will be skipped'
  fi
}

# If there is none, and none is available, the tests that need it are skipped, with a message. On Ubuntu it is a snap.
ensure_chromium() {
  local name
  for name in chromium chromium-browser google-chrome google-chrome-stable; do
    if has "$name"; then return; fi
  done
  if offers chromium; then
    step 'installing chromium: tests open report.html in it' apt_install chromium fonts-dejavu-core
  else
    say 'no Chromium here: the tests that open report.html will be skipped'
  fi
}
