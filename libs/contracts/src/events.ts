/** All event types; types are only ever added. */
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
  'finding.opened',
  'finding.resolved',
  'group.created',
  'group.members_changed',
  'group.deleted',
] as const;
export type EventType = (typeof eventTypes)[number];

/** One changed field of an event; `from` is absent if there was no value before, `to` if there is none now. */
export type FieldChange = {
  field: string;
  from?: string | string[];
  to?: string | string[];
  /** The public id of the connector. */
  source?: string;
};

/** Whether the `data` of an event has previous values, as `changes`. */
export function showsChanges(type: string): boolean {
  return type.endsWith('.updated') || type.endsWith('.status_changed');
}
