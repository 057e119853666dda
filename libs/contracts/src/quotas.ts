import { z } from 'zod';
import type { QuotaName } from './fixed-values.js';

const limit = (max: number, description: string) => z.int().min(0).max(max).optional().describe(description);

/** Limits of a tenant, which only operators of all tenants set. An absent one is unlimited. */
export const tenantQuotas = z.strictObject({
  people: limit(
    1_000_000_000,
    'Users that are not deleted. A run leaves new users beyond it out, and applies changes and deletions.',
  ),
  connectors: limit(100_000, 'Connectors; another one is refused with 403.'),
  webhooks: limit(1_000, 'Webhooks; another one is refused with 403.'),
  requests_per_minute: limit(
    10_000_000,
    'Requests of all keys of the tenant in a minute, at each gateway; further ones are refused with 429.',
  ),
} satisfies Record<QuotaName, z.ZodType>);
export type TenantQuotas = z.infer<typeof tenantQuotas>;
