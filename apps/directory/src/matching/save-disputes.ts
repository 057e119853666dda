import { newUuid } from '@idsync/contracts';
import { saveCases, settleCases, type Transaction } from '@idsync/database';
import type { Cause } from '../cause.js';
import type { PlacedRecords } from './place-records.js';

/** Opens a case for every record whose certain keys fit several people, and closes those that evidence has settled. */
export async function saveDisputes(tx: Transaction, { tenantId, now }: Cause, placed: PlacedRecords): Promise<void> {
  const disputed = new Set(placed.disputes.map(({ record }) => record.id));
  const known = [...placed.changes.values()].flatMap(({ before }) =>
    before && !disputed.has(before.id) && !placed.guests.has(before.id) ? before.id : [],
  );
  await settleCases(tx, known, 'contested', now);
  const linked = [...placed.changes.values()].filter(
    ({ record, before }) => before && record.kind === 'account' && record.identityId && !before.identityId,
  );
  await settleCases(
    tx,
    linked.map(({ record }) => record.id),
    undefined,
    now,
  );
  await saveCases(
    tx,
    tenantId,
    placed.disputes.map(({ record, key, candidates }) => ({
      id: newUuid(),
      recordId: record.id,
      kind: 'contested',
      reason: `${key.kind} ${JSON.stringify(key.value)} belongs to several people`,
      candidates: candidates.map((id) => ({ identity_id: id, score: 1, evidence: [`${key.kind} is the same`] })),
      openedAt: now,
    })),
  );
}
