import { z } from 'zod';
import { text } from './text.js';

const minute = 60_000;
const units = { s: 1_000, m: minute, h: 60 * minute, d: 24 * 60 * minute } as const;

/** Milliseconds of a text such as `90s`, `15m`, `6h` or `1d`; undefined if it is none. */
export function durationMs(duration: string): number | undefined {
  const [, amount, unit] = /^(\d{1,6})([smhd])$/.exec(duration) ?? [];
  return amount === undefined ? undefined : Number(amount) * units[unit as keyof typeof units];
}

const duration = (least: number, most: number, words: string) =>
  text.refine((value) => {
    const ms = durationMs(value);
    return ms !== undefined && ms >= least && ms <= most;
  }, `must be a duration such as 90s, 15m, 6h or 1d, ${words}`);

/** When a connector is read without being asked to. */
export const schedule = z
  .strictObject({
    every: duration(minute, 31 * units.d, 'of 1m to 31d').optional(),
    cron: text.trim().max(200).optional().describe('Minute, hour, day of the month, month, day of the week.'),
    time_zone: text.max(64).optional().describe('Of `cron`, such as Europe/Berlin; UTC unless told.'),
    jitter: duration(0, units.h, 'of at most 1h')
      .optional()
      .describe('A run begins up to this much later, by chance; a tenth of `every` and at most 1m unless told.'),
    full_every: z
      .int()
      .min(1)
      .max(10_000)
      .default(100)
      .describe('Of so many runs one reads everything, though the source can tell its changes.'),
    paused: z.boolean().default(false),
  })
  .refine(({ every, cron }) => (every === undefined) !== (cron === undefined), 'must have either every or cron')
  .refine(({ cron, time_zone }) => cron !== undefined || time_zone === undefined, {
    path: ['time_zone'],
    error: 'goes with cron only',
  });
export type Schedule = z.infer<typeof schedule>;
