import { defaultMatchingRules, type MatchingRules, matchingRules } from '@idsync/contracts';
import { findMatchingRules } from '@idsync/database/settings';
import { Controller, Get, Post, Put } from '@nestjs/common';
import { Access } from '../access/access.decorator.js';
import { MayTakeLonger, type Progress } from '../http/may-take-longer.interceptor.js';
import { TenantParam } from '../http/public-id.pipe.js';
import { ZodBody } from '../http/zod.pipe.js';
import { Operations } from './operations.service.js';
import { TenantTransactions } from './tenant-transactions.service.js';

@Controller('admin/v1/tenants/:tenantId/matching-rules')
@Access('operator')
export class MatchingRulesController {
  constructor(
    private readonly tenants: TenantTransactions,
    private readonly operations: Operations,
  ) {}

  @Get()
  async get(@TenantParam() tenantId: string): Promise<MatchingRules> {
    const own = await this.tenants.run(tenantId, (tx) => findMatchingRules(tx, tenantId));
    return own ?? defaultMatchingRules;
  }

  @Put()
  @MayTakeLonger()
  change(@TenantParam() tenantId: string, @ZodBody(matchingRules) rules: MatchingRules): Promise<Progress> {
    return this.operations.request(tenantId, 'rules.change', { rules, preview: false });
  }

  @Post('preview')
  @MayTakeLonger()
  preview(@TenantParam() tenantId: string, @ZodBody(matchingRules) rules: MatchingRules): Promise<Progress> {
    return this.operations.request(tenantId, 'rules.change', { rules, preview: true });
  }
}
