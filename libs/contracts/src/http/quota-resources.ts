import { z } from 'zod';
import type { QuotaName } from '../quotas.js';

const usage = z.strictObject({
  limit: z.int().optional().describe('Absent: unlimited.'),
  used: z.int(),
});

export const quotaUsage = z.strictObject({
  people: usage.describe('`used`: users that are not deleted.'),
  connectors: usage,
  webhooks: usage,
  requests_per_minute: usage.describe('`used`: requests in the present minute at the gateway that answers.'),
  deliveries_per_hour: usage.describe(
    '`used`: attempts in the present hour; 0 without a limit, because they are not counted.',
  ),
} satisfies Record<QuotaName, z.ZodType>);

export type QuotaUsage = z.infer<typeof quotaUsage>;
