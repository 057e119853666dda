import { type TenantSettings, type TenantSettingsPatch, tenantSettingsPatch } from '@idsync/contracts';
import { Controller, Get, Patch } from '@nestjs/common';
import { Approvals } from '../approvals/approvals.service.js';
import { OperatorAccess } from '../audit/operator-access.decorator.js';
import { MayTakeLonger, type Progress } from '../http/may-take-longer.interceptor.js';
import { TenantParam } from '../http/public-id.pipe.js';
import { ZodBody } from '../http/zod.pipe.js';
import { changeSettings, findSettings, isGuarded } from './change-settings.js';
import { Operations, shownOperation } from './operations.service.js';
import { TenantTransactions } from './tenant-transactions.service.js';

/** All settings as one resource, over the stores that have routes of their parts. */
@Controller('admin/v1/tenants/:tenantId/settings')
@OperatorAccess()
export class TenantSettingsController {
  constructor(
    private readonly tenants: TenantTransactions,
    private readonly operations: Operations,
    private readonly approvals: Approvals,
  ) {}

  @Get()
  get(@TenantParam() tenantId: string): Promise<TenantSettings> {
    return this.tenants.run(tenantId, (tx) => findSettings(tx, tenantId));
  }

  @Patch()
  @MayTakeLonger()
  async update(
    @TenantParam() tenantId: string,
    @ZodBody(tenantSettingsPatch) patch: TenantSettingsPatch,
  ): Promise<Progress> {
    const current = await this.get(tenantId);
    const waiting = isGuarded(current, patch)
      ? await this.approvals.request(tenantId, 'updateSettings', patch)
      : undefined;
    if (waiting) return { finished: false, body: waiting };
    const { after, requested } = await this.tenants.act(tenantId, async (tx, describe) => {
      const before = await findSettings(tx, tenantId);
      const requested = await changeSettings(tx, tenantId, patch);
      const operation = shownOperation(requested);
      describe({ before, after: { ...patch, ...operation } });
      return { requested, after: { ...before, ...patch, ...operation } };
    });
    const ended = requested && (await this.operations.wait(tenantId, requested));
    return { finished: !ended || ended.status === 'done', body: after };
  }
}
