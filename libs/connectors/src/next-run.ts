import { durationMs, type Schedule } from '@idsync/contracts';
import { Cron } from 'croner';

/** A run as a schedule plans it: when it is due, and when it begins, which is by chance a little later. */
export interface PlannedRun {
  due: Date;
  begins: Date;
}

const mostJitter = 60_000;
const cronForm = /^(@(hourly|daily|weekly|monthly|yearly|annually)|\S+( +\S+){4})$/i;

/** Why a schedule can never be followed; undefined if it can. */
export function checkSchedule(schedule: Schedule, now = new Date()): string | undefined {
  const { cron, time_zone } = schedule;
  if (cron === undefined) return undefined;
  if (!cronForm.test(cron)) return 'cron must have five parts: minute, hour, day of the month, month, day of the week';
  if (time_zone !== undefined && !isTimeZone(time_zone)) return `time_zone ${JSON.stringify(time_zone)} is unknown`;
  try {
    return nextOfCron(schedule, now) ? undefined : 'cron never comes true';
  } catch {
    return 'cron is malformed';
  }
}

/**
 * The first run after `now`. One that was due at `last` counts for `every`; those that were missed since are one. Nothing
 * comes back if there is none. `chance` is at least 0 and less than 1.
 */
export function nextRun(
  schedule: Schedule,
  { now, last }: { now: Date; last?: Date },
  chance: number,
): PlannedRun | undefined {
  if (schedule.paused) return undefined;
  const every = schedule.every === undefined ? undefined : durationMs(schedule.every);
  const due = every === undefined ? nextOfCron(schedule, now) : nextOfInterval(every, now, last ?? now);
  if (!due) return undefined;
  const jitter =
    schedule.jitter === undefined ? Math.min(mostJitter, (every ?? 10 * mostJitter) / 10) : durationMs(schedule.jitter);
  return { due, begins: new Date(due.getTime() + Math.floor(chance * (jitter ?? 0))) };
}

/** The first multiple of `every` after `last` that is later than `now`. */
function nextOfInterval(every: number, now: Date, last: Date): Date {
  const passed = Math.max(0, now.getTime() - last.getTime());
  return new Date(last.getTime() + (Math.floor(passed / every) + 1) * every);
}

function nextOfCron({ cron = '', time_zone = 'UTC' }: Schedule, now: Date): Date | undefined {
  return new Cron(cron, { timezone: time_zone, mode: '5-part', paused: true }).nextRun(now) ?? undefined;
}

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }) !== undefined;
  } catch {
    return false;
  }
}
