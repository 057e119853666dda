import { z } from 'zod';
import { timeZone } from './time-zone.js';

const days = (min: number, max: number, preset: number) => z.int().min(min).max(max).default(preset);

/** A tenant's rules for dates and for people who have left. An absent field has its default. */
export const lifecyclePolicy = z.strictObject({
  time_zone: timeZone.default('UTC').describe('In which a date without a time is a day.'),
  connector_time_zones: z
    .array(z.strictObject({ connector_id: z.string().min(1).max(100), time_zone: timeZone }))
    .max(200)
    .refine((list) => new Set(list.map((each) => each.connector_id)).size === list.length, {
      error: 'must not name a connector twice',
    })
    .default([])
    .describe('Time zones of connectors, where they differ from `time_zone`.'),
  connector_employments: z
    .array(z.strictObject({ connector_id: z.string().min(1).max(100), employments: z.boolean() }))
    .max(200)
    .refine((list) => new Set(list.map((each) => each.connector_id)).size === list.length, {
      error: 'must not name a connector twice',
    })
    .default([])
    .describe(
      'Whether a connector lists employments or a directory, where its own mapping does not tell: by default, it lists employments if it maps a hire or termination date.',
    ),
  start_days_before: days(0, 90, 0).describe('How many days before the hire date a pending user becomes active.'),
  grace_days: days(0, 3650, 30).describe('How long a user is inactive before the status becomes deleted.'),
  retention_days: days(1, 3650, 30).describe('How long a deleted record can be read before it is purged.'),
});
export type LifecyclePolicy = z.infer<typeof lifecyclePolicy>;

export const defaultLifecyclePolicy: LifecyclePolicy = lifecyclePolicy.parse({});
