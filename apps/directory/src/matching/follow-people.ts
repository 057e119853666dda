import type { CorrelationKey } from '@idsync/database/directory';
import { keyText } from './record-keys.js';

/** An account or machine identity. It is linked to people's identities and never creates or joins one. */
export interface Follower {
  keys: readonly CorrelationKey[];
}

/** An identity to which an account could be linked or that could own a machine. */
export interface Holder {
  identityId: string;
  numbers: ReadonlySet<string>;
}

export interface Following {
  identityId?: string;
  /** Keys that rank above the deciding one; a new holder of one of them would change the result. */
  waitsFor: CorrelationKey[];
  /** The strongest contested key, if no key decided. */
  dispute?: { key: CorrelationKey; candidates: string[] };
}

/**
 * Returns the one person who has the employee number of an account that is linked to another person: a number was
 * corrected, or given to another person.
 */
export function otherPerson(
  keys: readonly CorrelationKey[],
  identityId: string,
  holders: ReadonlyMap<string, readonly Holder[]>,
): { key: CorrelationKey; candidates: string[] } | undefined {
  const key = keys.find(({ kind }) => kind === 'employee_number');
  const candidates = [...new Set((key && holders.get(keyText(key)))?.map((holder) => holder.identityId))];
  return key && candidates.length === 1 && !candidates.includes(identityId) ? { key, candidates } : undefined;
}

/**
 * Finds the identity of a record by its strongest key with exactly one holder, ignoring holders with another employee
 * number.
 */
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
