// "Lifecycle and retention" of docs/directory.md.
import { type Entry, type Fields, isDeleted, isUser, type Source } from './types.js';

/** The status of a record from what its source says. */
export function statusOf({ kind }: Source, fields: Fields, today: string): string {
  const said = fields.status || 'active';
  if (kind === 'account' || said === 'deleted') return said;
  const { hire_date: hired = '', termination_date: left = '' } = fields;
  const leavesBeforeHired = hired !== '' && left !== '' && left < hired;
  if (left !== '' && left < today && !leavesBeforeHired) return 'inactive';
  if (hired > today && (said === 'active' || said === 'pending')) return 'pending';
  return said === 'pending' ? 'active' : said;
}

const fromMostActive = ['active', 'pending', 'suspended', 'inactive', 'deleted'];
const ofAccounts: Readonly<Record<string, string>> = { disabled: 'inactive', locked: 'suspended' };

/** The status of an account as that of its person. */
export const asPerson = (status: string): string => ofAccounts[status] ?? status;

const mostActive = (statuses: readonly string[]): string =>
  fromMostActive.find((status) => statuses.includes(status)) ?? 'deleted';

const isRunning = ({ status }: Entry): boolean => status === 'active' || status === 'suspended';

/** Of the employments: those that run, else those that will, else all. */
export function employmentsOf(entries: readonly Entry[]): Entry[] {
  const all = entries.filter((entry) => isUser(entry) && entry.source.employments);
  if (all.some(isRunning)) return all.filter(isRunning);
  const future = all.filter(({ status }) => status === 'pending');
  return future.length > 0 ? future : all;
}

/** The status of an identity: the one that it keeps, or that its lifecycle authority says. */
export function statusOfPerson(entries: readonly Entry[]): string {
  const [{ kept } = {}] = entries;
  return kept ?? decidedStatus(entries);
}

/** The state of a person when records changed last. */
export interface Past {
  status: string;
  users: ReadonlyMap<Entry, string>;
}

export const pastOf = (entries: readonly Entry[]): Past => ({
  status: statusOfPerson(entries),
  users: new Map(entries.filter(isUser).map((user) => [user, user.status])),
});

/**
 * "Removing a record gives no access": the status that a person keeps, because no user has become active who was not. A
 * decision of an operator removes records, too, but by it a person keeps only what was kept before.
 */
export function keptStatus(
  { status, users }: Past,
  entries: readonly Entry[],
  isDecision: boolean,
): string | undefined {
  const access = ['suspended', 'active'];
  const now = decidedStatus(entries);
  if (access.indexOf(now) <= access.indexOf(status)) return undefined;
  const own = entries.filter(isUser);
  // Without users, the accounts decide.
  if (own.length === 0) return undefined;
  const isNewlyPresent = (user: Entry) =>
    !['inactive', 'deleted', users.get(user)].includes(user.status) && users.get(user) !== 'active';
  const hadNoAccess = ([, was]: readonly [Entry, string]) => was !== 'active' && was !== 'deleted';
  if (own.some(isNewlyPresent)) return undefined;
  if ([...users].some((each) => hadNoAccess(each) && !own.includes(each[0]))) return undefined;
  const saidActive = (source: Source) => [...users].some(([user, was]) => user.source === source && was === 'active');
  const disagreed = [...users].some((each) => hadNoAccess(each) && !saidActive(each[0].source));
  return isDecision && disagreed ? undefined : status;
}

/** The status by the records, whatever the person keeps. */
export function decidedStatus(entries: readonly Entry[]): string {
  const listed = entries.filter((entry) => isUser(entry) && !isDeleted(entry));
  if (listed.length > 0) {
    const employments = employmentsOf(listed);
    const hasOnlyEnded =
      !employments.some(isRunning) && listed.some(({ source, status }) => source.employments && status === 'inactive');
    const voting = [...employments, ...(hasOnlyEnded ? [] : listed.filter(({ source }) => !source.employments))];
    const first = Math.min(...voting.map(({ source }) => source.priority));
    return mostActive(voting.filter(({ source }) => source.priority === first).map(({ status }) => status));
  }
  if (entries.some((entry) => isUser(entry) || entry.ofLeaver)) return 'deleted';
  return mostActive(entries.map(({ status }) => asPerson(status)));
}
