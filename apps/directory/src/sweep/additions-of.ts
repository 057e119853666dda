import { defaultMatchingRules } from '@idsync/contracts';
import type { Transaction } from '@idsync/database';
import { type Additions, countAdditions, type JobState } from '@idsync/database/directory';
import { findMatchingRules } from '@idsync/database/settings';
import { isPermanentKind } from '../matching/key-rules.js';
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
