import { adminRoutes, defaultMatchingRules } from '@idsync/contracts';
import { findOperatorPolicy, saveFindingPolicy } from '@idsync/database/gateway';
import {
  findAttributePriorities,
  findFindingPolicy,
  findLifecyclePolicy,
  findMatchingRules,
} from '@idsync/database/settings';
import { Controller } from '@nestjs/common';
import { Approvals } from '../approvals/approvals.service.js';
import { Handles, type Input } from '../http/handles.decorator.js';
import { Operations, shownOperation } from '../operations/operations.service.js';
import { TenantTransactions } from '../tenants/tenant-transactions.service.js';
import { findSettings, isGuarded } from './change-settings.js';
import {
  connectorsOf,
  presentFindingPolicy,
  presentLifecyclePolicy,
  presentPriorities,
  requireConnectors,
  storedFindingPolicy,
  storedLifecyclePolicy,
  storedPriorities,
} from './rule-inputs.js';

/** Settings of a tenant, each by its own route. The ones for findings, dates and operators are also one resource. */
@Controller()
export class SettingsController {
  constructor(
    private readonly tenants: TenantTransactions,
    private readonly operations: Operations,
    private readonly approvals: Approvals,
  ) {}

  @Handles(adminRoutes.getSettings)
  get({ tenantId }: Input<typeof adminRoutes.getSettings>) {
    return this.tenants.run(tenantId, (tx) => findSettings(tx));
  }

  @Handles(adminRoutes.updateSettings)
  async update({ tenantId, body: patch }: Input<typeof adminRoutes.updateSettings>) {
    const current = await this.tenants.run(tenantId, (tx) => findSettings(tx));
    const { waiting, operation } = await this.approvals.perform(tenantId, 'updateSettings', patch, {
      isGuarded: isGuarded(current, patch),
    });
    if (waiting) return { finished: false, body: waiting };
    const ended = operation && (await this.operations.wait(tenantId, operation));
    const after = await this.tenants.run(tenantId, (tx) => findSettings(tx));
    const body = { ...after, ...shownOperation(operation) };
    return { finished: !ended || ended.status === 'done', body };
  }

  @Handles(adminRoutes.getOperatorPolicy)
  getOperatorPolicy({ tenantId }: Input<typeof adminRoutes.getOperatorPolicy>) {
    return this.tenants.run(tenantId, (tx) => findOperatorPolicy(tx));
  }

  @Handles(adminRoutes.replaceOperatorPolicy)
  async replaceOperatorPolicy({ tenantId, body: policy }: Input<typeof adminRoutes.replaceOperatorPolicy>) {
    const { waiting } = await this.approvals.perform(tenantId, 'replaceOperatorPolicy', policy);
    return { finished: !waiting, body: waiting ?? policy };
  }

  @Handles(adminRoutes.getFindingPolicy)
  async getFindingPolicy({ tenantId }: Input<typeof adminRoutes.getFindingPolicy>) {
    return presentFindingPolicy(await this.tenants.run(tenantId, (tx) => findFindingPolicy(tx)));
  }

  @Handles(adminRoutes.replaceFindingPolicy)
  async replaceFindingPolicy({ tenantId, body }: Input<typeof adminRoutes.replaceFindingPolicy>) {
    const policy = storedFindingPolicy(body);
    await this.tenants.act(tenantId, async (tx, describe) => {
      const connectors = policy.connector_stale_hours.map(({ connector_id }) => connector_id);
      await requireConnectors(tx, connectors);
      const before = presentFindingPolicy(await findFindingPolicy(tx));
      describe({ before, after: body });
      await saveFindingPolicy(tx, policy);
    });
    return body;
  }

  @Handles(adminRoutes.getLifecyclePolicy)
  async getLifecyclePolicy({ tenantId }: Input<typeof adminRoutes.getLifecyclePolicy>) {
    return presentLifecyclePolicy(await this.tenants.run(tenantId, (tx) => findLifecyclePolicy(tx)));
  }

  @Handles(adminRoutes.replaceLifecyclePolicy)
  async replaceLifecyclePolicy({ tenantId, body }: Input<typeof adminRoutes.replaceLifecyclePolicy>) {
    const connectors = connectorsOf(storedLifecyclePolicy(body));
    await this.tenants.run(tenantId, (tx) => requireConnectors(tx, connectors));
    return this.approvals.operate(tenantId, 'replaceLifecyclePolicy', body);
  }

  @Handles(adminRoutes.getMatchingRules)
  async getMatchingRules({ tenantId }: Input<typeof adminRoutes.getMatchingRules>) {
    const own = await this.tenants.run(tenantId, (tx) => findMatchingRules(tx));
    return own ?? defaultMatchingRules;
  }

  @Handles(adminRoutes.replaceMatchingRules)
  replaceMatchingRules({ tenantId, body }: Input<typeof adminRoutes.replaceMatchingRules>) {
    return this.approvals.operate(tenantId, 'replaceMatchingRules', body);
  }

  @Handles(adminRoutes.previewMatchingRules)
  previewMatchingRules({ tenantId, body: rules }: Input<typeof adminRoutes.previewMatchingRules>) {
    return this.operations.request(tenantId, 'rules.change', { rules, preview: true });
  }

  @Handles(adminRoutes.getAttributePriorities)
  async getPriorities({ tenantId }: Input<typeof adminRoutes.getAttributePriorities>) {
    return presentPriorities(await this.tenants.run(tenantId, (tx) => findAttributePriorities(tx)));
  }

  @Handles(adminRoutes.replaceAttributePriorities)
  async replacePriorities({ tenantId, body }: Input<typeof adminRoutes.replaceAttributePriorities>) {
    const connectors = storedPriorities(body).map(({ connector_id }) => connector_id);
    await this.tenants.run(tenantId, (tx) => requireConnectors(tx, connectors));
    return this.approvals.operate(tenantId, 'replaceAttributePriorities', body);
  }
}
