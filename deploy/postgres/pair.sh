#!/bin/sh
# A pair of PostgreSQL servers: a primary, and a standby that has every commit before it is confirmed.
#
#   pair.sh roles <password>      on a new primary, once: the roles of this script and of HAProxy's check
#   pair.sh copy <primary>        on an empty PGDATA: a standby of that server, to be started then
#   pair.sh synchronous on|off    on the primary: whether commits wait for the standby
#   pair.sh promote               on the standby, once the primary is certainly dead: it takes writes, and waits for nobody
#   pair.sh rejoin <primary>      on the server that was primary and is stopped: a standby of that server, to be started then
#
# <primary> is the other server as role pair: 'host=… port=… user=pair password=… dbname=postgres'.
# From the environment: PGDATA, and of this server PGHOST, PGPORT, PGUSER (a superuser), PGPASSWORD; PG_CONFIG is its configuration file
# where that is not in PGDATA; programs of PostgreSQL are on PATH. Run it as the user that owns PGDATA.
set -eu

fail() {
  echo "pair.sh: $1" >&2
  exit 1
}

here() {
  psql --no-psqlrc --quiet --tuples-only --no-align --set=ON_ERROR_STOP=1 --dbname=postgres --command="$1"
}

wait_for_standby_means() {
  here "ALTER SYSTEM SET synchronous_standby_names = '$1'"
  here 'SELECT pg_reload_conf()' >/dev/null
}

[ $# -ge 1 ] || fail 'say roles, copy, synchronous, promote or rejoin.'
command=$1
shift
case $command in
  roles)
    [ $# -eq 1 ] || fail 'roles takes the password of the role pair.'
    here "CREATE ROLE health LOGIN; CREATE ROLE pair LOGIN REPLICATION PASSWORD '$(printf %s "$1" | sed "s/'/''/g")';
      GRANT pg_checkpoint TO pair;
      GRANT EXECUTE ON FUNCTION pg_ls_dir(text, boolean, boolean), pg_stat_file(text, boolean), pg_read_binary_file(text),
        pg_read_binary_file(text, bigint, bigint, boolean) TO pair"
    ;;
  copy)
    [ $# -eq 1 ] || fail 'copy takes the connection string of the primary.'
    pg_basebackup --pgdata="$PGDATA" --dbname="$1" --checkpoint=fast --wal-method=stream --write-recovery-conf
    ;;
  synchronous)
    case ${1:-} in
      on)
        [ "$(here "SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming'")" -ge 1 ] ||
          fail 'no standby is streaming: every commit would wait for one.'
        wait_for_standby_means 'ANY 1 (*)'
        ;;
      off) wait_for_standby_means '' ;;
      *) fail 'synchronous is on or off.' ;;
    esac
    ;;
  promote)
    [ "$(here 'SELECT pg_is_in_recovery()')" = t ] || fail 'this server is no standby.'
    # Before it takes the first write, so that none waits for a standby that is not there.
    wait_for_standby_means ''
    [ "$(here 'SELECT pg_promote(true, 30)')" = t ] || fail 'it did not become primary within 30 s.'
    ;;
  rejoin)
    [ $# -eq 1 ] || fail 'rejoin takes the connection string of the new primary.'
    [ "$(psql --no-psqlrc --quiet --tuples-only --no-align --dbname="$1" --command='SELECT pg_is_in_recovery()')" = f ] ||
      fail 'the other server is not primary.'
    # pg_rewind reads the new timeline from the last checkpoint.
    psql --no-psqlrc --quiet --set=ON_ERROR_STOP=1 --dbname="$1" --command=CHECKPOINT
    pg_rewind --target-pgdata="$PGDATA" --source-server="$1" --write-recovery-conf ${PG_CONFIG:+--config-file="$PG_CONFIG"}
    ;;
  *) fail "there is no command $command." ;;
esac
