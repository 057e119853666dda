/** The parts of a message of the event stream that decide what is read again. */
export interface EventMessage {
  event_type: string;
  identity_id?: string;
}

/** Queries by the first part of their key, which events change by the first part of their type. */
const byGroup: Record<string, readonly string[]> = {
  identity: ['people', 'people-count', 'identity', 'cases'],
  lifecycle: ['people', 'identity'],
  user: ['people', 'identity'],
  account: ['accounts', 'identity', 'cases'],
  machine_identity: ['machines', 'identity'],
  sync: ['jobs', 'connectors', 'cases', 'failing-records'],
  finding: ['findings'],
  webhook: ['webhooks', 'deliveries'],
};
const byEach = ['events', 'activity'];
const all = new Set([...byEach, ...Object.values(byGroup).flat()]);

/** Whether a query of a tenant may have another result after the events, or after any if they are unknown. */
export function isAffected(queryKey: readonly unknown[], tenantId: string, events?: readonly EventMessage[]): boolean {
  const [name, ofTenant, id] = queryKey as [string, ...unknown[]];
  if (ofTenant !== tenantId) return false;
  if (!events) return all.has(name);
  if (byEach.includes(name)) return events.length > 0;
  return events.some(
    ({ event_type, identity_id }) =>
      byGroup[event_type.split('.', 1)[0] ?? '']?.includes(name) && (name !== 'identity' || identity_id === id),
  );
}
