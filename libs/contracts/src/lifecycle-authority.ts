import type { LifecyclePolicy } from './lifecycle-policy.js';
import type { RecordKind } from './records.js';

/** A user as far as it decides the status of its identity. The lowest rank precedes. */
export interface RankedUser {
  statusRank: number;
  /** Its source lists employments, not accounts of a directory. */
  isEmployment: boolean;
  /** `pending`: it has not begun. */
  isPending: boolean;
  /** `inactive` or `deleted`. */
  hasLeft: boolean;
}

const employmentDates = ['hire_date', 'termination_date'];

/** The fields of an identity that come from the employment that decides, and from no other employment. */
export const employmentFields: readonly string[] = [...employmentDates, 'job_title', 'manager_id'];

/**
 * Returns true for a source of employments: its own mapping has a hire or termination date, unless the policy says
 * otherwise.
 */
export function listsEmployments(
  { id, records, mapped }: { id: string; records: RecordKind; mapped: readonly string[] },
  { connector_employments: own }: Pick<LifecyclePolicy, 'connector_employments'>,
): boolean {
  if (records !== 'user') return false;
  const set = own.find(({ connector_id }) => connector_id === id);
  return set?.employments ?? employmentDates.some((date) => mapped.includes(date));
}

/** Returns the employments that count: those that are running, else those to come, else those that have ended. */
export function countingEmployments<User extends RankedUser>(users: readonly User[]): User[] {
  const employments = users.filter(({ isEmployment }) => isEmployment);
  const present = employments.filter(({ hasLeft }) => !hasLeft);
  const running = present.filter(({ isPending }) => !isPending);
  return [running, present, employments].find((some) => some.length > 0) ?? [];
}

/**
 * Returns the users of the lifecycle authority, which decide the status of their identity. A running employment outranks
 * one that has not begun or has ended, and a directory does not revive a person whose employments have ended. Among the
 * others the precedence decides; sources of equal precedence decide together.
 */
export function decidingUsers<User extends RankedUser>(listed: readonly User[]): User[] {
  const counting = countingEmployments(listed);
  const isRunning = counting.some(({ isPending, hasLeft }) => !isPending && !hasLeft);
  const hasEnded = !isRunning && listed.some(({ isEmployment, hasLeft }) => isEmployment && hasLeft);
  const eligible = hasEnded ? counting : listed.filter((user) => !user.isEmployment || counting.includes(user));
  const first = Math.min(...eligible.map(({ statusRank }) => statusRank));
  return eligible.filter(({ statusRank }) => statusRank === first);
}
