#!/bin/bash
# Runs once, when the database is created: creates the owner that migrates it, and the role and login of each service.
# Passwords come from .env. To change one later, also run `alter role … password`.
set -eu
psql -q -v ON_ERROR_STOP=1 -U "$POSTGRES_USER" -d postgres \
  -v migrate="$MIGRATE_DB_PASSWORD" -v gateway="$GATEWAY_DB_PASSWORD" -v directory="$DIRECTORY_DB_PASSWORD" \
  -v sync_worker="$SYNC_WORKER_DB_PASSWORD" -v webhook_dispatcher="$WEBHOOK_DISPATCHER_DB_PASSWORD" <<'SQL'
create role idsync_gateway login nosuperuser nobypassrls password :'gateway';
create role idsync_directory login nosuperuser nobypassrls password :'directory';
create role idsync_sync_worker login nosuperuser nobypassrls password :'sync_worker';
create role idsync_webhook_dispatcher login nosuperuser nobypassrls password :'webhook_dispatcher';

-- Migrations change rows of all tenants (bypassrls), and later ones may need more roles (createrole).
create role idsync_migrate login createrole bypassrls nosuperuser password :'migrate';
grant idsync_gateway, idsync_directory, idsync_sync_worker, idsync_webhook_dispatcher to idsync_migrate;

create database idsync owner idsync_migrate;
revoke connect on database idsync from public;
grant connect on database idsync to idsync_gateway, idsync_directory, idsync_sync_worker, idsync_webhook_dispatcher;
SQL
