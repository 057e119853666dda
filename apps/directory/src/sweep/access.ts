import { type AccessChanges, ChangesAccess } from '../divide-batch.js';
import type { RecordChange, Settled } from '../record-change.js';
import { isPerson, type Step, stepsOf } from './access-tally.js';
import { isEnablingStep, isLosingStep } from './guard.js';

type Steps = Map<string, Step>;

/** Returns the people who lose access, although their records may be new or unchanged: another source decides now. */
export function lossesOf(settled: Settled): Steps {
  return stepsOfPeople(settled).losses;
}

function stepsOfPeople(settled: Settled): { losses: Steps; gains: Steps } {
  const losses: Steps = new Map();
  const gains: Steps = new Map();
  for (const { id, before, to } of stepsOf(settled)) {
    const from = before.status;
    const among = isLosingStep(from, to) ? losses : isEnablingStep(from, to) ? gains : undefined;
    if (among && isPerson(before)) among.set(id, { from, to });
  }
  return { losses, gains };
}

/**
 * Returns, by record id, those of the changes by which people lose access, and by which they get it again, with what
 * their identity loses or gets.
 */
export function accessChangesOf(settled: Settled, changes: readonly RecordChange[]): { takers: Steps; givers: Steps } {
  const { losses, gains } = stepsOfPeople(settled);
  return { takers: causesOf(losses, settled, changes), givers: causesOf(gains, settled, changes) };
}

/**
 * Returns the changes that link a record of these people, or change its status, or else all changes of identities that
 * exchange records with them.
 */
function causesOf(losses: Steps, settled: Settled, changes: readonly RecordChange[]): Steps {
  if (losses.size === 0) return new Map();
  const own = new Set(changes.map(({ record }) => record.id));
  const takers: Steps = new Map();
  const take = (among: readonly RecordChange[], lost: ReadonlyMap<string, Step>) => {
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

function lossOf(change: RecordChange, losses: ReadonlyMap<string, Step>): Step | undefined {
  return identitiesOf(change).flatMap((id) => losses.get(id) ?? [])[0];
}

/** Throws ChangesAccess if people lose or get access by changes that a run must not apply before it is complete. */
export function requireAccessKept(settled: Settled, changes: readonly RecordChange[]): void {
  const { takers, givers } = accessChangesOf(settled, changes);
  if (takers.size + givers.size === 0) return;
  const idsOf = (steps: Steps) =>
    new Set(changes.flatMap(({ record }) => (steps.has(record.id) ? record.externalId : [])));
  throw new ChangesAccess({ takers: idsOf(takers), givers: idsOf(givers) });
}

/** Repeats a transaction with the changes set aside that take or give access, until the others do neither. */
export async function settingAside<Result>(attempt: (found: AccessChanges) => Promise<Result>): Promise<Result> {
  const takers = new Set<string>();
  const givers = new Set<string>();
  for (;;) {
    try {
      return await attempt({ takers, givers });
    } catch (error) {
      if (!(error instanceof ChangesAccess)) throw error;
      const size = takers.size + givers.size;
      for (const id of error.found.takers) takers.add(id);
      for (const id of error.found.givers) givers.add(id);
      if (takers.size + givers.size === size) throw error;
    }
  }
}
