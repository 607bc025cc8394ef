#!/bin/bash
# As in the official images: flags alone are the server's, it is not root, and everybody may connect.
set -euo pipefail

if [[ ${1:--} == -* ]]; then set -- "$SERVER" "$@"; fi
user=${SERVER%-server}
if [[ $1 == "$SERVER" ]]; then
  shift
  set -- setpriv --reuid="$user" --regid="$user" --clear-groups "$SERVER" --protected-mode no "$@"
fi
exec "$@"
