import type { OperationInput } from '@idsync/contracts';
import type { Transaction } from '@idsync/database';
import { recordEvents } from '@idsync/database/bus';
import { lockFinding, type StoredFinding, saveAcceptance } from '@idsync/database/directory';
import type { Cause } from '../cause.js';
import { findingEvent } from '../findings/findings-of.js';
import { type Outcome, Refused } from './outcome.js';

/** Accepts a finding until a time, or permanently. It is still resolved when its reason is gone. */
export async function acceptFinding(
  tx: Transaction,
  { tenantId, now }: Cause,
  { finding_id, reason, by, until }: OperationInput<'finding.accept'>,
): Promise<Outcome<'finding.accept'>> {
  const { state } = await requireFinding(tx, tenantId, finding_id);
  if (state === 'resolved') throw new Refused('the finding is resolved');
  const acceptance = {
    acceptedBy: by,
    acceptedReason: reason,
    acceptedAt: now,
    acceptedUntil: until === undefined ? null : new Date(until),
  };
  await saveAcceptance(tx, finding_id, { state: 'accepted', ...acceptance });
  return { result: { finding_id, state: 'accepted' } };
}

/** Withdraws the acceptance of a finding. */
export async function reopenFinding(
  tx: Transaction,
  { tenantId, operationId }: Cause,
  { finding_id }: OperationInput<'finding.reopen'>,
): Promise<Outcome<'finding.reopen'>> {
  const finding = await requireFinding(tx, tenantId, finding_id);
  if (finding.state !== 'accepted') throw new Refused(`the finding is not accepted, it is ${finding.state}`);
  const none = { acceptedBy: null, acceptedReason: null, acceptedAt: null, acceptedUntil: null };
  await saveAcceptance(tx, finding_id, { state: 'open', ...none });
  await recordEvents(tx, tenantId, [findingEvent({ ...finding, ...none, state: 'open' }, operationId)]);
  return { result: { finding_id, state: 'open' } };
}

async function requireFinding(tx: Transaction, tenantId: string, id: string): Promise<StoredFinding> {
  const finding = await lockFinding(tx, tenantId, id);
  if (!finding) throw new Refused('the finding does not exist');
  return finding;
}
