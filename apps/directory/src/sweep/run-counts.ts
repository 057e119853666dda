import { defaultMatchingRules, type Safeguard } from '@idsync/contracts';
import type { Transaction } from '@idsync/database';
import {
  type Additions,
  countAdditions,
  countRecentLosses,
  type JobState,
  lockLosses,
  type RunCoverage,
} from '@idsync/database/directory';
import { countIdentities, findMatchingRules } from '@idsync/database/settings';
import { isPermanentKind } from '../matching/record-keys.js';
import type { LossesOfDay } from './guard.js';

/**
 * Counts what a run would add. A run that lists only some records cannot know whether the old ids are gone: a person with
 * the address of a listed one may be the same under a new id.
 */
export async function additionsOf(tx: Transaction, job: JobState): Promise<Additions> {
  if (!reportsDeletions(job)) return countAdditions(tx, job);
  const rules = (await findMatchingRules(tx)) ?? defaultMatchingRules;
  const addresses = rules.certain.filter((kind) => !isPermanentKind(kind, rules));
  return countAdditions(tx, job, addresses);
}

/**
 * Counts the people who lost access before a run or a change of settings, and, with the `active` ones, of how many; none if
 * only the source of the run took any. No other run or change counts until the end of the transaction.
 */
export async function lossesBefore(
  tx: Transaction,
  cause: { id: string; connectorId: string },
  { within_hours }: Safeguard,
  active: number,
): Promise<Omit<LossesOfDay, 'count'>> {
  await lockLosses(tx);
  const before = await countRecentLosses(tx, cause, within_hours);
  // Some may have access again.
  return { before, of: before === 0 ? active : Math.min(before + active, await countIdentities(tx)) };
}

/** Returns true for a run that lists only some records, so that a record that it does not list still exists. */
export function reportsDeletions({ mode }: Pick<JobState, 'mode'>): boolean {
  return mode === 'changes' || mode === 'record';
}

/** Returns the reason why a completely read run must delete nothing, or undefined if every record is accounted for. */
export function whyIncomplete(job: JobState, proof: RunCoverage): string | undefined {
  const accounted = job.recordsApplied + job.recordsFailed === job.recordsRead;
  if (job.batchesTotal === null || proof.batches !== job.batchesTotal || !accounted) {
    return 'nothing was deleted: not every record that was read is accounted for';
  }
  if (proof.errorsUnnamed > 0) {
    return `nothing was deleted: ${lines(proof.errorsUnnamed)} could be any of the records that were not listed`;
  }
  // The ids of failed records must not be deleted, but only the first ones are stored.
  if (proof.errorsKept < job.recordsFailed) return 'nothing was deleted: too many records were left out';
  return undefined;
}

function lines(count: number): string {
  return count === 1 ? '1 record without an id' : `${count} records without an id`;
}
