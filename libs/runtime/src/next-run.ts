import { durationMs, isTimeZone, type Schedule } from '@idsync/contracts';
import { Cron } from 'croner';

/** A planned run: its due time, and its start including jitter. */
export interface PlannedRun {
  due: Date;
  begins: Date;
}

const maxJitterMs = 60_000;
const cronForm = /^(@(hourly|daily|weekly|monthly|yearly|annually)|\S+( +\S+){4})$/i;

/** Returns why a schedule can never run; undefined if it can. */
export function checkSchedule(schedule: Schedule, now = new Date()): string | undefined {
  const { cron, time_zone } = schedule;
  if (cron === undefined) return undefined;
  if (!cronForm.test(cron)) return 'cron must have five parts: minute, hour, day of the month, month, day of the week';
  if (time_zone !== undefined && !isTimeZone(time_zone)) return `time_zone ${JSON.stringify(time_zone)} is unknown`;
  try {
    return nextOfCron(schedule, now) ? undefined : 'cron never matches a date';
  } catch {
    return 'cron is malformed';
  }
}

/**
 * Returns the first run after `now`, or undefined if there is none. `last` is the due time of the previous run, the
 * base for `every`; missed runs are combined into one. `chance` is in [0, 1).
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
    schedule.jitter === undefined
      ? Math.min(maxJitterMs, (every ?? 10 * maxJitterMs) / 10)
      : durationMs(schedule.jitter);
  return { due, begins: new Date(due.getTime() + Math.floor(chance * (jitter ?? 0))) };
}

/** Returns `last` plus the first multiple of `every` that is later than `now`. */
function nextOfInterval(every: number, now: Date, last: Date): Date {
  const passed = Math.max(0, now.getTime() - last.getTime());
  return new Date(last.getTime() + (Math.floor(passed / every) + 1) * every);
}

function nextOfCron({ cron = '', time_zone = 'UTC' }: Schedule, now: Date): Date | undefined {
  return new Cron(cron, { timezone: time_zone, mode: '5-part', paused: true }).nextRun(now) ?? undefined;
}
