# shellcheck shell=bash
# Functions that the parts of bootstrap share: messages to the user, steps with a log, packages of the system.
# Functions that `step` runs chain their commands with &&: bash ignores `set -e` in them.

cache=${XDG_CACHE_HOME:-${HOME:?}/.cache}/php-runtime-bench
log=$cache/bootstrap.log
PATH=$cache/bin:$PATH

say() { printf 'bootstrap: %s\n' "$*"; }
fail() { printf 'bootstrap: %s\n' "$@" >&2; exit 1; }
ask_person() { printf 'bootstrap: %s\n' "$@" >&2; exit 2; }
has() { command -v "$1" >/dev/null 2>&1; }
is_root() { [[ $(id -u) == 0 ]]; }

# Two at once would install twice. Everything started from here closes fd 9: a daemon must not keep the lock.
take_lock() {
  if [[ ! -d $cache/bin ]]; then
    say "tools that are not packages of the system go to $cache"
    mkdir -p "$cache/bin"
  fi
  if has flock; then
    exec 9>"$cache/lock"
    flock -n 9 || { say 'waiting for another bootstrap' && flock 9; }
  fi
  : >"$log"
}

# bounded SECONDS COMMAND…: macOS has no timeout(1); there the command may take its time.
bounded() { if has timeout; then timeout "$@"; else "${@:2}"; fi; }

quietly() {
  printf '\n== %s: %s\n' "$(date -u +%FT%TZ)" "$*" >>"$log"
  "$@" >>"$log" 2>&1 </dev/null 9>&-
}

# step WHAT COMMAND…: prints what it does and does it, once more if need be: downloads fail for a moment at times.
step() {
  local what=$1 began=$SECONDS
  shift
  say "$what"
  quietly "$@" || { sleep 2 && quietly "$@"; } || fail "failed: $what" "see $log"
  if ((SECONDS - began >= 20)); then say "  took $((SECONDS - began)) s"; fi
}

link() { ln -sfn "$2" "$cache/bin/$1"; }

can_apt() { is_root && has apt-get; }

apt_get() { DEBIAN_FRONTEND=noninteractive apt-get -y -o DPkg::Lock::Timeout=300 "$@"; }

# Lists that cannot be fetched (some third party's source) only matter if the package is then missing.
# While packages are half configured, as an interruption leaves them, apt-get refuses to install.
apt_install() {
  apt_get update || true
  DEBIAN_FRONTEND=noninteractive dpkg --configure -a || true
  apt_get install --no-install-recommends "$@"
}

has_candidate() { [[ $(LC_ALL=C apt-cache policy "$1" 2>/dev/null) == *'Candidate: '[0-9]* ]]; }

# offers PACKAGE: whether apt can install it here. A fresh container has no lists to know it by.
offers() {
  can_apt || return 1
  compgen -G '/var/lib/apt/lists/*_Packages*' >/dev/null || quietly apt_get update || true
  has_candidate "$1"
}

# need_packages 'PACKAGE…' WHY TEST…: installs them if the command TEST fails.
need_packages() {
  local packages=$1 why=$2
  shift 2
  if "$@" >/dev/null 2>&1; then return; fi
  can_apt || ask_person "Missing here: $packages; $why." 'Install it, then start again.'
  # shellcheck disable=SC2086 # several words are several packages
  step "installing $packages: $why" apt_install $packages
}
