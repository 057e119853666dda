import type { CorrelationKey } from '@idsync/database';
import { keyText } from './record-keys.js';

/** An account or a machine identity: it goes where people are, and never makes or joins any. */
export interface Follower {
  keys: readonly CorrelationKey[];
}

/** A person an account could belong to, or who could own a machine. */
export interface Holder {
  identityId: string;
  numbers: ReadonlySet<string>;
}

export interface Following {
  identityId?: string;
  /** Keys that would decide otherwise if somebody came to hold them: those that rank above the one that decided. */
  waitsFor: CorrelationKey[];
  /** The strongest key that several people hold, if none decided. */
  dispute?: { key: CorrelationKey; candidates: string[] };
}

/** Finds whom a record belongs to: the one person that holds its strongest key, if its employee number agrees. */
export function followPeople(follower: Follower, holders: ReadonlyMap<string, readonly Holder[]>): Following {
  const number = follower.keys.find((key) => key.kind === 'employee_number')?.value;
  let dispute: Following['dispute'];
  const waitsFor: CorrelationKey[] = [];
  for (const key of follower.keys) {
    const fitting = (holders.get(keyText(key)) ?? []).filter(
      ({ numbers }) => number === undefined || numbers.size === 0 || numbers.has(number),
    );
    const candidates = [...new Set(fitting.map(({ identityId }) => identityId))];
    if (candidates.length === 1) return { identityId: candidates[0], waitsFor };
    waitsFor.push(key);
    if (candidates.length > 1) dispute ??= { key, candidates };
  }
  return { waitsFor, ...(dispute && { dispute }) };
}
