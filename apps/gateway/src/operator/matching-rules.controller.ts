import { defaultMatchingRules, type MatchingRules, matchingRules } from '@idsync/contracts';
import { findMatchingRules } from '@idsync/database/settings';
import { Controller, Get, Post, Put } from '@nestjs/common';
import { Approvals } from '../approvals/approvals.service.js';
import { OperatorAccess } from '../audit/operator-access.decorator.js';
import { MayTakeLonger, type Progress } from '../http/may-take-longer.interceptor.js';
import { TenantParam } from '../http/public-id.pipe.js';
import { ZodBody } from '../http/zod.pipe.js';
import { Operations } from './operations.service.js';
import { TenantTransactions } from './tenant-transactions.service.js';

@Controller('admin/v1/tenants/:tenantId/matching-rules')
@OperatorAccess()
export class MatchingRulesController {
  constructor(
    private readonly tenants: TenantTransactions,
    private readonly operations: Operations,
    private readonly approvals: Approvals,
  ) {}

  @Get()
  async get(@TenantParam() tenantId: string): Promise<MatchingRules> {
    const own = await this.tenants.run(tenantId, (tx) => findMatchingRules(tx, tenantId));
    return own ?? defaultMatchingRules;
  }

  @Put()
  @MayTakeLonger()
  async change(@TenantParam() tenantId: string, @ZodBody(matchingRules) rules: MatchingRules): Promise<Progress> {
    const waiting = await this.approvals.request(tenantId, 'replaceMatchingRules', rules);
    if (waiting) return { finished: false, body: waiting };
    return this.operations.request(tenantId, 'rules.change', { rules, preview: false }, async (tx) => ({
      before: (await findMatchingRules(tx, tenantId)) ?? defaultMatchingRules,
      after: rules,
    }));
  }

  @Post('preview')
  @MayTakeLonger()
  preview(@TenantParam() tenantId: string, @ZodBody(matchingRules) rules: MatchingRules): Promise<Progress> {
    return this.operations.request(tenantId, 'rules.change', { rules, preview: true });
  }
}
