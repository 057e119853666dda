import type { Transaction } from '@idsync/database';
import { recordEvents } from '@idsync/database/bus';
import { lockFinding, type StoredFinding, saveAcceptance } from '@idsync/database/directory';
import { findingEvent } from '../findings/findings-of.js';
import { type Handler, Refused } from './outcome.js';

/** Accepts a finding until a time, or permanently. It is still resolved when its reason is gone. */
export const acceptFinding: Handler<'finding.accept'> = async (tx, { now }, { finding_id, reason, by, until }) => {
  const { state } = await requireFinding(tx, finding_id);
  if (state === 'resolved') throw new Refused('the finding is resolved');
  const acceptance = {
    acceptedBy: by,
    acceptedReason: reason,
    acceptedAt: now,
    acceptedUntil: until === undefined ? null : new Date(until),
  };
  await saveAcceptance(tx, finding_id, { state: 'accepted', ...acceptance });
  return { result: { finding_id, state: 'accepted' } };
};

/** Withdraws the acceptance of a finding. */
export const reopenFinding: Handler<'finding.reopen'> = async (tx, { operationId }, { finding_id }) => {
  const finding = await requireFinding(tx, finding_id);
  if (finding.state !== 'accepted') throw new Refused(`the finding is not accepted, it is ${finding.state}`);
  const none = { acceptedBy: null, acceptedReason: null, acceptedAt: null, acceptedUntil: null };
  await saveAcceptance(tx, finding_id, { state: 'open', ...none });
  await recordEvents(tx, [findingEvent({ ...finding, ...none, state: 'open' }, operationId)]);
  return { result: { finding_id, state: 'open' } };
};

async function requireFinding(tx: Transaction, id: string): Promise<StoredFinding> {
  const finding = await lockFinding(tx, id);
  if (!finding) throw new Refused('the finding does not exist');
  return finding;
}
