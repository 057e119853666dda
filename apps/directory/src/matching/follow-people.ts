import type { CorrelationKey } from '@idsync/database/directory';
import { isSameName, namesDisagree } from './names.js';
import { contradict, isPermanent, keyText, type Numbers, numbersOf, type RecordKey } from './record-keys.js';

/** An identity to which an account could be linked or that could own a machine. */
export interface Holder {
  identityId: string;
  numbers: Numbers;
  /** Absent for the owner of a machine. */
  names?: Names;
}

/** The words of the name in each record of a person. */
export type Names = readonly (readonly string[])[];

export interface Following {
  identityId?: string;
  /** Keys that rank above or beside the deciding one; a new holder of one of them would change the result. */
  waitsFor: CorrelationKey[];
  /** The strongest contested key, if no key decided. */
  dispute?: { key: CorrelationKey; candidates: string[] };
}

/** An account that is linked to a person, with its keys that may show that it belongs to another one. */
export interface LinkedAccount {
  identityId: string;
  /** The words of its name, if no record of its person has any of them. */
  otherName: readonly string[] | undefined;
  /** Permanent keys; with another name all keys. */
  keys: readonly RecordKey[];
}

export function linkedAccount(
  identityId: string,
  keys: readonly RecordKey[],
  name: readonly string[],
  linkedTo: Names,
): LinkedAccount {
  const known = linkedTo.filter((words) => words.length > 0);
  const isOther = known.length > 0 && known.every((words) => namesDisagree(name, words));
  if (isOther) return { identityId, keys, otherName: name };
  return { identityId, keys: keys.filter(isPermanent), otherName: undefined };
}

/**
 * Returns the one other person who has the employee number, or another permanent key, of a linked account: a number was
 * corrected, or given to another person. Also the one with its address and its name: the login was handed over.
 */
export function otherPerson(
  { identityId, keys, otherName }: LinkedAccount,
  holders: ReadonlyMap<string, readonly Holder[]>,
): { key: CorrelationKey; candidates: string[] } | undefined {
  for (const key of keys) {
    const having = holders.get(keyText(key)) ?? [];
    const candidates = [...new Set(having.map((holder) => holder.identityId))];
    if (candidates.length !== 1 || candidates.includes(identityId)) continue;
    const isNamed = having.some(({ names = [] }) => names.some((words) => otherName && isSameName(otherName, words)));
    if (isPermanent(key) || isNamed) return { key, candidates };
  }
  return undefined;
}

/**
 * Returns the keys that the person of a linked account does not have. Each new or former holder of one of them may change
 * the result of `otherPerson`.
 */
export function foreignKeys(
  { identityId, keys }: LinkedAccount,
  holders: ReadonlyMap<string, readonly Holder[]>,
): RecordKey[] {
  const isOwn = (key: RecordKey) => holders.get(keyText(key))?.some((holder) => holder.identityId === identityId);
  return keys.filter((key) => !isOwn(key));
}

/**
 * Finds the identity of an account or machine by its strongest key with exactly one holder, ignoring holders with another
 * employee number or permanent key. All values of a key have the same rank.
 */
export function followPeople(keys: readonly RecordKey[], holders: ReadonlyMap<string, readonly Holder[]>): Following {
  const numbers = numbersOf(keys);
  let dispute: Following['dispute'];
  const waitsFor: CorrelationKey[] = [];
  for (const kind of new Set(keys.map((key) => key.kind))) {
    const values = keys
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
