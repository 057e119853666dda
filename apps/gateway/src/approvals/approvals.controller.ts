import { requests, type responses } from '@idsync/contracts';
import { findApproval, listApprovals } from '@idsync/database/gateway';
import { Controller, Get, HttpCode, Post } from '@nestjs/common';
import type { z } from 'zod';
import { OperatorAccess } from '../audit/operator-access.decorator.js';
import { orNotFound } from '../http/api-error.js';
import { PublicId, TenantParam } from '../http/public-id.pipe.js';
import { ZodBody, ZodQuery } from '../http/zod.pipe.js';
import { TenantTransactions } from '../operator/tenant-transactions.service.js';
import { Approvals } from './approvals.service.js';
import { presentApproval } from './present-approval.js';

/** Decisions need the role of the act beside the one declared here. */
@Controller('admin/v1/tenants/:tenantId/approvals')
@OperatorAccess()
export class ApprovalsController {
  constructor(
    private readonly tenants: TenantTransactions,
    private readonly approvals: Approvals,
  ) {}

  @Get()
  list(
    @TenantParam() tenantId: string,
    @ZodQuery(requests.approvalQuery) { status, ...page }: z.infer<typeof requests.approvalQuery>,
  ): Promise<object> {
    return this.tenants.page(tenantId, page, presentApproval, (tx) => listApprovals(tx, tenantId, page, status));
  }

  @Get(':approvalId')
  async get(@TenantParam() tenantId: string, @PublicId('approval', 'approvalId') id: string): Promise<object> {
    return presentApproval(orNotFound(await this.tenants.run(tenantId, (tx) => findApproval(tx, tenantId, id))));
  }

  @Post(':approvalId/approve')
  @HttpCode(200)
  approve(
    @TenantParam() tenantId: string,
    @PublicId('approval', 'approvalId') id: string,
    @ZodBody(requests.reasonBody) { reason }: z.infer<typeof requests.reasonBody>,
  ): Promise<responses.Approval> {
    return this.approvals.approve(tenantId, id, reason);
  }

  @Post(':approvalId/reject')
  @HttpCode(200)
  reject(
    @TenantParam() tenantId: string,
    @PublicId('approval', 'approvalId') id: string,
    @ZodBody(requests.reasonBody) { reason }: z.infer<typeof requests.reasonBody>,
  ): Promise<responses.Approval> {
    return this.approvals.reject(tenantId, id, reason);
  }
}
