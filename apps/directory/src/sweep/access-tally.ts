import { encodeId, type ShownAccess } from '@idsync/contracts';
import type { StoredIdentity } from '@idsync/database/directory';
import type { Settled } from '../record-change.js';
import { append } from '../value-sets.js';
import { isEnablingStep, isGainBySetting, isLosingStep } from './guard.js';

/** Statuses of an identity before and after changes. */
export interface Step {
  from: string;
  to: string;
}

interface StepOfIdentity {
  id: string;
  before: StoredIdentity;
  to: string;
}

/**
 * Returns the status that each changed identity gets; a merged one gets that of the other. One that is parted from an
 * identity without access comes from the status of that one.
 */
export function stepsOf(settled: Settled): StepOfIdentity[] {
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
      const gains = froms.every(({ status }) => isEnablingStep(status, made.get(id) ?? ''));
      return gains && froms[0] ? [[id, froms[0]]] : [];
    }),
  );
}

/** An identity of machines alone is active as they are, until a person is found. */
export function isPerson({ document }: StoredIdentity): boolean {
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
