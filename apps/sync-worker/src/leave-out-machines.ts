import type { Page } from '@idsync/connectors';
import type { Transaction } from '@idsync/database';
import { findKnownKinds, type JobSource } from '@idsync/database/sync';

/**
 * Leaves out records that look like machines: of people and accounts unless they are known as such, and of machines if
 * they are. So an attribute that a login gets neither deletes a person nor makes a machine of her.
 */
export async function leaveOutMachines<Read extends Pick<Page, 'records' | 'removed'>>(
  tx: Transaction,
  { connectorId, type, records: own }: JobSource,
  page: Read,
): Promise<Read> {
  const marked = page.records.filter((record) => record.looksLikeMachine);
  if (marked.length === 0) return page;
  const ids = marked.map(({ external_id }) => external_id);
  const known = await findKnownKinds(tx, type, ids);
  const idsOf = (some: typeof known) => new Set(some.map(({ externalId }) => externalId));
  const listed = idsOf(known.filter((record) => record.connectorId === connectorId));
  const people = idsOf(known.filter(({ kind }) => kind !== 'machine_identity'));
  const isKept = (id: string) => listed.has(id) || people.has(id) !== (own === 'machine_identity');
  const leftOut = new Set(ids.filter((id) => !isKept(id)));
  const records = page.records.filter(({ external_id }) => !leftOut.has(external_id));
  return { ...page, records, removed: [...(page.removed ?? []), ...leftOut] };
}
