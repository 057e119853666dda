import { type OperatorPolicy, operatorPolicy } from '@idsync/contracts';
import { findOperatorPolicy, saveOperatorPolicy } from '@idsync/database/gateway';
import { Controller, Get, Put } from '@nestjs/common';
import { Approvals } from '../approvals/approvals.service.js';
import { OperatorAccess } from '../audit/operator-access.decorator.js';
import { MayTakeLonger, type Progress } from '../http/may-take-longer.interceptor.js';
import { TenantParam } from '../http/public-id.pipe.js';
import { ZodBody } from '../http/zod.pipe.js';
import { TenantTransactions } from './tenant-transactions.service.js';

@Controller('admin/v1/tenants/:tenantId/operator-policy')
@OperatorAccess()
export class OperatorPolicyController {
  constructor(
    private readonly tenants: TenantTransactions,
    private readonly approvals: Approvals,
  ) {}

  @Get()
  get(@TenantParam() tenantId: string): Promise<OperatorPolicy> {
    return this.tenants.run(tenantId, (tx) => findOperatorPolicy(tx, tenantId));
  }

  @Put()
  @MayTakeLonger()
  async replace(@TenantParam() tenantId: string, @ZodBody(operatorPolicy) policy: OperatorPolicy): Promise<Progress> {
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
