// "Deletion detection" of docs/directory.md: by which changes people of other sources lose access.
import type { Directory } from './directory.js';
import { statusOfPerson } from './lifecycle.js';
import { destructiveAction, isEnabled } from './sweep.js';
import { type Entry, isDeleted, isUser } from './types.js';

interface Tried {
  /** The people who lose access, and those who get it again. */
  losing: ReadonlySet<number>;
  gaining: readonly number[];
  /** The names of the new and changed records by which they do. */
  takers: ReadonlySet<string>;
  after: State;
}

/** Applies one part after the other, and takes all of them back. Returns what each part does. */
export function rehearse<Part>(
  directory: Directory,
  created: readonly string[],
  parts: readonly Part[],
  apply: (part: Part) => void,
): Tried[] {
  const restore = directory.snapshot();
  const tried = parts.map((part) => {
    const before = stateOf(directory);
    apply(part);
    inOrderOfCreation(directory, created);
    const after = stateOf(directory);
    return { ...compare(before, after), after };
  });
  restore();
  return tried;
}

/** The state of all records at one time. */
export type State = ReadonlyMap<string, Readonly<Entry>>;

export const stateOf = ({ entries }: Directory): State =>
  new Map([...entries].map(([name, entry]) => [name, { ...entry }]));

function inOrderOfCreation({ entries }: Directory, created: readonly string[]): void {
  for (const entry of entries.values()) {
    const place = created.indexOf(entry.name);
    entry.nth = place < 0 ? created.length : place;
  }
}

/** Returns who has lost access between two states, and by which records. */
function compare(before: State, after: State): Omit<Tried, 'after'> {
  const losing = new Set(losersBetween(accessOf(before), after));
  const changes = [...after.values()].filter((entry) => hasChanged(before.get(entry.name), entry));
  const personsOf = (entry: Entry) => [entry.person, before.get(entry.name)?.person].flatMap((person) => person ?? []);
  const isMoved = (entry: Entry) => before.get(entry.name)?.person !== entry.person;
  const of = (people: ReadonlySet<number>) =>
    changes.filter((entry) => personsOf(entry).some((each) => people.has(each)));
  const direct = of(losing).filter((entry) => isMoved(entry) || before.get(entry.name)?.status !== entry.status);
  const explained = new Set(direct.flatMap(personsOf));
  let rest = new Set([...losing].filter((person) => !explained.has(person)));
  for (let size = -1; size < rest.size; ) {
    size = rest.size;
    rest = new Set([...rest, ...of(rest).filter(isMoved).flatMap(personsOf)]);
  }
  return {
    losing,
    gaining: gainersBetween(accessOf(before), after),
    takers: new Set([...direct, ...of(rest)].map(({ name }) => name)),
  };
}

/** The status of each person, with the records that the person has. */
export function accessOf(state: State): Map<number, { status: string; entries: readonly Entry[] }> {
  return new Map(
    [...peopleOf(state)].map(([person, entries]) => [person, { status: statusOfPerson(entries), entries }]),
  );
}

/** Counts active people; there are at most as many as users. */
export function peopleWithAccess(state: State): number {
  const active = [...accessOf(state).values()].filter(({ status }) => status === 'active').length;
  return Math.min(active, [...state.values()].filter((entry) => isUser(entry) && !isDeleted(entry)).length);
}

/** Returns who has lost access since; a leaver has none. */
export function losersBetween(was: Access, after: State): number[] {
  const loses = (from: string, to: string) =>
    from !== 'inactive' && destructiveAction({ status: from }, to) !== undefined;
  return changedBetween(was, after, loses);
}

/** Whether a person without access gets it, or will at a hire date. */
const isGained = (from: string, to: string): boolean => isEnabled(from, to === 'pending' ? 'active' : to);

/** Returns who has got access again since; by a change of settings also who has got it before the hire date. */
export function gainersBetween(was: Access, after: State, isGain = isGained): number[] {
  return [...changedBetween(was, after, isGain), ...partedBetween(was, after)];
}

/** Returns the new people whose records all come from people without access. */
function partedBetween(was: Access, after: State): number[] {
  const statusBefore = new Map(
    [...was.values()].flatMap(({ status, entries }) => entries.map(({ name }) => [name, status] as const)),
  );
  const made = [...peopleOf(after)].filter(([person]) => !was.has(person));
  return made.flatMap(([person, entries]) => {
    const froms = entries.flatMap(({ name }) => statusBefore.get(name) ?? []);
    const gains = froms.length > 0 && froms.every((from) => isGained(from, statusOfPerson(entries)));
    return gains ? [person] : [];
  });
}

type Access = ReturnType<typeof accessOf>;

function changedBetween(was: Access, after: State, isMeant: (from: string, to: string) => boolean): number[] {
  const is = peopleOf(after);
  const changed = [...was].filter(([person, { status, entries }]) => {
    const now = is.get(person) ?? is.get(successorOf(entries, after)) ?? [];
    return now.length > 0 && isMeant(status, statusOfPerson(now));
  });
  return changed.map(([person]) => person);
}

function peopleOf(state: State): Map<number, Entry[]> {
  const people = new Map<number, Entry[]>();
  for (const entry of state.values())
    if (entry.person !== undefined) people.set(entry.person, [...(people.get(entry.person) ?? []), entry]);
  return people;
}

/** The person who has most of the records now, of several the oldest. */
function successorOf(entries: readonly Entry[], after: State): number {
  const persons = entries.flatMap(({ name }) => after.get(name)?.person ?? []).sort((a, b) => a - b);
  const count = (person: number) => persons.filter((each) => each === person).length;
  return persons.sort((a, b) => count(b) - count(a) || a - b)[0] ?? 0;
}

const hasChanged = (before: Entry | undefined, after: Entry): boolean =>
  before === undefined ||
  before.person !== after.person ||
  before.status !== after.status ||
  JSON.stringify(before.fields) !== JSON.stringify(after.fields);
