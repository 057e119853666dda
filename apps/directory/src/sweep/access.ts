import { encodeId, type ShownAccess } from '@idsync/contracts';
import type { StoredIdentity } from '@idsync/database/directory';
import { type AccessChanges, ChangesAccess } from '../batch/divide-batch.js';
import type { RecordChange, Settled } from '../changes/record-change.js';
import { append } from '../shared/collections.js';
import { isGainBySetting, isGainingStep, isLosingStep } from './guard.js';

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
    const among = isLosingStep(from, to) ? losses : isGainingStep(from, to) ? gains : undefined;
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
  throw new ChangesAccess({ takers: externalIdsOf(takers, changes), givers: externalIdsOf(givers, changes) });
}

/** Returns the external ids of those of the changes that take these steps. */
export function externalIdsOf(steps: Steps, changes: readonly RecordChange[]): Set<string> {
  return new Set(changes.flatMap(({ record }) => (steps.has(record.id) ? record.externalId : [])));
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

/** Statuses of an identity before and after changes. */
export interface Step {
  from: string;
  to: string;
}

/**
 * Returns the status that each changed identity gets; a merged one gets that of the other. One that is parted from an
 * identity without access comes from the status of that one.
 */
function stepsOf(settled: Settled): { id: string; before: StoredIdentity; to: string }[] {
  const { identities, merged } = settled;
  const after = new Map(identities.map(({ identity }) => [identity.id, identity.status]));
  const parted = partedFrom(settled);
  return [
    ...identities.map(({ identity: { id, status }, before }) => ({ id, before: before ?? parted.get(id), to: status })),
    ...merged.map(({ identity, intoId }) => ({ id: identity.id, before: identity, to: after.get(intoId) })),
  ].flatMap(({ id, before, to }) => (before && to !== undefined ? { id, before, to } : []));
}

/** Returns by new identity the one that its records have left, if that gives access to a person who had none. */
function partedFrom({ identities, merged, ended, records }: Settled): Map<string, StoredIdentity> {
  const made = new Map(identities.flatMap(({ identity, before }) => (before ? [] : [[identity.id, identity.status]])));
  if (made.size === 0) return new Map();
  const known = [...identities.map(({ before }) => before), ...merged.map(({ identity }) => identity), ...ended];
  const stored = new Map(known.flatMap((identity) => (identity ? [[identity.id, identity]] : [])));
  const left = new Map<string, StoredIdentity[]>();
  for (const { record, before } of records) {
    const { identityId = '' } = record;
    const from = made.has(identityId) ? stored.get(before?.identityId ?? '') : undefined;
    if (from) append(left, identityId, from);
  }
  return new Map(
    [...left].flatMap(([id, froms]) => {
      const gains = froms.every(({ status }) => isGainingStep(status, made.get(id) ?? ''));
      return gains && froms[0] ? [[id, froms[0]]] : [];
    }),
  );
}

/** An identity of machines alone is active as they are, until a person is found. */
function isPerson({ document }: StoredIdentity): boolean {
  const { users, accounts } = JSON.parse(document) as { users: object[]; accounts: object[] };
  return users.length + accounts.length > 0;
}

/** The people who lose access, or get it, by all parts of one change of settings, whichever part decides last. */
export class AccessTally {
  private readonly first = new Map<string, { from: string; shownId: string }>();
  private readonly changes = new Map<string, Step & { shownId: string }>();

  add(changed: Settled): void {
    for (const { id, before, to } of stepsOf(changed)) {
      // A new identity gets its id only when the change takes effect, so the one that it comes from is shown.
      const known = this.first.get(id) ?? this.first.get(before.id);
      if (known === undefined && (before.status === to || !isPerson(before))) continue;
      const first = known ?? { from: before.status, shownId: before.id };
      this.first.set(id, first);
      const { from } = first;
      if (isLosingStep(from, to) || isGainBySetting(from, to)) this.changes.set(id, { ...first, to });
      else this.changes.delete(id);
    }
  }

  /** Forgets an attempt of the change that was rolled back. */
  clear(): void {
    this.first.clear();
    this.changes.clear();
  }

  get losses(): number {
    return [...this.changes.values()].filter(({ from, to }) => isLosingStep(from, to)).length;
  }

  get gains(): number {
    return this.changes.size - this.losses;
  }

  /** Counts the people who are not among those that were shown. */
  beyond({ access_changes }: ShownAccess): number {
    const shown = new Set(access_changes.map(({ identity_id }) => identity_id));
    return [...this.changes.values()].filter(({ shownId }) => !shown.has(encodeId('identity', shownId))).length;
  }

  /** Lists at most `most` people, and counts all; undefined if there are none. */
  shown(most: number): ShownAccess | undefined {
    if (this.changes.size === 0) return undefined;
    const listed = [...this.changes.values()].slice(0, most);
    return {
      access_changes: listed.map(({ shownId, from, to }) => ({ identity_id: encodeId('identity', shownId), from, to })),
      access_changes_total: this.changes.size,
    };
  }
}
