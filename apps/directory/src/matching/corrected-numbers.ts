// Links of earlier runs that a corrected permanent key contradicts.
import { shareName } from './names.js';
import { contradict, isPermanent, keyText, numbersOf, type RecordKey } from './record-keys.js';

/** A user with what the comparison of numbers needs. */
interface LinkedUser {
  recordId: string;
  keys: readonly RecordKey[];
  name: readonly string[];
  gone: boolean;
  linkStrength: string;
}

/** A record that contradicts the older records of its person, and the key that does. */
export interface Misfit {
  recordId: string;
  key: RecordKey;
}

/**
 * Separates the records of one identity that a corrected number has made two people: their permanent keys contradict
 * each other, and they share neither another match key nor a name.
 */
export function withoutUnsupported<User extends LinkedUser>(members: readonly User[]): User[][] {
  if (!haveSeveralNumbers(members)) return [[...members]];
  const parts = connected(members, support);
  const present = parts.filter((part) => part.some(({ gone }) => !gone));
  const [keeper, ...others] = present.length > 0 ? present : parts;
  const kept = [keeper ?? []];
  for (const part of others) {
    const fitting = kept.find((group) => !contradict(presentNumbers(group), presentNumbers(part)));
    if (fitting) fitting.push(...part);
    else kept.push(part);
  }
  // A deleted record separates no records, so it stays with the oldest part.
  if (present.length > 0) kept[0]?.push(...parts.filter((part) => !present.includes(part)).flat());
  return kept;
}

/**
 * Returns the oldest record of a person that an operator has not linked and whose permanent keys contradict those of
 * the older ones.
 */
export function misfitOf(members: readonly LinkedUser[]): Misfit | undefined {
  if (!haveSeveralNumbers(members)) return undefined;
  const numbered = members.filter(({ gone, keys }) => !gone && keys.some(isPermanent));
  const [first = [], ...others] = connected(
    numbered,
    (a, b) => shareKey(a.keys.filter(isPermanent), b.keys) && !contradict(numbersOf(a.keys), numbersOf(b.keys)),
  );
  const older = [...first];
  for (const part of others) {
    const isDecided = part.some(isManual) && older.some(isManual);
    const record = part.find((person) => !isManual(person));
    const key = record?.keys.find((each) => isPermanent(each) && contradict(numbersOf([each]), presentNumbers(older)));
    if (!isDecided && record && key) return { recordId: record.recordId, key };
    older.push(...part);
  }
  return undefined;
}

/** Returns false for nearly all people; nothing else is computed for them. */
function haveSeveralNumbers(members: readonly LinkedUser[]): boolean {
  if (members.length < 2) return false;
  return [...presentNumbers(members).values()].some((values) => values.size > 1);
}

function presentNumbers(members: readonly LinkedUser[]): ReturnType<typeof numbersOf> {
  return numbersOf(members.filter(({ gone }) => !gone).flatMap(({ keys }) => keys));
}

function support(a: LinkedUser, b: LinkedUser): boolean {
  return (isManual(a) && isManual(b)) || shareKey(a.keys, b.keys) || shareName(a.name, b.name);
}

function isManual({ linkStrength }: LinkedUser): boolean {
  return linkStrength === 'manual';
}

function shareKey(keys: readonly RecordKey[], others: readonly RecordKey[]): boolean {
  return keys.some((key) => others.some((other) => keyText(other) === keyText(key)));
}

/** Returns the connected parts, and their records, oldest first. */
export function connected<User extends Pick<LinkedUser, 'recordId'>>(
  members: readonly User[],
  touch: (a: User, b: User) => boolean,
): User[][] {
  let parts: User[][] = [];
  for (const person of [...members].sort((a, b) => (a.recordId < b.recordId ? -1 : 1))) {
    const touching = parts.filter((part) => part.some((other) => touch(person, other)));
    parts = [...parts.filter((part) => !touching.includes(part)), [...touching.flat(), person]];
  }
  const sorted = parts.map((part) => part.sort((a, b) => (a.recordId < b.recordId ? -1 : 1)));
  return sorted.sort(([a], [b]) => ((a?.recordId ?? '') < (b?.recordId ?? '') ? -1 : 1));
}
