import type { ServiceName } from '@idsync/contracts';

/** The PostgreSQL role of each service, without superuser rights or bypass of row-level security. */
export const serviceRoles = {
  gateway: 'idsync_gateway',
  directory: 'idsync_directory',
  'sync-worker': 'idsync_sync_worker',
  'webhook-dispatcher': 'idsync_webhook_dispatcher',
} as const satisfies Record<ServiceName, string>;

export type ServiceRole = (typeof serviceRoles)[ServiceName];
