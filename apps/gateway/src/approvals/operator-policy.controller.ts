import { adminRoutes, type OperatorPolicy } from '@idsync/contracts';
import { findOperatorPolicy, saveOperatorPolicy } from '@idsync/database/gateway';
import { Controller } from '@nestjs/common';
import { Handles, type Input } from '../http/handles.decorator.js';
import { TenantTransactions } from '../tenants/tenant-transactions.service.js';
import { Approvals } from './approvals.service.js';

@Controller()
export class OperatorPolicyController {
  constructor(
    private readonly tenants: TenantTransactions,
    private readonly approvals: Approvals,
  ) {}

  @Handles(adminRoutes.getOperatorPolicy)
  get({ tenantId }: Input<typeof adminRoutes.getOperatorPolicy>): Promise<OperatorPolicy> {
    return this.tenants.run(tenantId, (tx) => findOperatorPolicy(tx, tenantId));
  }

  @Handles(adminRoutes.replaceOperatorPolicy)
  async replace({ tenantId, body: policy }: Input<typeof adminRoutes.replaceOperatorPolicy>) {
    const waiting = await this.approvals.request(tenantId, 'replaceOperatorPolicy', policy);
    if (waiting) return { finished: false, body: waiting };
    const saved = await this.tenants.act(tenantId, async (tx, describe) => {
      describe({ before: await findOperatorPolicy(tx, tenantId), after: policy });
      await saveOperatorPolicy(tx, tenantId, policy);
      return policy;
    });
    return { finished: true, body: saved };
  }
}
