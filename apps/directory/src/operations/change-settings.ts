import { defaultMatchingRules, recordKinds } from '@idsync/contracts';
import type { Transaction } from '@idsync/database';
import {
  clearCommonKeys,
  clearFormerRules,
  countQueued,
  countRecords,
  findRecordIds,
  isQueueReady,
  lockRecordsById,
  queueForMatching,
  type StoredRecord,
  saveAttributePriorities,
  saveConnectorRank,
  saveLifecyclePolicy,
  saveMatchingRules,
  saveWeakKeys,
  takeQueued,
} from '@idsync/database/directory';
import { findMatchingRules } from '@idsync/database/settings';
import { applyChanges } from '../changes/apply-changes.js';
import type { Cause } from '../changes/cause.js';
import type { RecordChange } from '../changes/record-change.js';
import { stampLifecycle, withCurrentStatus } from '../lifecycle/stamp-records.js';
import { compareRecords } from '../matching/propose-matches.js';
import { isDeleted } from '../matching/record-keys.js';
import { comparedValues, isCompared } from '../matching/save-keys.js';
import { idsOf } from '../shared/collections.js';
import { RuleOutcome } from './rule-outcome.js';
import type { Position, TenantChange } from './tenant-change.js';

/** All records of a tenant: people first, because accounts and machines follow them. */
const ofAllRecords = {
  isOfSettings: true,
  steps: recordKinds.length,
  count: countRecords,
  find: async (tx: Transaction, _: object, { step, after }: Position, limit: number) => {
    const kind = recordKinds[step];
    return kind ? findRecordIds(tx, kind, after, limit) : [];
  },
} as const;

/** Applies new priorities of the tenant or of a connector by rendering every identity again. */
export const rankAttributes: TenantChange<'attributes.rank'> = {
  ...ofAllRecords,
  nothing: { identities_changed: 0 },
  begin: async (tx, _, { priorities, connector }) => {
    if (priorities) {
      const rows = priorities.map(({ field, connector_id, priority }) => ({
        field,
        connectorId: connector_id,
        priority,
      }));
      await saveAttributePriorities(tx, rows);
    }
    if (connector) await saveConnectorRank(tx, connector);
  },
  change: async (tx, cause, _, ids, done) => renderAgain(tx, cause, sameRecords(await lockRecordsById(tx, ids)), done),
};

/** Saves a tenant's lifecycle policy and computes all statuses and due times by it. */
export const changeLifecycle: TenantChange<'lifecycle.change'> = {
  ...ofAllRecords,
  nothing: { identities_changed: 0 },
  begin: (tx, cause, { policy }) => saveLifecyclePolicy(tx, policy, cause.now),
  change: async (tx, cause, _, ids, done) => {
    const changes = (await lockRecordsById(tx, ids)).map((record) => underPolicy(record, cause));
    return renderAgain(tx, cause, changes, done);
  },
};

/** Renders the identities of these records again. */
async function renderAgain(
  tx: Transaction,
  cause: Cause,
  changes: readonly RecordChange[],
  { identities_changed: earlier }: { identities_changed: number },
): Promise<{ identities_changed: number }> {
  const { identities } = await applyChanges(tx, { ...cause, rerender: true }, changes);
  return { identities_changed: earlier + identities.length };
}

function sameRecords(records: readonly StoredRecord[]): RecordChange[] {
  return records.map((record) => ({ record, before: record }));
}

/** Returns the record itself if the policy changes neither its status nor its due time. */
function underPolicy(before: StoredRecord, { policy, now }: Cause): RecordChange {
  const record = isDeleted(before) ? { ...before } : withCurrentStatus(before, policy, now);
  stampLifecycle({ before, record }, policy, { now, at: now });
  const isSame = record.status === before.status && record.dueAt?.getTime() === before.dueAt?.getTime();
  return { before, record: isSame ? before : record };
}

/** Records per comparison by the fuzzy rules, each loaded with the records that share a fuzzy value with it. */
const comparedAtOnce = 300;
/** Records that are compared by the fuzzy rules here; the rest is counted, and compared afterwards. */
const mostCompared = 30_000;

/**
 * Saves a tenant's matching rules and matches all records again, except manually linked ones, first by match keys and
 * then by the fuzzy rules. Batches use the new rules at once. Until all records are matched, the former rules say which
 * keys a record may still have, and no fuzzy match is made, for which a namesake could look unique.
 */
export const changeRules: TenantChange<'rules.change'> = {
  ...ofAllRecords,
  nothing: new RuleOutcome().result(),
  unfinished: 'no fuzzy match is made until matching rules are set again',
  begin: async (tx, { formerRules = [], now }, { rules }) => {
    const present = (await findMatchingRules(tx)) ?? defaultMatchingRules;
    await saveMatchingRules(tx, rules, [...formerRules, present], now);
    await clearCommonKeys(tx);
  },
  change: async (tx, cause, _, ids, done) => {
    const outcome = new RuleOutcome(done);
    const records = await lockRecordsById(tx, ids);
    const found = records.map((record) => ({ ...record, isNew: false, values: comparedValues(record, cause.rules) }));
    await saveWeakKeys(tx, found);
    await queueForMatching(tx, idsOf(records.filter(isCompared)));
    outcome.add(await applyChanges(tx, { ...cause, reconsider: true }, sameRecords(records)));
    return outcome.result();
  },
  follow: async (tx, cause, { preview }, done, { after, size }) => {
    const outcome = new RuleOutcome(done);
    const compared = Number(after ?? 0);
    // A job that reads people would make namesakes look unique; the match then follows its end.
    const compares = compared < mostCompared && (preview || (await isQueueReady(tx, true)));
    const atOnce = Math.min(size, comparedAtOnce);
    const queued = compares ? await takeQueued(tx, atOnce) : [];
    const { linked, proposed } = await compareRecords(tx, cause, queued);
    for (const settled of linked) outcome.add(settled);
    for (const proposal of proposed) outcome.addCase(proposal);
    if (queued.length === atOnce) return { done: outcome.result(), after: String(compared + queued.length) };
    await clearFormerRules(tx);
    return { done: { ...outcome.result(), records_not_compared: await countQueued(tx) } };
  },
};
