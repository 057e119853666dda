import { encodeId, type LifecyclePolicy, type Safeguard, type SourceRecord } from '@idsync/contracts';
import type { Transaction } from '@idsync/database';
import {
  deleteEntries,
  findEntryRange,
  findReplacedAnchors,
  type JobState,
  lockRecordsById,
  type MovedAnchor,
  type ReplacedAnchor,
  type StoredRecord,
  saveMovedAnchors,
} from '@idsync/database/directory';
import { contentHash } from '../batch/content-hash.js';
import { nextRecord } from '../batch/read-batch.js';
import { boundChanges } from '../changes/field-changes.js';
import { namesDisagree, nameWords, shareOnlySurname } from '../matching/names.js';
import {
  contradict,
  isPermanentKind,
  type KeyRules,
  keyText,
  numbersOf,
  permanentKeys,
} from '../matching/record-keys.js';
import { byId, compareTexts, type Fields, sameValues } from '../shared/collections.js';
import { withSoonEnd } from './ends-soon.js';
import { countedChanges, planEntry } from './plan-changes.js';

interface Settings {
  guard: Safeguard;
  rules: KeyRules;
  policy: LifecyclePolicy;
  now: Date;
}

/** Entries of the plan per page. */
const pageSize = 1_000;

/**
 * Finds people that the run lists under a new external id and no longer under the old one, by the employee number or
 * another permanent key, and plans one change of the stored record instead of a creation and a deletion. An address is not enough, because
 * addresses are given to others.
 */
export async function moveAnchors(
  tx: Transaction,
  job: Pick<JobState, 'id' | 'connectorId' | 'kind'>,
  settings: Settings,
): Promise<void> {
  const range = await findEntryRange(tx, job.id);
  if (!range) return;
  const used = new Set<number>();
  const replaced: number[] = [];
  const kinds = ['employee_number', ...settings.rules.certain.filter((kind) => isPermanentKind(kind, settings.rules))];
  for (let first = range.first; first <= range.last; first += pageSize) {
    const pairs = await findReplacedAnchors(tx, job.id, { first, beyond: first + pageSize, kinds });
    if (pairs.length === 0) continue;
    const recordIds = pairs.map(({ recordId }) => recordId);
    const stored = await lockRecordsById(tx, recordIds);
    const moved = choosePairs(pairs, stored, used, job, settings);
    await saveMovedAnchors(tx, job.id, moved);
    replaced.push(...moved.map(({ deleteId }) => deleteId));
  }
  await deleteEntries(tx, job.id, replaced);
}

/**
 * Uses each record once, and adds its entries to `used`. If several contracts of a person get new ids, those with the
 * same hire date are the same, and the others follow in the order of the new ids.
 */
function choosePairs(
  pairs: readonly ReplacedAnchor[],
  stored: readonly StoredRecord[],
  used: Set<number>,
  { id: jobId, connectorId, kind }: Pick<JobState, 'id' | 'connectorId' | 'kind'>,
  { guard, rules, policy, now }: Settings,
): MovedAnchor[] {
  const records = byId(stored);
  const candidates = pairs.flatMap((pair) => {
    const before = records.get(pair.recordId);
    // Stored by the directory from a validated batch.
    const listed = JSON.parse(pair.incoming) as SourceRecord;
    return before && isSamePerson(before.fields, listed.fields, rules) ? [{ ...pair, before, listed }] : [];
  });
  const ordered = candidates.sort(
    (a, b) =>
      Number(isSameContract(b)) - Number(isSameContract(a)) ||
      compareTexts(a.listed.external_id, b.listed.external_id) ||
      compareTexts(a.recordId, b.recordId),
  );
  return ordered.flatMap(({ createId, deleteId, recordId, seq, before, listed }) => {
    if (used.has(createId) || used.has(deleteId)) return [];
    used.add(createId).add(deleteId);
    const source = { jobId, seq, connectorId, kind, policy, rules, now };
    const record = nextRecord(listed, contentHash(listed), source, before);
    const connector = encodeId('connector', connectorId);
    const anchor = { field: 'external_id', from: before.externalId, to: listed.external_id, source: connector };
    const { action, identityId, changes } = planEntry(withSoonEnd({ record, before }, guard, { policy, now }), listed);
    return [
      {
        createId,
        deleteId,
        recordId,
        action,
        identityId,
        movedFrom: before.externalId,
        basedOn: before.updatedAt,
        changes: boundChanges([anchor, ...changes]).changes,
        changedFields: countedChanges({ record, before }, guard, rules),
      },
    ];
  });
}

function isSameContract({ before, listed }: { before: StoredRecord; listed: SourceRecord }): boolean {
  return sameValues(before.fields.hire_date ?? [], listed.fields.hire_date ?? []);
}

/**
 * Returns true for equal employee numbers or other permanent keys, unless another one differs, or the names are of
 * different people or of relatives.
 */
function isSamePerson(before: Fields, listed: Fields, rules: KeyRules): boolean {
  const [stored, next] = [permanentKeys(before, rules), permanentKeys(listed, rules)];
  const known = new Set(stored.map(keyText));
  if (!next.some((key) => known.has(keyText(key))) || contradict(numbersOf(stored), numbersOf(next))) return false;
  const [a, b] = [nameWords(before), nameWords(listed)];
  return !namesDisagree(a, b) && !shareOnlySurname(a, b);
}
