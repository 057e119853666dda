import { type LifecyclePolicy, lifecyclePolicy } from '@idsync/contracts';
import { findLifecyclePolicy } from '@idsync/database/settings';
import { Controller, Get, Put } from '@nestjs/common';
import { Approvals } from '../approvals/approvals.service.js';
import { OperatorAccess } from '../audit/operator-access.decorator.js';
import { MayTakeLonger, type Progress } from '../http/may-take-longer.interceptor.js';
import { TenantParam } from '../http/public-id.pipe.js';
import { ZodBody } from '../http/zod.pipe.js';
import { Operations } from './operations.service.js';
import { connectorsOf, presentLifecyclePolicy, requireConnectors, storedLifecyclePolicy } from './rule-inputs.js';
import { TenantTransactions } from './tenant-transactions.service.js';

@Controller('admin/v1/tenants/:tenantId/lifecycle-policy')
@OperatorAccess()
export class LifecyclePolicyController {
  constructor(
    private readonly tenants: TenantTransactions,
    private readonly operations: Operations,
    private readonly approvals: Approvals,
  ) {}

  @Get()
  async get(@TenantParam() tenantId: string): Promise<LifecyclePolicy> {
    return presentLifecyclePolicy(await this.tenants.run(tenantId, (tx) => findLifecyclePolicy(tx, tenantId)));
  }

  @Put()
  @MayTakeLonger()
  async replace(@TenantParam() tenantId: string, @ZodBody(lifecyclePolicy) body: LifecyclePolicy): Promise<Progress> {
    const policy = storedLifecyclePolicy(body);
    await this.tenants.run(tenantId, (tx) => requireConnectors(tx, tenantId, connectorsOf(policy)));
    const waiting = await this.approvals.request(tenantId, 'replaceLifecyclePolicy', body);
    if (waiting) return { finished: false, body: waiting };
    return this.operations.request(tenantId, 'lifecycle.change', { policy }, async (tx) => ({
      before: presentLifecyclePolicy(await findLifecyclePolicy(tx, tenantId)),
      after: body,
    }));
  }
}
