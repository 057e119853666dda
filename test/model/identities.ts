// Which identity a person keeps when records are joined or separated: ADR 0014.
import type { Group } from './contradictions.js';
import type { Entry } from './types.js';

/** Each group gets the oldest identity that its records are linked to and that no other group has a better claim to. */
export function assignPersons(groups: readonly Group[], newPerson: () => number): Map<Group, number> {
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

/** Oldest first. */
const personsOf = (group: Group): number[] =>
  [...new Set(group.flatMap(({ person }) => person ?? []))].sort((a, b) => a - b);

const manualPersonOf = (group: Group): number | undefined => group.find(({ manual }) => manual)?.person;

/** A manual link has the first claim, then the oldest record. */
const claim = (group: Group, person: number): number =>
  manualPersonOf(group) === person ? -1 : Math.min(...group.map(({ nth }) => nth));

/** The identities that have lost all their users, with the one that has most of them now. */
export function successorsOf(
  groups: readonly Group[],
  persons: ReadonlyMap<Group, number>,
  formerly: ReadonlyMap<Entry, number | undefined>,
): Map<number, number> {
  const kept = new Set(persons.values());
  const moves = groups.flatMap((group) =>
    group.map((user) => ({ from: formerly.get(user), to: persons.get(group) ?? 0 })),
  );
  const lost = new Set(moves.flatMap(({ from }) => (from === undefined || kept.has(from) ? [] : from)));
  return new Map([...lost].map((person) => [person, mostFrequent(moves.filter(({ from }) => from === person))]));
}

function mostFrequent(moves: readonly { to: number }[]): number {
  const count = (to: number) => moves.filter((move) => move.to === to).length;
  const [first] = moves.map(({ to }) => to).sort((a, b) => count(b) - count(a) || a - b);
  return first ?? 0;
}
