import { adminRoutes, defaultMatchingRules, type MatchingRules } from '@idsync/contracts';
import { findMatchingRules } from '@idsync/database/settings';
import { Controller } from '@nestjs/common';
import { Approvals } from '../approvals/approvals.service.js';
import { Handles, type Input } from '../http/handles.decorator.js';
import { Operations } from '../operations/operations.service.js';
import { TenantTransactions } from '../tenants/tenant-transactions.service.js';

@Controller()
export class MatchingRulesController {
  constructor(
    private readonly tenants: TenantTransactions,
    private readonly operations: Operations,
    private readonly approvals: Approvals,
  ) {}

  @Handles(adminRoutes.getMatchingRules)
  async get({ tenantId }: Input<typeof adminRoutes.getMatchingRules>): Promise<MatchingRules> {
    const own = await this.tenants.run(tenantId, (tx) => findMatchingRules(tx, tenantId));
    return own ?? defaultMatchingRules;
  }

  @Handles(adminRoutes.replaceMatchingRules)
  change({ tenantId, body }: Input<typeof adminRoutes.replaceMatchingRules>) {
    return this.approvals.operate(tenantId, 'replaceMatchingRules', body);
  }

  @Handles(adminRoutes.previewMatchingRules)
  preview({ tenantId, body: rules }: Input<typeof adminRoutes.previewMatchingRules>) {
    return this.operations.request(tenantId, 'rules.change', { rules, preview: true });
  }
}
