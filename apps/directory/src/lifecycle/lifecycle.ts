import { TZDate } from '@date-fns/tz';
import {
  type Employment,
  type EventType,
  employmentIn,
  employmentStatus,
  isDay,
  type LifecyclePolicy,
  type PersonStatus,
  utcTimeOf,
} from '@idsync/contracts';

const dayMs = 24 * 60 * 60 * 1_000;

export interface LifecycleState {
  status: PersonStatus;
  since: Date;
}

/** The part of a tenant's policy that applies to the records of one source. */
export interface EmploymentRules {
  timeZone: string;
  startDaysBefore: number;
  graceMs: number;
}

/** Returns the rules for the records of a connector, which the policy names by its bare uuid. */
export function employmentRules(policy: LifecyclePolicy, connectorId: string): EmploymentRules {
  const own = policy.connector_time_zones.find(({ connector_id }) => connector_id === connectorId);
  return {
    timeZone: own?.time_zone ?? policy.time_zone,
    startDaysBefore: policy.start_days_before,
    graceMs: policy.grace_days * dayMs,
  };
}

/** Returns how long a tombstone can be read, in milliseconds. */
export function retentionMs(policy: LifecyclePolicy): number {
  return policy.retention_days * dayMs;
}

/** Returns the employment that a record describes by these rules. */
export function employmentOf(
  fields: Readonly<Record<string, readonly string[]>>,
  { timeZone, startDaysBefore }: EmploymentRules,
): Employment {
  const { hire_date = [], termination_date = [] } = fields;
  const days = (dates: readonly string[]) => dates.map((date) => asDay(date, timeZone));
  const dated = { ...fields, hire_date: days(hire_date), termination_date: days(termination_date) };
  return employmentIn(dated, (date, plusDays) => timeOf(date, timeZone, plusDays), startDaysBefore);
}

/** Returns midnight in the time zone as a day, because sources may store days as moments in UTC; other dates as they are. */
function asDay(date: string, timeZone: string): string {
  if (timeZone === 'UTC' || isDay(date)) return date;
  const local = new TZDate(date, timeZone).toISOString();
  return local.slice(10, 23) === 'T00:00:00.000' ? `${local.slice(0, 23)}Z` : date;
}

/** Returns the time of a date plus a number of days. A day begins at midnight in the time zone. */
function timeOf(date: string, timeZone: string, plusDays: number): Date {
  const utc = utcTimeOf(date, plusDays);
  if (timeZone === 'UTC' || !isDay(date)) return utc;
  return new Date(new TZDate(utc.getUTCFullYear(), utc.getUTCMonth(), utc.getUTCDate(), timeZone).getTime());
}

/**
 * Returns the status of a user at a time. The status from the source counts, with these exceptions: before the start an
 * active user is pending, after it a pending one is active; after the end both are inactive, and so is a suspended one;
 * and inactive becomes deleted after the grace period, until the source gives another status.
 */
export function nextStatus(
  before: LifecycleState | undefined,
  employment: Employment,
  { graceMs }: EmploymentRules,
  now: Date,
): PersonStatus {
  const status = employmentStatus(employment, now);
  const isGone = status === 'inactive' && before !== undefined && hasLeftForGood(before, graceMs, now);
  return isGone ? 'deleted' : status;
}

function hasLeftForGood({ status, since }: LifecycleState, graceMs: number, now: Date): boolean {
  if (status === 'deleted') return true;
  return status === 'inactive' && since.getTime() + graceMs <= now.getTime();
}

/** Returns the time of the next time-based change, or undefined if there is none. */
export function nextDue(
  { status, since }: LifecycleState,
  { startsAt, endsAt }: Employment,
  { graceMs }: EmploymentRules,
): Date | undefined {
  if (status === 'deleted') return undefined;
  if (status === 'inactive') return new Date(since.getTime() + graceMs);
  const times = status === 'pending' ? [startsAt, endsAt] : [endsAt];
  return times.filter((time) => time !== undefined).sort((a, b) => a.getTime() - b.getTime())[0];
}

/**
 * Returns the lifecycle event of a status change; `from` is undefined for a new identity. A person who is pending again,
 * because the hire date was moved to the future, has left until then.
 */
export function lifecycleEvent(
  from: PersonStatus | undefined,
  to: PersonStatus,
  wasActive = false,
): EventType | undefined {
  const had = from === 'active' || from === 'suspended';
  if (to === 'active' && (from === undefined || from === 'pending'))
    return wasActive ? 'lifecycle.rejoiner' : 'lifecycle.joiner';
  if (to === 'active' && (from === 'inactive' || from === 'deleted')) return 'lifecycle.rejoiner';
  if (had && to !== 'active' && to !== 'suspended') return 'lifecycle.leaver';
  return undefined;
}
