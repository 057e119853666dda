import { encodeId, type ShownAccess } from '@idsync/contracts';
import type { StoredIdentity } from '@idsync/database/directory';
import { isEnablingStep, isLosingStep } from './guard.js';

/** Statuses of an identity before and after changes. */
export interface Step {
  from: string;
  to: string;
}

/** Written out here, because `settle-identities.ts` imports the cause, which has a tally. */
interface ChangedIdentities {
  identities: readonly { identity: Pick<StoredIdentity, 'id' | 'status'>; before?: StoredIdentity | undefined }[];
  merged: readonly { identity: StoredIdentity; intoId: string }[];
}

/** Returns the status that each changed identity gets; a merged one gets that of the other. */
export function stepsOf({ identities, merged }: ChangedIdentities): { before: StoredIdentity; to: string }[] {
  const after = new Map(identities.map(({ identity }) => [identity.id, identity.status]));
  return [
    ...identities.map(({ identity, before }) => ({ before, to: identity.status })),
    ...merged.map(({ identity, intoId }) => ({ before: identity, to: after.get(intoId) })),
  ].flatMap(({ before, to }) => (before && to !== undefined ? { before, to } : []));
}

/** An identity of machines alone is active as they are, until a person is found. */
export function isPerson({ document }: StoredIdentity): boolean {
  const { users, accounts } = JSON.parse(document) as { users: object[]; accounts: object[] };
  return users.length + accounts.length > 0;
}

/** The people who lose access, or get it again, by all parts of one change, whichever part decides last. */
export class AccessTally {
  private readonly from = new Map<string, string>();
  private readonly changes = new Map<string, Step>();

  add(changed: ChangedIdentities): void {
    for (const { before, to } of stepsOf(changed)) {
      const known = this.from.get(before.id);
      if (known === undefined && (before.status === to || !isPerson(before))) continue;
      const from = known ?? before.status;
      this.from.set(before.id, from);
      if (isLosingStep(from, to) || isEnablingStep(from, to)) this.changes.set(before.id, { from, to });
      else this.changes.delete(before.id);
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
    return [...this.changes.keys()].filter((id) => !shown.has(encodeId('identity', id))).length;
  }

  /** Lists at most `most` people, and counts all; undefined if there are none. */
  shown(most: number): ShownAccess | undefined {
    if (this.changes.size === 0) return undefined;
    const listed = [...this.changes].slice(0, most);
    return {
      access_changes: listed.map(([id, step]) => ({ identity_id: encodeId('identity', id), ...step })),
      access_changes_total: this.changes.size,
    };
  }
}
