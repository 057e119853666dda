// Which identity a person keeps when records are joined or separated: ADR 0014.
import type { Group } from './contradictions.js';
import type { Entry } from './types.js';

/** Each group gets the oldest identity that its records are linked to and that no other group has a better claim to. */
export function assignPersons(
  groups: readonly Group[],
  personOf: (user: Entry) => number | undefined,
  newPerson: () => number,
): Map<Group, number> {
  /** Oldest first. */
  const personsOf = (group: Group) => [...new Set(group.flatMap((user) => personOf(user) ?? []))].sort((a, b) => a - b);
  const claimants = new Map<number, Group>();
  for (const group of groups) {
    for (const person of personsOf(group)) {
      const rival = claimants.get(person);
      if (rival === undefined || claim(group, person) < claim(rival, person)) claimants.set(person, group);
    }
  }
  return new Map(
    groups.map((group) => {
      const own = personsOf(group).filter((person) => claimants.get(person) === group);
      const manual = manualPersonOf(group);
      return [group, own.find((person) => person === manual) ?? own[0] ?? manual ?? newPerson()];
    }),
  );
}

const manualPersonOf = (group: Group): number | undefined => group.find(({ manual }) => manual)?.person;

/** A manual link has the first claim, then the oldest record. */
const claim = (group: Group, person: number): number =>
  manualPersonOf(group) === person ? -1 : Math.min(...group.map(({ nth }) => nth));

/** Where a user was linked; `isFirm` if it was there before any run that has not ended. */
export interface FormerLink {
  person: number;
  isFirm: boolean;
}

/** The identities that have lost all their users, with the one that has most of them now; firm links decide. */
export function successorsOf(
  groups: readonly Group[],
  persons: ReadonlyMap<Group, number>,
  formerly: ReadonlyMap<Entry, readonly FormerLink[]>,
): Map<number, number> {
  const kept = new Set(persons.values());
  const moves = groups.flatMap((group) =>
    group.flatMap((user) =>
      (formerly.get(user) ?? []).map(({ person, isFirm }) => ({ from: person, to: persons.get(group) ?? 0, isFirm })),
    ),
  );
  const lost = new Set(moves.flatMap(({ from }) => (kept.has(from) ? [] : from)));
  const successorOf = (person: number) => {
    const all = moves.filter(({ from }) => from === person);
    const firm = all.filter(({ isFirm }) => isFirm);
    return mostFrequent(firm.length > 0 ? firm : all);
  };
  return new Map([...lost].map((person) => [person, successorOf(person)]));
}

function mostFrequent(moves: readonly { to: number }[]): number {
  const count = (to: number) => moves.filter((move) => move.to === to).length;
  const [first] = moves.map(({ to }) => to).sort((a, b) => count(b) - count(a) || a - b);
  return first ?? 0;
}
