create role idsync login nosuperuser bypassrls password 'development';
create role idsync_gateway login nosuperuser nobypassrls password 'development';
create role idsync_directory login nosuperuser nobypassrls password 'development';
create role idsync_sync_worker login nosuperuser nobypassrls password 'development';
create role idsync_webhook_dispatcher login nosuperuser nobypassrls password 'development';
grant idsync_gateway, idsync_directory, idsync_sync_worker, idsync_webhook_dispatcher to idsync;
create database idsync owner idsync;
