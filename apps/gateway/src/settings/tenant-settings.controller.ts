import { adminRoutes, type TenantSettings } from '@idsync/contracts';
import { Controller } from '@nestjs/common';
import { Approvals } from '../approvals/approvals.service.js';
import { Handles, type Input } from '../http/handles.decorator.js';
import { Operations, shownOperation } from '../operations/operations.service.js';
import { TenantTransactions } from '../tenants/tenant-transactions.service.js';
import { changeSettings, findSettings, isGuarded } from './change-settings.js';

/** All settings as one resource, over the stores that have routes of their parts. */
@Controller()
export class TenantSettingsController {
  constructor(
    private readonly tenants: TenantTransactions,
    private readonly operations: Operations,
    private readonly approvals: Approvals,
  ) {}

  @Handles(adminRoutes.getSettings)
  get({ tenantId }: Input<typeof adminRoutes.getSettings>): Promise<TenantSettings> {
    return this.tenants.run(tenantId, (tx) => findSettings(tx, tenantId));
  }

  @Handles(adminRoutes.updateSettings)
  async update({ tenantId, body: patch }: Input<typeof adminRoutes.updateSettings>) {
    const current = await this.tenants.run(tenantId, (tx) => findSettings(tx, tenantId));
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
