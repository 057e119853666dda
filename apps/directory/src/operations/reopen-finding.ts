import type { OperationInput } from '@idsync/contracts';
import type { Transaction } from '@idsync/database';
import { recordEvents } from '@idsync/database/bus';
import { lockFinding, saveAcceptance } from '@idsync/database/directory';
import type { Cause } from '../cause.js';
import { findingEvent } from '../findings/finding-events.js';
import { type Outcome, Refused } from './outcome.js';

/** Withdraws the acceptance of a finding. */
export async function reopenFinding(
  tx: Transaction,
  { tenantId, operationId }: Cause,
  { finding_id }: OperationInput<'finding.reopen'>,
): Promise<Outcome<'finding.reopen'>> {
  const finding = await lockFinding(tx, tenantId, finding_id);
  if (!finding) throw new Refused('the finding does not exist');
  if (finding.state !== 'accepted') throw new Refused(`the finding is not accepted, it is ${finding.state}`);
  const none = { acceptedBy: null, acceptedReason: null, acceptedAt: null, acceptedUntil: null };
  await saveAcceptance(tx, finding_id, { state: 'open', ...none });
  await recordEvents(tx, tenantId, [findingEvent({ ...finding, ...none, state: 'open' }, operationId)]);
  return { result: { finding_id, state: 'open' } };
}
