import type { Safeguard } from '@idsync/contracts';
import type { Transaction } from '@idsync/database';
import { countRecentLosses, lockLosses } from '@idsync/database/directory';
import { countIdentities } from '@idsync/database/settings';
import type { LossesOfDay } from './guard.js';

/**
 * Counts the people who lost access before a run or a change of settings, and, with the `active` ones, of how many; none if
 * only the source of the run took any. No other run or change counts until the end of the transaction.
 */
export async function lossesBefore(
  tx: Transaction,
  tenantId: string,
  cause: { id: string; connectorId: string },
  { within_hours }: Safeguard,
  active: number,
): Promise<Omit<LossesOfDay, 'count'>> {
  await lockLosses(tx, tenantId);
  const before = await countRecentLosses(tx, tenantId, cause, within_hours);
  // Some may have access again.
  return { before, of: before === 0 ? active : Math.min(before + active, await countIdentities(tx, tenantId)) };
}
