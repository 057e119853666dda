// The directory as a list of records, each with its identity.
import type { Group } from './contradictions.js';
import { type Dispute, disputesOf } from './disputes.js';
import { assignPersons, type FormerLink, successorsOf } from './identities.js';
import { findHolder, joinUsers } from './joining.js';
import { keptStatus, type Past, pastOf, statusOfPerson } from './lifecycle.js';
import { type Entry, isDeleted, isUser, nameOf, type Source } from './types.js';

export class Directory {
  readonly entries = new Map<string, Entry>();
  /** The records that need a decision after the last match. */
  disputes: Dispute[] = [];
  private persons = 0;
  /** Deleted people with an account that was present. */
  private leavers: ReadonlySet<number> = new Set();
  /** The state of each person after the last match. */
  private past: ReadonlyMap<number, Past> = new Map();

  constructor(
    readonly sources: readonly Source[],
    readonly today: string,
  ) {}

  of(person: number): Entry[] {
    return [...this.entries.values()].filter((entry) => entry.person === person);
  }

  /** All identities, in the order of the names of their first records. */
  people(): Entry[][] {
    const persons = new Set([...this.entries.values()].flatMap(({ person }) => person ?? []));
    return [...persons].map((person) => this.of(person).sort(byName)).sort(([a], [b]) => (a && b ? byName(a, b) : 0));
  }

  /** Gives a record another external id of its source. */
  rename(entry: Entry, id: string): void {
    this.entries.delete(entry.name);
    Object.assign(entry, { id, name: nameOf(entry.source, id) });
    this.entries.set(entry.name, entry);
  }

  /** Returns a function that restores the directory of now. */
  snapshot(): () => void {
    const { persons, disputes, leavers, past } = this;
    const states = new Map([...this.entries.values()].map((entry) => [entry, { ...entry }]));
    return () => {
      this.entries.clear();
      for (const [entry, state] of states) {
        Object.assign(
          entry,
          { earlier: undefined, before: undefined, listed: undefined, ofLeaver: false, kept: undefined },
          state,
        );
        this.entries.set(state.name, entry);
      }
      Object.assign(this, { persons, disputes, leavers, past });
    };
  }

  newPerson(): number {
    this.persons += 1;
    return this.persons;
  }

  /**
   * Links the records again after some have changed or an operator has placed them. `unfinished` has the runs whose
   * links are still loose.
   */
  match(
    by: number,
    unfinished: ReadonlySet<number>,
    placements: readonly Placement[],
    { isDecision }: { isDecision: boolean },
  ): void {
    const placed = new Set(placements.map(({ entry }) => entry));
    const isUnfinished = ({ linkedBy }: Entry) => linkedBy !== undefined && unfinished.has(linkedBy);
    /** The identity before an unfinished run; an account that an operator has linked still follows its person. */
    const earlierOf = (entry: Entry) =>
      isUnfinished(entry) && !placed.has(entry) && !(entry.manual && isUser(entry)) ? entry.earlier : undefined;
    const isLoose = (entry: Entry) => !entry.manual && isUnfinished(entry) && earlierOf(entry) === undefined;
    const formerly = new Map(
      [...this.entries.values()].map((entry) => [entry, formerLinks(entry, earlierOf, isLoose)]),
    );
    for (const { entry, ...link } of placements) {
      if (entry.person !== link.person) entry.earlier = undefined;
      Object.assign(entry, link);
    }
    const users = [...this.entries.values()].filter(isUser);
    const accounts = [...this.entries.values()].filter((entry) => !isUser(entry));
    const personOf = (user: Entry) => earlierOf(user) ?? user.person;
    const groups = joinUsers(users, (user) => (isLoose(user) ? undefined : personOf(user)));
    const persons = assignPersons(groups, personOf, () => this.newPerson());
    const successors = successorsOf(groups, persons, formerly);
    const links = new Map<Entry, number | undefined>();
    for (const [group, person] of persons) for (const user of group) links.set(user, person);
    const matched = { groups, persons, isLoose, earlierOf };
    for (const account of accounts)
      links.set(account, linkOf(account, { ...matched, successors: placed.has(account) ? new Map() : successors }));
    this.disputes = disputesOf(matched, accounts, links);
    for (const [entry, person] of links) {
      if (entry.person === person) continue;
      const earlier = earlierOf(entry) ?? (isLoose(entry) ? undefined : entry.person);
      Object.assign(entry, { person, linkedBy: by, earlier });
    }
    this.noteStatuses({ isDecision });
  }

  /** Neither an account nor the removal of a record revives a person, also after a merge that is reverted. */
  noteStatuses({ isDecision }: { isDecision: boolean }): void {
    const leavers = new Set(this.leavers);
    const past = new Map(this.past);
    for (const entries of this.people()) {
      const { person = 0 } = entries[0] ?? {};
      for (const entry of entries) entry.ofLeaver = leavers.has(person);
      const was = past.get(person);
      const kept = was && keptStatus(was, entries, isDecision);
      for (const entry of entries) entry.kept = kept;
      const isLeaver = statusOfPerson(entries) === 'deleted' && !entries.every(isDeleted);
      for (const entry of entries) entry.ofLeaver = isLeaver;
      if (isLeaver) leavers.add(person);
      else leavers.delete(person);
      past.set(person, pastOf(entries));
    }
    this.leavers = leavers;
    this.past = past;
  }
}

/** How an operator links a record. */
export interface Placement extends Pick<Entry, 'person' | 'manual' | 'linkedBy'> {
  entry: Entry;
}

interface Matched {
  groups: readonly Group[];
  persons: ReadonlyMap<Group, number>;
  successors: ReadonlyMap<number, number>;
  isLoose: (entry: Entry) => boolean;
  earlierOf: (entry: Entry) => number | undefined;
}

/** A linked account stays with its person. */
function linkOf(account: Entry, { groups, persons, successors, isLoose, earlierOf }: Matched): number | undefined {
  const { person } = account;
  const earlier = earlierOf(account);
  if (earlier !== undefined) {
    const present = [...persons.values()].includes(earlier) ? earlier : successors.get(earlier);
    if (present !== undefined) return present;
  }
  if (person !== undefined && (!isLoose(account) || isDeleted(account))) return successors.get(person) ?? person;
  const holder = isDeleted(account) ? undefined : findHolder(account, groups);
  return holder && persons.get(holder);
}

function formerLinks(
  entry: Entry,
  earlierOf: (entry: Entry) => number | undefined,
  isLoose: (entry: Entry) => boolean,
): FormerLink[] {
  const earlier = earlierOf(entry);
  const firm = earlier === undefined ? [] : [{ person: earlier, isFirm: true }];
  if (entry.person === undefined) return firm;
  return [...firm, { person: entry.person, isFirm: earlier === undefined && !isLoose(entry) }];
}

const byName = (a: Entry, b: Entry): number => (a.name < b.name ? -1 : 1);
