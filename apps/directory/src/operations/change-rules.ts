import type { OperationInput } from '@idsync/contracts';
import type { Transaction } from '@idsync/database';
import {
  clearKeys,
  countQueued,
  isQueueReady,
  queueAllForMatching,
  saveMatchingRules,
  saveWeakKeys,
  takeQueued,
} from '@idsync/database/directory';
import { applyChanges } from '../apply-changes.js';
import type { Cause } from '../cause.js';
import { weakValues } from '../matching/weak-values.js';
import { compareRecords } from '../propose-matches.js';
import { everyRecord } from './every-record.js';
import { type Outcome, Previewed } from './outcome.js';
import { RuleOutcome } from './rule-outcome.js';

/** Records per comparison by the fuzzy rules, each loaded with the records that share a fuzzy value with it. */
const comparedAtOnce = 300;
/** Records that are compared by the fuzzy rules here; the rest is counted, and compared afterwards. */
const mostCompared = 30_000;

/**
 * Saves a tenant's matching rules and matches all records again, except manually linked ones, first by match keys and
 * then by the fuzzy rules. Runs in one transaction, chunk by chunk; a preview does the same and is rolled back.
 */
export async function changeRules(
  tx: Transaction,
  tenant: Cause,
  { rules, preview }: OperationInput<'rules.change'>,
): Promise<Outcome<'rules.change'>> {
  const cause = { ...tenant, rules, reconsider: true };
  await saveMatchingRules(tx, cause.tenantId, rules, cause.now);
  await clearKeys(tx, cause.tenantId);
  const outcome = new RuleOutcome();
  for await (const records of everyRecord(tx, cause.tenantId)) {
    const people = records.filter(({ kind }) => kind !== 'machine_identity');
    const found = people.map(({ id, fields }) => ({ id, isNew: false, values: weakValues(fields, rules) }));
    await saveWeakKeys(tx, cause.tenantId, found);
    outcome.add(
      await applyChanges(
        tx,
        cause,
        records.map((record) => ({ record, before: record })),
      ),
    );
  }
  await queueAllForMatching(tx, cause.tenantId);
  // A job that reads people would make namesakes look unique; the match then follows its end.
  const isDue = preview || (await isQueueReady(tx, cause.tenantId));
  const fuzzy = isDue ? await matchFuzzily(tx, { ...tenant, rules }, outcome) : await notCompared(tx, cause);
  const result = outcome.result(fuzzy);
  if (preview) throw new Previewed(result);
  return { result };
}

/** Makes the fuzzy match that follows new rules. */
async function matchFuzzily(tx: Transaction, cause: Cause, outcome: RuleOutcome): Promise<{ notCompared: number }> {
  for (let compared = 0; compared < mostCompared; compared += comparedAtOnce) {
    const queued = await takeQueued(tx, cause.tenantId, comparedAtOnce);
    const { linked, proposed } = await compareRecords(tx, cause, queued);
    for (const settled of linked) outcome.add(settled);
    for (const proposal of proposed) outcome.addCase(proposal);
    if (queued.length < comparedAtOnce) break;
  }
  return notCompared(tx, cause);
}

async function notCompared(tx: Transaction, { tenantId }: Cause): Promise<{ notCompared: number }> {
  return { notCompared: await countQueued(tx, tenantId) };
}
