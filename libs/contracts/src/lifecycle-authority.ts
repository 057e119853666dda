import type { RecordKind } from './fixed-values.js';
import type { LifecyclePolicy } from './lifecycle-policy.js';

/** A user as far as it decides the status of its identity. */
export interface RankedUser {
  status: string;
  /** Precedence of its source for the status; the lowest precedes. */
  statusRank: number;
  /** Its source lists employments, and not logins. */
  isEmployment: boolean;
}

const employmentDates = ['hire_date', 'termination_date'];

/** The fields of an identity that come from the employment that decides, and from no other employment. */
export const employmentFields: readonly string[] = [...employmentDates, 'job_title', 'manager_id'];

/**
 * Returns true for a source of employments: its own mapping has a hire or termination date, unless the policy says
 * otherwise. `mapped`: the fields of that mapping.
 */
export function listsEmployments(
  { id, records, mapped }: { id: string; records: RecordKind; mapped: readonly string[] },
  { connector_employments: own }: Pick<LifecyclePolicy, 'connector_employments'>,
): boolean {
  if (records !== 'user') return false;
  const set = own.find(({ connector_id }) => connector_id === id);
  return set?.employments ?? employmentDates.some((date) => mapped.includes(date));
}

/** Returns true for a person, or a user of one source, who is inactive or deleted. */
export function hasLeft({ status }: { status: string | null }): boolean {
  return status === 'inactive' || status === 'deleted';
}

const isRunning = (user: RankedUser): boolean => user.status !== 'pending' && !hasLeft(user);

/** Returns the employments that count: those that are running, else those to come, else those that have ended. */
export function countingEmployments<User extends RankedUser>(users: readonly User[]): User[] {
  const employments = users.filter(({ isEmployment }) => isEmployment);
  const present = employments.filter((user) => !hasLeft(user));
  return [present.filter(isRunning), present, employments].find((some) => some.length > 0) ?? [];
}

/**
 * Returns the users of the lifecycle authority, which decide the status of their identity. A running employment outranks
 * one that has not begun or has ended, and logins do not revive a person whose employments have ended. Among the others
 * the precedence decides; sources of equal precedence decide together.
 */
export function decidingUsers<User extends RankedUser>(listed: readonly User[]): User[] {
  const counting = countingEmployments(listed);
  const haveEnded = !counting.some(isRunning) && listed.some((user) => user.isEmployment && hasLeft(user));
  const eligible = haveEnded ? counting : listed.filter((user) => !user.isEmployment || counting.includes(user));
  const first = Math.min(...eligible.map(({ statusRank }) => statusRank));
  return eligible.filter(({ statusRank }) => statusRank === first);
}
