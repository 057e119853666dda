import { recordKinds } from '@idsync/contracts';
import type { Transaction } from '@idsync/database';
import {
  clearKeys,
  countQueued,
  findRecordIds,
  isQueueReady,
  lockRecordsById,
  queueAllForMatching,
  type StoredRecord,
  saveAttributePriorities,
  saveConnectorRank,
  saveLifecyclePolicy,
  saveMatchingRules,
  saveWeakKeys,
  takeQueued,
} from '@idsync/database/directory';
import { applyChanges } from '../changes/apply-changes.js';
import { type Cause, loadTenant } from '../changes/cause.js';
import type { RecordChange } from '../changes/record-change.js';
import { stampLifecycle, withCurrentStatus } from '../lifecycle/stamp-records.js';
import { compareRecords } from '../matching/propose-matches.js';
import { isDeleted } from '../matching/record-keys.js';
import { comparedValues } from '../matching/save-keys.js';
import type { Handler } from './outcome.js';
import { RuleOutcome } from './rule-outcome.js';

/** Applies new priorities of the tenant or of a connector by rendering every identity again. */
export const rankAttributes: Handler<'attributes.rank'> = async (tx, cause, { priorities, connector }) => {
  if (priorities) {
    const rows = priorities.map(({ field, connector_id, priority }) => ({
      field,
      connectorId: connector_id,
      priority,
    }));
    await saveAttributePriorities(tx, cause.tenantId, rows);
  }
  if (connector) await saveConnectorRank(tx, cause.tenantId, connector);
  return applySettings(tx, cause, (record) => ({ record, before: record }));
};

/** Saves a tenant's lifecycle policy and computes all statuses and due times by it. */
export const changeLifecycle: Handler<'lifecycle.change'> = async (tx, cause, { policy }) => {
  await saveLifecyclePolicy(tx, cause.tenantId, policy, cause.now);
  return applySettings(tx, cause, underPolicy);
};

/** Renders every identity again by the saved settings, from these changes of its records. */
async function applySettings(
  tx: Transaction,
  given: Cause,
  changeOf: (record: StoredRecord, cause: Cause) => RecordChange,
): Promise<{ result: { identities_changed: number } }> {
  const cause = { ...given, ...(await loadTenant(tx, given.tenantId)), rerender: true };
  let changed = 0;
  for await (const records of everyRecord(tx, cause.tenantId)) {
    const changes = records.map((record) => changeOf(record, cause));
    changed += (await applyChanges(tx, cause, changes)).identities.length;
  }
  return { result: { identities_changed: changed } };
}

/** Returns the record itself if the policy changes neither its status nor its due time. */
function underPolicy(before: StoredRecord, { policy, now }: Cause): RecordChange {
  const record = isDeleted(before) ? { ...before } : withCurrentStatus(before, policy, now);
  stampLifecycle({ before, record }, policy, { now, at: now });
  const isSame = record.status === before.status && record.dueAt?.getTime() === before.dueAt?.getTime();
  return { before, record: isSame ? before : record };
}

const chunkSize = 1_000;

/** Locks and yields all records of a tenant in chunks: people first, because accounts and machines follow them. */
async function* everyRecord(tx: Transaction, tenantId: string): AsyncGenerator<StoredRecord[]> {
  for (const kind of recordKinds) {
    for (let after: string | undefined; ; ) {
      const ids = await findRecordIds(tx, tenantId, kind, after, chunkSize);
      if (ids.length === 0) break;
      after = ids.at(-1);
      yield await lockRecordsById(tx, ids);
    }
  }
}

/** Records per comparison by the fuzzy rules, each loaded with the records that share a fuzzy value with it. */
const comparedAtOnce = 300;
/** Records that are compared by the fuzzy rules here; the rest is counted, and compared afterwards. */
const mostCompared = 30_000;

/**
 * Saves a tenant's matching rules and matches all records again, except manually linked ones, first by match keys and
 * then by the fuzzy rules. Runs in one transaction, chunk by chunk; a preview does the same and is rolled back.
 */
export const changeRules: Handler<'rules.change'> = async (tx, tenant, { rules, preview }) => {
  const cause = { ...tenant, rules, reconsider: true };
  await saveMatchingRules(tx, cause.tenantId, rules, cause.now);
  await clearKeys(tx, cause.tenantId);
  const outcome = new RuleOutcome();
  for await (const records of everyRecord(tx, cause.tenantId)) {
    const found = records.map((record) => ({ ...record, isNew: false, values: comparedValues(record, rules) }));
    await saveWeakKeys(tx, cause.tenantId, found);
    const changes = records.map((record) => ({ record, before: record }));
    outcome.add(await applyChanges(tx, cause, changes));
  }
  await queueAllForMatching(tx, cause.tenantId);
  // A job that reads people would make namesakes look unique; the match then follows its end.
  if (preview || (await isQueueReady(tx, cause.tenantId))) await matchFuzzily(tx, { ...tenant, rules }, outcome);
  return { result: outcome.result(await countQueued(tx, cause.tenantId)) };
};

/** Makes the fuzzy match that follows new rules. */
async function matchFuzzily(tx: Transaction, cause: Cause, outcome: RuleOutcome): Promise<void> {
  for (let compared = 0; compared < mostCompared; compared += comparedAtOnce) {
    const queued = await takeQueued(tx, cause.tenantId, comparedAtOnce);
    const { linked, proposed } = await compareRecords(tx, cause, queued);
    for (const settled of linked) outcome.add(settled);
    for (const proposal of proposed) outcome.addCase(proposal);
    if (queued.length < comparedAtOnce) return;
  }
}
