import { encodeId, type FieldChange, recordIds } from '@idsync/contracts';
import { listNames } from '../render/render-identity.js';
import { append } from '../shared/collections.js';
import type { RecordChange, Settled } from './record-change.js';

/**
 * Returns by identity the records that it gained and lost, where no other event of the identity says so. A link of a
 * user has no other event; a record that is purged, or follows to another identity, has none for the identity that loses
 * it. A merge and a split have events for all records that they move.
 */
export function memberChanges({ records, merged, identities }: Settled): Map<string, FieldChange[]> {
  const moves = new Set([
    ...merged.map(({ identity, intoId }) => `${identity.id} ${intoId}`),
    ...identities.flatMap(({ identity, splitFrom }) => (splitFrom ? [`${splitFrom} ${identity.id}`] : [])),
  ]);
  const changes = new Map<string, FieldChange[]>();
  // The event of a new identity has no changes.
  const made = new Set(identities.flatMap(({ identity, before }) => (before ? [] : identity.id)));
  for (const change of records) {
    const { record, before } = change;
    const [from, to] = [before?.identityId, record.identityId];
    if (from === to || moves.has(`${from} ${to}`)) continue;
    if (from === undefined && to !== undefined && made.has(to)) continue;
    const [field, id] = [listNames[record.kind], encodeId(recordIds[record.kind], record.id)];
    const source = encodeId('connector', record.connectorId);
    if (to !== undefined && record.kind === 'user') append(changes, to, { field, to: id, source });
    if (from !== undefined && isUnsaid(change)) append(changes, from, { field, from: id, source });
  }
  return changes;
}

/** True unless the event of the record belongs to the identity that loses it, as `account.unlinked` does. */
function isUnsaid({ record, removed }: RecordChange): boolean {
  return removed === true || record.kind === 'user' || record.identityId !== undefined;
}
