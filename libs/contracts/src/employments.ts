import type { PersonStatus } from './fixed-values.js';
import { isRealDate } from './parse-date.js';
import type { SourceRecord } from './records.js';

const dayMs = 24 * 60 * 60 * 1_000;

/** A user's employment data. */
export interface Employment {
  /** Status from the source, if it gives one. */
  sourceStatus?: PersonStatus;
  /** When the person becomes active. */
  startsAt?: Date;
  /** When the person leaves. */
  endsAt?: Date;
}

type Fields = Readonly<Record<string, readonly string[]>>;

/**
 * Returns the employment that a record describes. A person is employed from the beginning of the hire date to the end of
 * the termination date. A termination date before the hire date ended an earlier employment, and one that stands for no
 * date ends nothing. `timeOf` returns the time of a date plus a number of days.
 */
export function employmentIn(
  fields: Fields,
  timeOf: (date: string, plusDays: number) => Date,
  startDaysBefore = 0,
): Employment {
  const sourceStatus = fields.status?.[0] as PersonStatus | undefined;
  const hired = fields.hire_date?.[0];
  const terminated = fields.termination_date?.find(isRealDate);
  const isOver = hired !== undefined && terminated !== undefined && terminated < hired;
  return {
    ...(sourceStatus && { sourceStatus }),
    ...(hired !== undefined && { startsAt: timeOf(hired, -startDaysBefore) }),
    ...(terminated !== undefined && !isOver && { endsAt: timeOf(terminated, isDay(terminated) ? 1 : 0) }),
  };
}

/** True for a date that its source gave without a time. */
export function isDay(date: string): boolean {
  return date.endsWith('T00:00:00.000Z');
}

/** Returns the time of a date plus a number of days in UTC. */
export function utcTimeOf(date: string, plusDays: number): Date {
  return new Date(Date.parse(date) + plusDays * dayMs);
}

/** Returns the status of a user at a time, without the grace period of a leaver. */
export function employmentStatus({ sourceStatus, startsAt, endsAt }: Employment, now: Date): PersonStatus {
  if (sourceStatus === 'inactive' || sourceStatus === 'deleted') return sourceStatus;
  if (endsAt !== undefined && endsAt <= now) return 'inactive';
  if (sourceStatus === 'suspended') return 'suspended';
  const hasStarted = startsAt === undefined ? sourceStatus !== 'pending' : startsAt <= now;
  return hasStarted ? 'active' : 'pending';
}

/** Best first. */
export const statusRank: readonly PersonStatus[] = ['active', 'pending', 'suspended', 'inactive', 'deleted'];

/** The values that decide between the employments of a person in one source. `hireDate`: ISO, which sorts as text; or empty. */
export interface RankedEmployment {
  status: PersonStatus;
  hireDate: string;
}

/** Compares two employments of a person in one source: the more active one comes first, then the one that began later. */
export function compareEmployments(a: RankedEmployment, b: RankedEmployment): number {
  const byStatus = statusRank.indexOf(a.status) - statusRank.indexOf(b.status);
  if (byStatus !== 0 || a.hireDate === b.hireDate) return byStatus;
  return a.hireDate > b.hireDate ? -1 : 1;
}

/** The statuses of accounts and machines, as those of their person. */
const asPerson: Readonly<Record<string, PersonStatus>> = {
  locked: 'suspended',
  disabled: 'inactive',
  orphaned: 'active',
  decommissioned: 'deleted',
};

/**
 * Returns the employment of a row, to compare it with other rows of the same id. Days begin in UTC, so that a connector
 * and the directory decide the same way.
 */
export function rowEmployment(fields: Fields, now: Date): RankedEmployment {
  const status = fields.status?.[0] ?? '';
  const known = asPerson[status];
  const employment = employmentIn(known ? { ...fields, status: [known] } : fields, utcTimeOf);
  return { status: employmentStatus(employment, now), hireDate: fields.hire_date?.[0] ?? '' };
}

/** Returns true if, of two rows of one id, this one counts rather than the other. */
export function outranks(row: Fields, other: Fields, now: Date): boolean {
  return compareEmployments(rowEmployment(row, now), rowEmployment(other, now)) < 0;
}

/**
 * Returns the row of each id that counts, in the order of the ids, and the ids of the other rows. With `now`, rows of one
 * id are employments; without it they are changes. Among equally good rows, and among changes, the last one counts.
 */
export function countingRows<Row extends SourceRecord>(
  rows: readonly Row[],
  now: Date | undefined,
): { counting: Row[]; repeated: string[] } {
  const repeated: string[] = [];
  const counting = new Map<string, Row>();
  for (const row of rows) {
    const other = counting.get(row.external_id);
    if (other) repeated.push(row.external_id);
    if (!other || !now || !outranks(other.fields, row.fields, now)) counting.set(row.external_id, row);
  }
  return { counting: [...counting.values()], repeated };
}
