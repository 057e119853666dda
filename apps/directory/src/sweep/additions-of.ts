import { defaultMatchingRules, type Safeguard } from '@idsync/contracts';
import type { Transaction } from '@idsync/database';
import {
  type Additions,
  countAdditions,
  countRecentLosses,
  type JobState,
  lockLosses,
} from '@idsync/database/directory';
import { countIdentities, findMatchingRules } from '@idsync/database/settings';
import { isPermanentKind } from '../matching/key-rules.js';
import type { LossesOfDay } from './guard.js';
import { reportsDeletions } from './why-incomplete.js';

/**
 * Counts what a run would add. A run that lists only some records cannot know whether the old ids are gone: a person with
 * the address of a listed one may be the same under a new id.
 */
export async function additionsOf(tx: Transaction, tenantId: string, job: JobState): Promise<Additions> {
  if (!reportsDeletions(job)) return countAdditions(tx, job);
  const rules = (await findMatchingRules(tx, tenantId)) ?? defaultMatchingRules;
  const addresses = rules.certain.filter((kind) => !isPermanentKind(kind, rules));
  return countAdditions(tx, job, addresses);
}

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
