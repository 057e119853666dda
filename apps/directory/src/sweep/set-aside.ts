import { outranks, type Safeguard, type SourceRecord } from '@idsync/contracts';
import type { Transaction } from '@idsync/database';
import { type StoredRecord, saveOutranked } from '@idsync/database/directory';
import type { AccessChanges } from '../batch/divide-batch.js';
import type { Cause } from '../changes/cause.js';
import type { RecordChange } from '../changes/record-change.js';
import type { KeyRules } from '../matching/record-keys.js';
import { destructiveActionOf } from './guard.js';
import { countedChanges, planChanges } from './plan-changes.js';

/**
 * Returns true for a change that only the sweep applies: a disable, a deletion, a return to `active` or another person
 * under the same id, and with the safeguard of a source that has people already, a new person or a change of a field that identifies one.
 */
export function isSetAside(change: RecordChange, guard: Safeguard | undefined, rules: KeyRules): boolean {
  if (destructiveActionOf(change) !== undefined) return true;
  if (countedChanges(change, guard, rules).length > 0) return true;
  return guard !== undefined && change.before === undefined;
}

/** A batch leaves these external ids to the sweep, too: changes of access, and rows that another one may outrank. */
export interface Waiting extends AccessChanges {
  guard: Safeguard | undefined;
  contested: ReadonlySet<string>;
}

export function isWaiting(
  change: RecordChange,
  { guard, takers, givers, contested }: Waiting,
  rules: KeyRules,
): boolean {
  return (
    [takers, givers, contested].some((ids) => ids.has(change.record.externalId)) || isSetAside(change, guard, rules)
  );
}

/**
 * Plans the changes that are set aside, and returns the others. Only the sweep knows how many there are in the whole run, so
 * it applies all of them or none. `takers`, with those that were found among the planned changes, are returned as `taking`.
 */
export async function setAside(
  tx: Transaction,
  cause: Cause,
  job: { id: string; connectorId: string },
  changes: readonly RecordChange[],
  incoming: ReadonlyMap<string, SourceRecord>,
  waiting: Waiting,
): Promise<{ applied: RecordChange[]; taking: ReadonlySet<string> }> {
  const { takers, guard } = waiting;
  const planned = changes.filter((change) => isWaiting(change, waiting, cause.rules));
  if (planned.length === 0) return { applied: [...changes], taking: takers };
  const found = await planChanges(tx, cause, job, planned, incoming, guard);
  const restored = planned.flatMap((change) => undone(change, job, cause.now));
  const outranked = restored.map(({ record }) => ({ seq: record.lastSeq, id: record.id }));
  await saveOutranked(tx, job.id, outranked);
  const applied = [...changes.filter((change) => !planned.includes(change)), ...restored];
  return { applied, taking: new Set([...takers, ...found]) };
}

/**
 * Restores a record that another row of the same run has changed, because the row that is set aside counts, and waits:
 * until then the record has the values from before the run, whatever the order of the batches is.
 */
function undone({ before, record }: RecordChange, { id }: { id: string }, now: Date): RecordChange[] {
  if (before?.previous === undefined || before.lastJobId !== id || !countsRather(record, before, now)) return [];
  const { fields, status, changedAt, contentHash } = before.previous;
  const hash = Buffer.from(contentHash, 'base64');
  return [{ before, record: { ...before, fields, status, changedAt, contentHash: hash, updatedAt: record.updatedAt } }];
}

/** Returns true if, of two rows of one id, this one counts rather than the other: in doubt that of the later batch. */
function countsRather(row: StoredRecord, other: StoredRecord, now: Date): boolean {
  if (outranks(row.fields, other.fields, now)) return true;
  return row.lastSeq >= other.lastSeq && !outranks(other.fields, row.fields, now);
}
