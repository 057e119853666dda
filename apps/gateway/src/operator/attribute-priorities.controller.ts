import { type AttributePriorities, attributePriorities } from '@idsync/contracts';
import { findAttributePriorities } from '@idsync/database/settings';
import { Controller, Get, Put } from '@nestjs/common';
import { Approvals } from '../approvals/approvals.service.js';
import { OperatorAccess } from '../audit/operator-access.decorator.js';
import { MayTakeLonger, type Progress } from '../http/may-take-longer.interceptor.js';
import { TenantParam } from '../http/public-id.pipe.js';
import { ZodBody } from '../http/zod.pipe.js';
import { Operations } from './operations.service.js';
import { presentPriorities, requireConnectors, storedPriorities } from './rule-inputs.js';
import { TenantTransactions } from './tenant-transactions.service.js';

@Controller('admin/v1/tenants/:tenantId/attribute-priorities')
@OperatorAccess()
export class AttributePrioritiesController {
  constructor(
    private readonly tenants: TenantTransactions,
    private readonly operations: Operations,
    private readonly approvals: Approvals,
  ) {}

  @Get()
  async get(@TenantParam() tenantId: string): Promise<AttributePriorities> {
    return presentPriorities(await this.tenants.run(tenantId, (tx) => findAttributePriorities(tx, tenantId)));
  }

  @Put()
  @MayTakeLonger()
  async replace(
    @TenantParam() tenantId: string,
    @ZodBody(attributePriorities) body: AttributePriorities,
  ): Promise<Progress> {
    const priorities = storedPriorities(body);
    const connectors = priorities.map(({ connector_id }) => connector_id);
    await this.tenants.run(tenantId, (tx) => requireConnectors(tx, tenantId, connectors));
    const waiting = await this.approvals.request(tenantId, 'replaceAttributePriorities', body);
    if (waiting) return { finished: false, body: waiting };
    return this.operations.request(tenantId, 'attributes.rank', { priorities }, async (tx) => ({
      before: presentPriorities(await findAttributePriorities(tx, tenantId)),
      after: body,
    }));
  }
}
