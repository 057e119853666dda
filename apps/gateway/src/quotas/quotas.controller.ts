import { adminRoutes, type QuotaName, quotaNames, type responses, type TenantQuotas } from '@idsync/contracts';
import type { Transaction } from '@idsync/database';
import { countUsage, lockTenantQuotas, saveTenantQuotas } from '@idsync/database/gateway';
import { findTenantQuotas } from '@idsync/database/settings';
import { Controller } from '@nestjs/common';
import { KeyRing } from '../access/key-ring.service.js';
import { RateLimit } from '../access/rate-limit.service.js';
import { Handles, type Input } from '../http/handles.decorator.js';
import { TenantTransactions } from '../tenants/tenant-transactions.service.js';

/** The installation limits a tenant, so an admin of the tenant alone cannot change its quotas. */
@Controller()
export class QuotasController {
  constructor(
    private readonly tenants: TenantTransactions,
    private readonly rateLimit: RateLimit,
    private readonly keyRing: KeyRing,
  ) {}

  @Handles(adminRoutes.getQuotas)
  get({ tenantId }: Input<typeof adminRoutes.getQuotas>): Promise<responses.QuotaUsage> {
    return this.tenants.run(tenantId, async (tx) => this.usage(tx, tenantId, await findTenantQuotas(tx)));
  }

  @Handles(adminRoutes.replaceQuotas)
  async replace({ tenantId, body: quotas }: Input<typeof adminRoutes.replaceQuotas>): Promise<responses.QuotaUsage> {
    const shown = await this.tenants.act(tenantId, async (tx, describe) => {
      describe({ before: await lockTenantQuotas(tx), after: quotas });
      await saveTenantQuotas(tx, quotas);
      return this.usage(tx, tenantId, quotas);
    });
    // Cached keys have the previous limit on requests.
    this.keyRing.clear();
    return shown;
  }

  private async usage(tx: Transaction, tenantId: string, quotas: TenantQuotas): Promise<responses.QuotaUsage> {
    const counted = await countUsage(tx);
    const used = { ...counted, requests_per_minute: await this.rateLimit.usedBy(tenantId) };
    const shown = quotaNames.map((name) => [name, { limit: quotas[name], used: used[name] }]);
    return Object.fromEntries(shown) as Record<QuotaName, { limit?: number; used: number }>;
  }
}
