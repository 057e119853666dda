import { type QuotaName, quotaNames, type responses, type TenantQuotas, tenantQuotas } from '@idsync/contracts';
import type { Transaction } from '@idsync/database';
import { countUsage, lockTenantQuotas, saveTenantQuotas } from '@idsync/database/gateway';
import { findTenantQuotas } from '@idsync/database/settings';
import { Controller, Get, Put } from '@nestjs/common';
import { KeyRing } from '../access/key-ring.service.js';
import { RateLimit } from '../access/rate-limit.service.js';
import { OperatorAccess } from '../audit/operator-access.decorator.js';
import { TenantParam } from '../http/public-id.pipe.js';
import { ZodBody } from '../http/zod.pipe.js';
import { TenantTransactions } from '../operator/tenant-transactions.service.js';

/** The installation limits a tenant, so an admin of the tenant alone cannot change its quotas. */
@Controller('admin/v1/tenants/:tenantId/quotas')
@OperatorAccess()
export class QuotasController {
  constructor(
    private readonly tenants: TenantTransactions,
    private readonly rateLimit: RateLimit,
    private readonly keyRing: KeyRing,
  ) {}

  @Get()
  get(@TenantParam() tenantId: string): Promise<responses.QuotaUsage> {
    return this.tenants.run(tenantId, async (tx) => this.usage(tx, tenantId, await findTenantQuotas(tx, tenantId)));
  }

  @Put()
  async replace(
    @TenantParam() tenantId: string,
    @ZodBody(tenantQuotas) quotas: TenantQuotas,
  ): Promise<responses.QuotaUsage> {
    const shown = await this.tenants.act(tenantId, async (tx, describe) => {
      describe({ before: await lockTenantQuotas(tx, tenantId), after: quotas });
      await saveTenantQuotas(tx, tenantId, quotas);
      return this.usage(tx, tenantId, quotas);
    });
    // Cached keys have the previous limit on requests.
    this.keyRing.clear();
    return shown;
  }

  private async usage(tx: Transaction, tenantId: string, quotas: TenantQuotas): Promise<responses.QuotaUsage> {
    const counted = await countUsage(tx, tenantId);
    const used = { ...counted, requests_per_minute: await this.rateLimit.usedBy(tenantId) };
    const shown = quotaNames.map((name) => [name, { limit: quotas[name], used: used[name] }]);
    return Object.fromEntries(shown) as Record<QuotaName, { limit?: number; used: number }>;
  }
}
