#!/bin/bash
# As in the official images of MariaDB and MySQL: makes the data folder, the database and the users that the environment
# names, then serves.
set -euo pipefail

# MariaDB's image takes the variables of MySQL's, too.
for name in ROOT_PASSWORD DATABASE USER PASSWORD; do
  old=MYSQL_$name
  if [[ -v $old ]]; then declare "MARIADB_$name=${!old}"; fi
done

quote() { printf "'%s'" "${1//\'/\'\'}"; }

first_statements() {
  local root database=${MARIADB_DATABASE:-} user=${MARIADB_USER:-}
  root=$(quote "${MARIADB_ROOT_PASSWORD?the image needs MARIADB_ROOT_PASSWORD}")
  # The server reads one statement a line.
  echo "CREATE USER root@'%' IDENTIFIED BY $root;"
  echo "GRANT ALL ON *.* TO root@'%' WITH GRANT OPTION;"
  echo "ALTER USER root@localhost IDENTIFIED BY $root;"
  # The official images have no others: these would take a root without a password on 127.0.0.1.
  echo "DROP USER IF EXISTS root@'127.0.0.1', root@'::1';"
  if [[ $database ]]; then echo "CREATE DATABASE \`$database\`;"; fi
  if [[ $user ]]; then
    echo "CREATE USER $(quote "$user")@'%' IDENTIFIED BY $(quote "${MARIADB_PASSWORD:?}");"
    if [[ $database ]]; then echo "GRANT ALL ON \`$database\`.* TO $(quote "$user")@'%';"; fi
  fi
}

if [[ ${1:-} == mariadbd && ! -d /var/lib/mysql/mysql ]]; then
  mariadb-install-db --user=mysql --auth-root-authentication-method=normal --skip-test-db >/dev/null
  first_statements >/tmp/first.sql
  chown mysql /tmp/first.sql
  set -- "$@" --init-file=/tmp/first.sql
fi
if [[ ${1:-} == mariadbd ]]; then set -- "$@" --user=mysql --bind-address=0.0.0.0 --skip-name-resolve --host-cache-size=0; fi
exec "$@"
