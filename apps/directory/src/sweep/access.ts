import { TakesAccess } from '../divide-batch.js';
import type { RecordChange } from '../record-change.js';
import type { Settled } from '../settle-identities.js';
import { isPerson, type Loss, stepsOf } from './access-tally.js';
import { destructiveStep } from './guard.js';

/** Returns the identities that lose access, although their records may be new or unchanged: another source decides now. */
export function lossesOf(settled: Settled): Map<string, Loss> {
  const losses = new Map<string, Loss>();
  for (const { before, to } of stepsOf(settled)) {
    if (destructiveStep(before.status, to) && isPerson(before)) losses.set(before.id, { from: before.status, to });
  }
  return losses;
}

/**
 * Returns those of the changes by which people lose access, with what their identity loses: those that link a record, or
 * change its status, or else all changes of identities that exchange records with one that loses access.
 */
export function takersOf(settled: Settled, changes: readonly RecordChange[]): Map<string, Loss> {
  const losses = lossesOf(settled);
  if (losses.size === 0) return new Map();
  const own = new Set(changes.map(({ record }) => record.id));
  const takers = new Map<string, Loss>();
  const take = (among: readonly RecordChange[], lost: ReadonlyMap<string, Loss>) => {
    const explained = new Set<string>();
    for (const change of among) {
      const loss = own.has(change.record.id) ? lossOf(change, lost) : undefined;
      if (!loss) continue;
      takers.set(change.record.id, loss);
      for (const id of identitiesOf(change)) explained.add(id);
    }
    return explained;
  };
  const linked = settled.records.filter(isLinked);
  const explained = take(
    settled.records.filter((change) => isLinked(change) || change.before?.status !== change.record.status),
    losses,
  );
  const touched = new Map([...losses].filter(([id]) => !explained.has(id)));
  for (let size = -1; size < touched.size; ) {
    size = touched.size;
    for (const change of linked) {
      const loss = lossOf(change, touched);
      if (loss) for (const id of identitiesOf(change)) touched.set(id, touched.get(id) ?? loss);
    }
  }
  take(settled.records, touched);
  return takers;
}

function isLinked({ record, before }: RecordChange): boolean {
  return record.identityId !== before?.identityId;
}

function identitiesOf({ record, before }: RecordChange): string[] {
  return [record.identityId, before?.identityId].filter((id) => id !== undefined);
}

function lossOf(change: RecordChange, losses: ReadonlyMap<string, Loss>): Loss | undefined {
  return identitiesOf(change).flatMap((id) => losses.get(id) ?? [])[0];
}

/** Throws TakesAccess if people lose access by changes that a run must not apply before it is complete. */
export function requireAccessKept(settled: Settled, changes: readonly RecordChange[]): void {
  const takers = takersOf(settled, changes);
  if (takers.size === 0) return;
  throw new TakesAccess(changes.flatMap(({ record }) => (takers.has(record.id) ? record.externalId : [])));
}

/** Repeats a transaction with the changes set aside that take access, until the others take none. */
export async function settingAside<Result>(attempt: (takers: ReadonlySet<string>) => Promise<Result>): Promise<Result> {
  const takers = new Set<string>();
  for (;;) {
    try {
      return await attempt(takers);
    } catch (error) {
      if (!(error instanceof TakesAccess) || error.externalIds.every((id) => takers.has(id))) throw error;
      for (const id of error.externalIds) takers.add(id);
    }
  }
}
