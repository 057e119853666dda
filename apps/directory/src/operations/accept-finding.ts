import type { OperationInput } from '@idsync/contracts';
import type { Transaction } from '@idsync/database';
import { lockFinding, saveAcceptance } from '@idsync/database/directory';
import type { Cause } from '../cause.js';
import { type Outcome, Refused } from './outcome.js';

/** Accepts a finding until a time, or permanently. It is still resolved when its reason is gone. */
export async function acceptFinding(
  tx: Transaction,
  { tenantId, now }: Cause,
  { finding_id, reason, by, until }: OperationInput<'finding.accept'>,
): Promise<Outcome<'finding.accept'>> {
  const finding = await lockFinding(tx, tenantId, finding_id);
  if (!finding) throw new Refused('the finding does not exist');
  if (finding.state === 'resolved') throw new Refused('the finding is resolved');
  const acceptance = {
    acceptedBy: by,
    acceptedReason: reason,
    acceptedAt: now,
    acceptedUntil: until === undefined ? null : new Date(until),
  };
  await saveAcceptance(tx, finding_id, { state: 'accepted', ...acceptance });
  return { result: { finding_id, state: 'accepted' } };
}
