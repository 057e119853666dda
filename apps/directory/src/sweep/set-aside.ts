import type { Safeguard, SourceRecord } from '@idsync/contracts';
import type { Transaction } from '@idsync/database';
import type { Cause } from '../cause.js';
import type { AccessChanges } from '../divide-batch.js';
import type { KeyRules } from '../matching/key-rules.js';
import type { RecordChange } from '../record-change.js';
import { countedChanges } from './changed-fields.js';
import { destructiveActionOf } from './guard.js';
import { planChanges } from './plan-changes.js';

/**
 * Returns true for a change that only the sweep applies: a disable, a deletion, a return to `active` or another person
 * under the same id, and with the safeguard of a source that has people already, a new person or a change of a field that identifies one.
 */
export function isSetAside(change: RecordChange, guard: Safeguard | undefined, rules: KeyRules): boolean {
  if (destructiveActionOf(change) !== undefined) return true;
  if (countedChanges(change, guard, rules).length > 0) return true;
  return guard !== undefined && change.before === undefined;
}

export function changesAccess({ record }: RecordChange, { takers, givers }: AccessChanges): boolean {
  return takers.has(record.externalId) || givers.has(record.externalId);
}

/**
 * Plans the changes that are set aside, and returns the others. Only the sweep knows how many there are in the whole run, so
 * it applies all of them or none. `found`: changes that take or give access; the former are returned as `taking`, with those
 * among the planned ones.
 */
export async function setAside(
  tx: Transaction,
  cause: Cause,
  job: { id: string; connectorId: string },
  changes: readonly RecordChange[],
  incoming: ReadonlyMap<string, SourceRecord>,
  { guard, found }: { guard: Safeguard | undefined; found: AccessChanges },
): Promise<{ applied: RecordChange[]; taking: ReadonlySet<string> }> {
  const planned = changes.filter((change) => changesAccess(change, found) || isSetAside(change, guard, cause.rules));
  if (planned.length === 0) return { applied: [...changes], taking: found.takers };
  const planTakers = await planChanges(tx, cause, job, planned, incoming, guard);
  const applied = [
    ...changes.filter((change) => !planned.includes(change)),
    ...planned.flatMap((change) => undone(change, job)),
  ];
  return { applied, taking: new Set([...found.takers, ...planTakers]) };
}

/**
 * Restores a record that an earlier entry of the same run has changed, because the later entry counts, and waits: until
 * then the record has the values from before the run, whatever the order of the batches is.
 */
function undone({ before, record }: RecordChange, { id }: { id: string }): RecordChange[] {
  if (before?.previous === undefined || before.lastJobId !== id) return [];
  const { fields, status, changedAt, contentHash } = before.previous;
  const hash = Buffer.from(contentHash, 'base64');
  return [{ before, record: { ...before, fields, status, changedAt, contentHash: hash, updatedAt: record.updatedAt } }];
}
