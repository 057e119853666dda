// The acts of operators: "Review cases" and "Merge, split, revert" of docs/directory.md.
import type { Cases, ReviewCase } from './cases.js';
import type { Directory, Placement } from './directory.js';
import type { Erasures } from './erasures.js';
import type { Runs } from './runs.js';
import { type Entry, isUser } from './types.js';

type Link = Pick<Entry, 'person' | 'manual' | 'linkedBy'>;

/** An operation that may be reverted. */
export interface Operation {
  moved: { entry: Entry; from: Link; to: number | undefined }[];
  review: ReviewCase | undefined;
  isReverted: boolean;
}

export class Operations {
  readonly all: Operation[] = [];

  constructor(
    private readonly directory: Directory,
    private readonly runs: Runs,
    private readonly cases: Cases,
    private readonly erasures: Erasures,
  ) {}

  merge(by: number, into: number, from: number): void {
    this.place(by, [...this.directory.of(into), ...this.directory.of(from)], () => into);
  }

  /** The records that leave become another identity, and both stay apart. */
  split(by: number, person: number, leaving: readonly Entry[]): void {
    const other = this.directory.newPerson();
    this.place(by, this.directory.of(person), (entry) => (leaving.includes(entry) ? other : person));
  }

  resolve(by: number, review: ReviewCase, how: 'link' | 'new' | 'ignore', candidate: number): void {
    const { entry } = review;
    const closed = { link: 'linked', new: 'new', ignore: 'ignored' } as const;
    // A record that is decided is manually linked, and so are those that it was compared with.
    const compared = (how === 'link' ? [candidate] : review.candidates).flatMap((person) => this.directory.of(person));
    const own = how === 'link' ? candidate : this.ownPerson(entry, review);
    const decided = how === 'ignore' ? [] : [...new Set([entry, ...compared])];
    review.status = closed[how];
    this.place(by, decided, (each) => (each === entry ? own : each.person), review);
  }

  /** Removes a person with all records. Held runs lose their changes of these records. */
  erase(by: number, person: number): void {
    this.runs.forget(person);
    this.cases.forget(this.erasures.erase(this.directory, person));
    this.match(by, []);
  }

  /** Refused if one of the records has moved since, or if its person is erased. */
  revert(by: number, operation: Operation): boolean {
    const { entries } = this.directory;
    const left = operation.moved.filter(({ entry }) => entries.get(entry.name) === entry);
    const hasMoved = left.some(({ entry, to }) => entry.person !== to);
    const isErased = operation.moved.some(({ from }) => this.erasures.persons.has(from.person ?? 0));
    if (operation.isReverted || hasMoved || isErased || (left.length === 0 && operation.moved.length > 0)) return false;
    operation.isReverted = true;
    const { review } = operation;
    if (review) {
      for (const other of this.cases.open()) if (other.entry === review.entry) other.status = 'settled';
      review.status = 'open';
    }
    this.match(
      by,
      left.map(({ entry, from }) => ({ entry, ...from })),
    );
    return true;
  }

  /** Another person if the case is about the present one. */
  private ownPerson(entry: Entry, { candidates }: ReviewCase): number {
    const isKept = isUser(entry) && entry.person !== undefined && !candidates.includes(entry.person);
    return isKept && entry.person !== undefined ? entry.person : this.directory.newPerson();
  }

  private place(
    by: number,
    entries: readonly Entry[],
    personOf: (entry: Entry) => number | undefined,
    review?: ReviewCase,
  ): void {
    const before = new Map([...this.directory.entries.values()].map((entry) => [entry, linkOf(entry)]));
    this.match(
      by,
      entries.map((entry) => ({ entry, person: personOf(entry), manual: true, linkedBy: by })),
    );
    const moved = [...before].flatMap(([entry, from]) => {
      const isSame = entry.person === from.person && entry.manual === from.manual;
      return isSame ? [] : [{ entry, from, to: entry.person }];
    });
    this.all.push({ moved, review, isReverted: false });
  }

  private match(by: number, placements: readonly Placement[]): void {
    this.runs.match(by, placements);
  }
}

const linkOf = ({ person, manual, linkedBy }: Entry): Link => ({ person, manual, linkedBy });
