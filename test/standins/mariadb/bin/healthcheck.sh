#!/bin/bash
# Of the official one's checks the one that all compose files use: does it take connections over TCP?
set -euo pipefail
[[ " $* " == *' --connect '* ]]
# A refused user has been connected.
output=$(mariadb --protocol=tcp --host=127.0.0.1 --user=healthcheck --execute= 2>&1) || [[ $output == *'Access denied'* ]]
