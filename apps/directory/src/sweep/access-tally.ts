import { encodeId, type LosingAccess } from '@idsync/contracts';
import type { StoredIdentity } from '@idsync/database/directory';
import { destructiveStep } from './guard.js';

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

/** The people who lose access by all parts of one change, whichever part decides last. */
export class AccessTally {
  private readonly from = new Map<string, string>();
  private readonly losses = new Map<string, Step>();

  add(changed: ChangedIdentities): void {
    for (const { before, to } of stepsOf(changed)) {
      const known = this.from.get(before.id);
      if (known === undefined && (before.status === to || !isPerson(before))) continue;
      const from = known ?? before.status;
      this.from.set(before.id, from);
      if (destructiveStep(from, to)) this.losses.set(before.id, { from, to });
      else this.losses.delete(before.id);
    }
  }

  get count(): number {
    return this.losses.size;
  }

  /** Counts the people who are not among those that were shown. */
  beyond({ losing_access }: LosingAccess): number {
    const shown = new Set(losing_access.map(({ identity_id }) => identity_id));
    return [...this.losses.keys()].filter((id) => !shown.has(encodeId('identity', id))).length;
  }

  /** Lists at most `most` people, and counts all; undefined if there are none. */
  shown(most: number): LosingAccess | undefined {
    if (this.losses.size === 0) return undefined;
    const listed = [...this.losses].slice(0, most);
    return {
      losing_access: listed.map(([id, loss]) => ({ identity_id: encodeId('identity', id), ...loss })),
      losing_access_total: this.losses.size,
    };
  }
}
