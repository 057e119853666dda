import { type AttributePriorities, adminRoutes } from '@idsync/contracts';
import { findAttributePriorities } from '@idsync/database/settings';
import { Controller } from '@nestjs/common';
import { Approvals } from '../approvals/approvals.service.js';
import { Handles, type Input } from '../http/handles.decorator.js';
import { TenantTransactions } from '../tenants/tenant-transactions.service.js';
import { presentPriorities, requireConnectors, storedPriorities } from './rule-inputs.js';

@Controller()
export class AttributePrioritiesController {
  constructor(
    private readonly tenants: TenantTransactions,
    private readonly approvals: Approvals,
  ) {}

  @Handles(adminRoutes.getAttributePriorities)
  async get({ tenantId }: Input<typeof adminRoutes.getAttributePriorities>): Promise<AttributePriorities> {
    return presentPriorities(await this.tenants.run(tenantId, (tx) => findAttributePriorities(tx, tenantId)));
  }

  @Handles(adminRoutes.replaceAttributePriorities)
  async replace({ tenantId, body }: Input<typeof adminRoutes.replaceAttributePriorities>) {
    const connectors = storedPriorities(body).map(({ connector_id }) => connector_id);
    await this.tenants.run(tenantId, (tx) => requireConnectors(tx, tenantId, connectors));
    return this.approvals.operate(tenantId, 'replaceAttributePriorities', body);
  }
}
