import { adminRoutes, type LifecyclePolicy } from '@idsync/contracts';
import { findLifecyclePolicy } from '@idsync/database/settings';
import { Controller } from '@nestjs/common';
import { Approvals } from '../approvals/approvals.service.js';
import { Handles, type Input } from '../http/handles.decorator.js';
import { TenantTransactions } from '../tenants/tenant-transactions.service.js';
import { connectorsOf, presentLifecyclePolicy, requireConnectors, storedLifecyclePolicy } from './rule-inputs.js';

@Controller()
export class LifecyclePolicyController {
  constructor(
    private readonly tenants: TenantTransactions,
    private readonly approvals: Approvals,
  ) {}

  @Handles(adminRoutes.getLifecyclePolicy)
  async get({ tenantId }: Input<typeof adminRoutes.getLifecyclePolicy>): Promise<LifecyclePolicy> {
    return presentLifecyclePolicy(await this.tenants.run(tenantId, (tx) => findLifecyclePolicy(tx, tenantId)));
  }

  @Handles(adminRoutes.replaceLifecyclePolicy)
  async replace({ tenantId, body }: Input<typeof adminRoutes.replaceLifecyclePolicy>) {
    const connectors = connectorsOf(storedLifecyclePolicy(body));
    await this.tenants.run(tenantId, (tx) => requireConnectors(tx, tenantId, connectors));
    return this.approvals.operate(tenantId, 'replaceLifecyclePolicy', body);
  }
}
