import { z } from 'zod';
import { text } from './text.js';

const minute = 60_000;
const units = { s: 1_000, m: minute, h: 60 * minute, d: 24 * 60 * minute } as const;

/** Parses a duration such as `90s`, `15m`, `6h` or `1d` to milliseconds. Returns undefined for other text. */
export function durationMs(duration: string): number | undefined {
  const [, amount, unit] = /^(\d{1,6})([smhd])$/.exec(duration) ?? [];
  return amount === undefined ? undefined : Number(amount) * units[unit as keyof typeof units];
}

const duration = (min: number, max: number, range: string) =>
  text.refine((value) => {
    const ms = durationMs(value);
    return ms !== undefined && ms >= min && ms <= max;
  }, `must be a duration such as 90s, 15m, 6h or 1d, ${range}`);

/** Default of `full_every_hours`, also for connectors without a schedule. */
export const defaultFullEveryHours = 24;
const maxHours = 365 * 24;
const hoursForm = `must be an integer from 1 to ${maxHours}`;

/** When a connector runs without a request. */
export const schedule = z
  .strictObject({
    every: duration(minute, 31 * units.d, 'of 1m to 31d').optional(),
    cron: text.trim().max(200).optional().describe('Minute, hour, day of the month, month, day of the week.'),
    time_zone: text.max(64).optional().describe('Time zone of `cron`, such as Europe/Berlin. Default: UTC.'),
    jitter: duration(0, units.h, 'of at most 1h')
      .optional()
      .describe('Maximum random delay of a run. Default: a tenth of `every`, at most 1m.'),
    full_every: z
      .int()
      .min(1)
      .max(10_000)
      .default(100)
      .describe('One in this many runs reads the whole source, even if the source supports incremental runs.'),
    full_every_hours: z
      .int(hoursForm)
      .min(1, hoursForm)
      .max(maxHours, hoursForm)
      .default(defaultFullEveryHours)
      .describe(
        'Maximum age of the last complete read of the whole source: a run that would exceed it reads everything.',
      ),
    paused: z.boolean().default(false),
  })
  .refine(({ every, cron }) => (every === undefined) !== (cron === undefined), 'must have either every or cron')
  .refine(({ cron, time_zone }) => cron !== undefined || time_zone === undefined, {
    path: ['time_zone'],
    error: 'goes with cron only',
  });
export type Schedule = z.infer<typeof schedule>;
