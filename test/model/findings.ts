// "Findings" of docs/directory.md, without those that depend on time and on machine identities.
import type { Directory } from './directory.js';
import { keysOf } from './keys.js';
import { statusOfPerson } from './lifecycle.js';
import { hasLeft, managerText } from './managers.js';
import { type Entry, isDeleted, isUser } from './types.js';

const present = ['active', 'pending', 'suspended'];
const isPresent = ({ status }: Entry): boolean => present.includes(status);

/** All findings as text. `leavers` has the names of the records whose people have a leaver in their history. */
export function findingsOf(directory: Directory, leavers: ReadonlySet<string>): string[] {
  const entries = [...directory.entries.values()];
  const users = entries.filter((entry) => isUser(entry) && isPresent(entry));
  return [
    ...entries.filter((entry) => !isUser(entry)).flatMap((entry) => ofAccount(directory, entry, leavers)),
    ...users.flatMap((user) => [
      ...(users.some((other) => isEarlierOf(other, user)) ? [`duplicate_in_source ${user.name}`] : []),
      ...(hasUnknownManager(directory, user) ? [`unknown_manager ${user.name}`] : []),
      ...(isKeptByAnotherSource(entries, user) ? [`leaver_in_other_source ${user.name}`] : []),
      ...(isEmployedElsewhere(entries, user) ? [`employment_conflict ${user.name}`] : []),
    ]),
    ...cycles(users).map((people) => cycleLine(people.map((person) => directory.of(person).map(({ name }) => name)))),
  ].map((text) => `finding ${text}`);
}

export const cycleLine = (people: readonly string[][]): string =>
  `manager_cycle ${people
    .map((names) => [...names].sort().join(' + '))
    .sort()
    .join(' and ')}`;

function ofAccount(directory: Directory, { name, status, person }: Entry, leavers: ReadonlySet<string>): string[] {
  if (!['active', 'locked'].includes(status)) return [];
  if (person === undefined) return [`unmatched_account ${name}`];
  const entries = directory.of(person);
  const hasEnded = entries.some((entry) => isUser(entry) && entry.source.employments && entry.status === 'inactive');
  const isReturning = statusOfPerson(entries) === 'pending' && (hasEnded || leavers.has(name));
  return hasLeft(directory, person) || isReturning ? [`leaver_with_account ${name}`] : [];
}

/** Of the same identity, or with the same employee number. */
function isEarlierOf(other: Entry, user: Entry): boolean {
  const numbers = keysOf(user.fields, 'employee_number');
  const shares = keysOf(other.fields, 'employee_number').some((number) => numbers.includes(number));
  return other.source === user.source && other.nth < user.nth && (other.person === user.person || shares);
}

function hasUnknownManager(directory: Directory, user: Entry): boolean {
  if (managerText(user) === '') return false;
  return user.manager === undefined || (user.manager !== user.person && hasLeft(directory, user.manager));
}

/** The source that decided the status no longer lists the person, and this one decides now. */
function isKeptByAnotherSource(entries: readonly Entry[], user: Entry): boolean {
  const own = entries.filter((entry) => isUser(entry) && entry.person === user.person);
  const first = Math.min(...own.filter(isPresent).map(({ source }) => source.priority));
  return (
    user.source.priority === first &&
    own.some((entry) => isDeleted(entry) && !entry.handedOver && entry.source.priority < first)
  );
}

/** A preceding employment has ended, and this one does not follow it; or a later one overrules a source without employments. */
function isEmployedElsewhere(entries: readonly Entry[], user: Entry): boolean {
  const same = entries.filter((entry) => isUser(entry) && entry.person === user.person);
  if (!user.source.employments) {
    const isLater = ({ status, source }: Entry) =>
      status === 'inactive' && source.employments && source.priority > user.source.priority;
    return user.status === 'active' && statusOfPerson(same) === 'inactive' && same.some(isLater);
  }
  const own = entries.filter((entry) => isUser(entry) && entry.person === user.person && entry.source.employments);
  const isRunning = ({ status }: Entry) => status === 'active' || status === 'suspended';
  const first = Math.min(...own.filter(isRunning).map(({ source }) => source.priority));
  if (!own.includes(user) || !isRunning(user) || user.source.priority !== first) return false;
  const { hire_date: hired = '' } = user.fields;
  return own.some(({ status, source, fields: { termination_date: ends = '' } }) => {
    const follows = hired !== '' && ends !== '' && ends <= hired;
    return status === 'inactive' && source !== user.source && source.priority <= first && !follows;
  });
}

/** People who manage each other in a circle; not those who manage themselves. */
function cycles(users: readonly Entry[]): number[][] {
  const found = new Map<string, number[]>();
  for (const start of new Set(users.flatMap(({ person }) => person ?? []))) {
    const path = [start];
    for (;;) {
      const at = path.at(-1) ?? start;
      const next = managerOfPerson(users, at);
      if (next === undefined || next === at) break;
      if (next === start) found.set([...path].sort().join(' '), path);
      if (path.includes(next)) break;
      path.push(next);
    }
  }
  return [...found.values()];
}

/** The manager that the primary user of the first source with a manager names. */
function managerOfPerson(users: readonly Entry[], person: number): number | undefined {
  const naming = users.filter((user) => user.person === person && hasManagerField(user));
  const [first] = naming.sort(
    (a, b) =>
      a.source.priority - b.source.priority ||
      Number(b.status === 'active') - Number(a.status === 'active') ||
      compare(b.fields.hire_date ?? '', a.fields.hire_date ?? '') ||
      compare(a.id, b.id),
  );
  return first?.manager;
}

function hasManagerField({ fields }: Entry): boolean {
  return (fields.manager_id ?? '') !== '';
}

const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));
