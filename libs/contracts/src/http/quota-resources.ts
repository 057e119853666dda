import { z } from 'zod';
import type { QuotaName } from '../fixed-values.js';

const usage = z.strictObject({
  limit: z.int().optional().describe('Absent: unlimited.'),
  used: z.int(),
});

export const quotaUsage = z.strictObject({
  people: usage.describe('`used`: users that are not deleted.'),
  connectors: usage,
  webhooks: usage,
  requests_per_minute: usage.describe('`used`: requests in the present minute at the gateway that answers.'),
} satisfies Record<QuotaName, z.ZodType>);

export type QuotaUsage = z.infer<typeof quotaUsage>;
