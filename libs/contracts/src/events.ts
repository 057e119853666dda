/** Every kind of event the service announces; kinds are only ever added. */
export const eventTypes = [
  'identity.created',
  'identity.updated',
  'identity.status_changed',
  'identity.merged',
  'identity.split',
  'identity.deleted',
  'user.created',
  'user.updated',
  'user.status_changed',
  'user.deleted',
  'account.created',
  'account.updated',
  'account.linked',
  'account.unlinked',
  'account.disabled',
  'account.deleted',
  'machine_identity.created',
  'machine_identity.updated',
  'machine_identity.owner_changed',
  'machine_identity.orphaned',
  'machine_identity.risk_changed',
  'machine_identity.decommissioned',
  'lifecycle.joiner',
  'lifecycle.mover',
  'lifecycle.leaver',
  'lifecycle.rejoiner',
  'sync.job.started',
  'sync.job.completed',
  'sync.job.failed',
  'sync.job.quarantined',
  'sync.job.cancelled',
  'webhook.test',
] as const;
export type EventType = (typeof eventTypes)[number];

/** One changed field in an event's details; `from` is absent if it was not known, `to` if it no longer is. */
export interface FieldChange {
  field: string;
  from?: string | string[];
  to?: string | string[];
  /** The connector's public id. */
  source?: string;
}
