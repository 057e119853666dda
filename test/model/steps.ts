// The generated histories of a small company: what happens at its sources, and what idsync and its operators then do.
import { between, type Random } from '../support/seeded-random.js';

/** A number that is taken modulo the number of things to choose from, so that a step stays valid without the others. */
type Nth = number;

/** A change in a source. `source` and `row` choose among what is there. */
export type Edit =
  | { kind: 'add'; source: Nth; person: Nth; fields: Nth; status: string }
  | { kind: 'remove'; source: Nth; row: Nth }
  | { kind: 'set'; source: Nth; row: Nth; field: string; value: string }
  | { kind: 'swap'; source: Nth; row: Nth; other: Nth; field: string }
  /** Another person gets the address of this row, which is removed, inactive or still there. */
  | { kind: 'recycle'; source: Nth; row: Nth; person: Nth; earlier: Earlier }
  /** The row is given to another person, with the address and the names, but no number. */
  | { kind: 'pass on'; source: Nth; row: Nth; person: Nth }
  /** A new row of the same person: a rehire, or a second contract. */
  | { kind: 'again'; source: Nth; row: Nth; earlier: Earlier; fields: Nth }
  /** A row that was removed is listed again. */
  | { kind: 'return'; source: Nth; row: Nth }
  /** External ids are new, of all rows or of every second one; some rows change at the same time. */
  | { kind: 'rekey'; source: Nth; every: 1 | 2; changes: Nth }
  /** The next complete read has the values of each row one column further. */
  | { kind: 'shift'; source: Nth }
  /** All rows of people who have left are removed. */
  | { kind: 'purge'; source: Nth }
  /** The next complete read has another row of this id, with this title: before it, or after it a position that has ended. */
  | { kind: 'repeat'; source: Nth; row: Nth; title: string };
type Earlier = 'removed' | 'inactive' | 'present';

export type Act =
  | {
      kind: 'run';
      source: Nth;
      mode: 'auto' | 'full';
      pageSize: number;
      /** Pages before which the worker is killed, in turn. */
      kills: readonly number[];
      /** The page before which the source fails. */
      failsAt: number | undefined;
      isDry: boolean;
      order: number;
    }
  | { kind: 'decide'; run: Nth; release: boolean; order: number }
  | { kind: 'merge'; into: Nth; from: Nth; order: number }
  | { kind: 'split'; person: Nth; records: Nth; order: number }
  /** A connector is deleted and created again with the same source. */
  | { kind: 'replace'; source: Nth; records: 'keep' | 'retire' | 'hand over'; order: number }
  /** The decision about the records of a deleted connector that were kept. */
  | { kind: 'dispose'; source: Nth; records: 'retire' | 'hand over'; order: number }
  | { kind: 'erase'; person: Nth; order: number }
  | { kind: 'revert'; operation: Nth; order: number }
  | { kind: 'undo'; run: Nth; order: number }
  /** A source gets another priority. */
  | { kind: 'rank'; source: Nth; priority: number; order: number }
  | { kind: 'resolve'; review: Nth; how: 'link' | 'new' | 'ignore'; candidate: Nth; order: number };

export interface Step {
  edits: readonly Edit[];
  act: Act;
}

const pick = <T>(random: Random, things: readonly T[]): T => things[between(random, 0, things.length - 1)] as T;

const nth = (random: Random): Nth => between(random, 0, 1_000);

export const people = [
  { employee_number: '1', email: 'ann.lee@acme.example', first_name: 'Ann', last_name: 'Lee' },
  { employee_number: '2', email: 'bob.lee@acme.example', first_name: 'Bob', last_name: 'Lee' },
  { employee_number: '3', email: 'cy.berg@acme.example', first_name: 'Cy', last_name: 'Berg' },
  { employee_number: '4', email: 'dee.dorn@acme.example', first_name: 'Dee', last_name: 'Dorn' },
  { employee_number: '5', email: 'eve.moor@acme.example', first_name: 'Eve', last_name: 'Moor' },
  { employee_number: '6', email: 'ann.lee2@acme.example', first_name: 'Ann', last_name: 'Lee' },
  { employee_number: '', email: 'finn.hale@acme.example', first_name: 'Finn', last_name: 'Hale' },
  { employee_number: 'N/A', email: 'info@acme.example', first_name: 'Gus', last_name: 'Hale' },
] as const;

const values: Readonly<Record<string, readonly string[]>> = {
  employee_number: ['', '1', '2', '3', '4', '9', 'N/A', '0000', 'EXT-1', '１', '2\u200b'],
  'attributes.national_id': ['', '120A', '12-1 a', '12.2A', 'n/a'],
  'attributes.badge': ['', 'B-07', '17', 'none'],
  other_emails: ['', 'ann.lee@acme.example', 'info@acme.example cy.berg@acme.example', 'lobby@acme.example'],
  email: [
    '',
    'ann.lee@acme.example',
    'cy.\u200bberg@acme.example',
    'not an email',
    'office@acme.example',
    'new@acme.example',
  ],
  user_principal_name: ['', 'alee', 'cberg', 'edorn', 'admin'],
  first_name: ['', 'Ann', 'Cy', 'Zoe', 'FNU'],
  last_name: ['', 'Lee', 'Berg', 'Stone'],
  display_name: ['', 'Ann Lee', 'Cy Berg', 'Zoe Stone'],
  job_title: ['', 'Clerk', 'Chief'],
  manager_id: ['', '1', '2', '3', '4', '7', 'n/a', 'x9'],
  hire_date: ['', '2019-01-01', '2024-03-01', '2099-01-01'],
  termination_date: ['', '2020-06-30', '2099-06-30', '9999-12-31'],
  status: ['', 'active', 'active', 'inactive', 'suspended'],
};

const editFrom = (random: Random): Edit => {
  const [source, row] = [nth(random), nth(random)];
  const earlier = pick<Earlier>(random, ['removed', 'inactive', 'present']);
  const kinds: readonly (() => Edit)[] = [
    () => ({
      kind: 'add',
      source,
      person: nth(random),
      fields: nth(random),
      status: pick(random, ['', 'active', 'active', 'inactive']),
    }),
    () => ({ kind: 'remove', source, row }),
    () => {
      const field = pick(random, Object.keys(values));
      return { kind: 'set', source, row, field, value: pick(random, values[field] ?? ['']) };
    },
    () => ({
      kind: 'swap',
      source,
      row,
      other: nth(random),
      field: pick(random, ['employee_number', 'email', 'user_principal_name']),
    }),
    () => ({ kind: 'recycle', source, row, person: nth(random), earlier }),
    () => ({ kind: 'again', source, row, earlier, fields: nth(random) }),
    () => ({ kind: 'repeat', source, row, title: pick(random, ['Clerk', 'Temp']) }),
    () => ({ kind: 'return', source, row }),
    () => ({ kind: 'rekey', source, every: pick(random, [1, 2] as const), changes: nth(random) }),
    () => ({ kind: 'shift', source }),
    () => ({ kind: 'pass on', source, row, person: nth(random) }),
    () => ({ kind: 'purge', source }),
    () => ({ kind: 'set', source, row, field: 'status', value: pick(random, ['inactive', 'inactive', 'active']) }),
    () => ({ kind: 'set', source, row, field: 'hire_date', value: pick(random, ['2099-01-01', '2024-03-01']) }),
  ];
  const frequent = [0, 0, 0, 0, 0, 1, 2, 2, 2, 3, 4, 5, 6, 7, 10, 11, 12, 13];
  const at = random() < 0.06 ? pick(random, [8, 8, 9]) : pick(random, frequent);
  return (kinds[at] as () => Edit)();
};

/** A person in all sources, with all keys, who has left at most one of them. */
function colleague(random: Random): Edit[] {
  const [person, leaver] = [nth(random), between(random, 0, 5)];
  return [0, 1, 2, 3].flatMap((source): Edit[] =>
    source === 1 && leaver !== 1
      ? []
      : [{ kind: 'add', source, person, fields: 0, status: source === leaver ? 'inactive' : 'active' }],
  );
}

const runFrom = (random: Random): Act => ({
  kind: 'run',
  source: nth(random),
  mode: random() < 0.3 ? 'full' : 'auto',
  pageSize: between(random, 1, 6),
  kills: random() < 0.15 ? [between(random, 0, 3)] : [],
  failsAt: random() < 0.07 ? between(random, 0, 2) : undefined,
  isDry: random() < 0.05,
  order: nth(random),
});

const operatorActFrom = (random: Random): Act => {
  const order = nth(random);
  return pick<() => Act>(random, [
    () => ({ kind: 'merge', into: nth(random), from: nth(random), order }),
    () => ({ kind: 'split', person: nth(random), records: nth(random), order }),
    () => ({
      kind: 'replace',
      source: nth(random),
      records: pick(random, ['keep', 'retire', 'hand over'] as const),
      order,
    }),
    () => ({ kind: 'dispose', source: nth(random), records: pick(random, ['retire', 'hand over'] as const), order }),
    () => ({ kind: 'erase', person: nth(random), order }),
    () => ({ kind: 'revert', operation: nth(random), order }),
    () => ({ kind: 'undo', run: nth(random), order }),
    () => ({ kind: 'rank', source: nth(random), priority: between(random, 1, 40), order }),
    () => ({
      kind: 'resolve',
      review: nth(random),
      how: pick(random, ['link', 'new', 'ignore'] as const),
      candidate: nth(random),
      order,
    }),
    () => ({ kind: 'rank', source: nth(random), priority: between(random, 1, 40), order }),
    () => ({ kind: 'decide', run: nth(random), release: random() < 0.5, order }),
    () => ({ kind: 'decide', run: nth(random), release: random() < 0.5, order }),
  ])();
};

/** Returns a history of this many rounds. */
export function stepsFrom(random: Random, rounds: number): Step[] {
  return Array.from({ length: rounds }, () => ({
    edits: Array.from({ length: between(random, 0, 6) }, () =>
      random() < 0.08 ? colleague(random) : [editFrom(random)],
    ).flat(),
    act: random() < 0.7 ? runFrom(random) : operatorActFrom(random),
  }));
}
