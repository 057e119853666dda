import type { CorrelationKey } from '@idsync/database/directory';
import { contradict, type Numbers, numbersOf } from './numbers.js';
import { isPermanent, keyText, type RecordKey } from './record-keys.js';

/** An account or machine identity. It is linked to people's identities and never creates or joins one. */
export interface Follower {
  keys: readonly RecordKey[];
}

/** An identity to which an account could be linked or that could own a machine. */
export interface Holder {
  identityId: string;
  numbers: Numbers;
}

export interface Following {
  identityId?: string;
  /** Keys that rank above or beside the deciding one; a new holder of one of them would change the result. */
  waitsFor: CorrelationKey[];
  /** The strongest contested key, if no key decided. */
  dispute?: { key: CorrelationKey; candidates: string[] };
}

/**
 * Returns the one person who has the employee number, or another permanent key, of an account that is linked to another
 * person: a number was corrected, or given to another person.
 */
export function otherPerson(
  keys: readonly RecordKey[],
  identityId: string,
  holders: ReadonlyMap<string, readonly Holder[]>,
): { key: CorrelationKey; candidates: string[] } | undefined {
  for (const key of keys.filter(isPermanent)) {
    const candidates = [...new Set(holders.get(keyText(key))?.map((holder) => holder.identityId))];
    if (candidates.length === 1 && !candidates.includes(identityId)) return { key, candidates };
  }
  return undefined;
}

/**
 * Returns the permanent keys of an account that the person it is linked to does not have. Each new or former holder of one
 * of them may change the result of `otherPerson`.
 */
export function foreignNumbers(
  keys: readonly RecordKey[],
  identityId: string,
  holders: ReadonlyMap<string, readonly Holder[]>,
): RecordKey[] {
  const isOwn = (key: RecordKey) => holders.get(keyText(key))?.some((holder) => holder.identityId === identityId);
  return keys.filter((key) => isPermanent(key) && !isOwn(key));
}

/**
 * Finds the identity of a record by its strongest key with exactly one holder, ignoring holders with another employee
 * number or permanent key. All values of a key have the same rank.
 */
export function followPeople(follower: Follower, holders: ReadonlyMap<string, readonly Holder[]>): Following {
  const numbers = numbersOf(follower.keys);
  let dispute: Following['dispute'];
  const waitsFor: CorrelationKey[] = [];
  for (const kind of new Set(follower.keys.map((key) => key.kind))) {
    const values = follower.keys
      .filter((key) => key.kind === kind)
      .map((key) => {
        const fitting = (holders.get(keyText(key)) ?? []).filter((holder) => !contradict(numbers, holder.numbers));
        return { key, identityIds: fitting.map(({ identityId }) => identityId) };
      });
    const held = values.filter(({ identityIds }) => identityIds.length > 0);
    const candidates = [...new Set(held.flatMap(({ identityIds }) => identityIds))];
    const isDecided = candidates.length === 1;
    // A new holder of another value of the same rank would make the record disputed.
    waitsFor.push(...values.filter((each) => !isDecided || !held.includes(each)).map(({ key }) => key));
    if (isDecided) return { identityId: candidates[0], waitsFor };
    const [first] = held;
    if (first) dispute ??= { key: first.key, candidates };
  }
  return { waitsFor, ...(dispute && { dispute }) };
}
