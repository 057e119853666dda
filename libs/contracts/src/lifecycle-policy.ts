import { z } from 'zod';
import { connectorList } from './connector-list.js';
import { timeZone } from './time-zone.js';

const days = (min: number, max: number, preset: number) => z.int().min(min).max(max).default(preset);

/** A tenant's rules for dates and for people who have left. An absent field has its default. */
export const lifecyclePolicy = z.strictObject({
  time_zone: timeZone.default('UTC').describe('In which a date without a time is a day.'),
  connector_time_zones: connectorList({ time_zone: timeZone }).describe(
    'Time zones of connectors, where they differ from `time_zone`.',
  ),
  connector_employments: connectorList({ employments: z.boolean() }).describe(
    'Whether a connector lists employments, or logins. By default, it lists employments if its own mapping has a hire or termination date.',
  ),
  start_days_before: days(0, 90, 0).describe('How many days before the hire date a pending user becomes active.'),
  grace_days: days(0, 3650, 30).describe('How long a user is inactive before the status becomes deleted.'),
  retention_days: days(1, 3650, 30).describe('How long a deleted record can be read before it is purged.'),
});
export type LifecyclePolicy = z.infer<typeof lifecyclePolicy>;

export const defaultLifecyclePolicy: LifecyclePolicy = lifecyclePolicy.parse({});
