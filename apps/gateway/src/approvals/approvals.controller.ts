import { adminRoutes, type responses } from '@idsync/contracts';
import { findApproval, listApprovals } from '@idsync/database/gateway';
import { Controller } from '@nestjs/common';
import { orNotFound } from '../http/api-error.js';
import { Handles, type Input } from '../http/handles.decorator.js';
import { TenantTransactions } from '../tenants/tenant-transactions.service.js';
import { Approvals } from './approvals.service.js';
import { presentApproval } from './present-approval.js';

/** Decisions need the role of the act beside the one declared here. */
@Controller()
export class ApprovalsController {
  constructor(
    private readonly tenants: TenantTransactions,
    private readonly approvals: Approvals,
  ) {}

  @Handles(adminRoutes.listApprovals)
  list({ tenantId, query: { status, ...page } }: Input<typeof adminRoutes.listApprovals>) {
    return this.tenants.page(tenantId, page, presentApproval, (tx) => listApprovals(tx, page, status));
  }

  @Handles(adminRoutes.getApproval)
  async get({ tenantId, approvalId: id }: Input<typeof adminRoutes.getApproval>) {
    return presentApproval(orNotFound(await this.tenants.run(tenantId, (tx) => findApproval(tx, id))));
  }

  @Handles(adminRoutes.approveApproval)
  approve({ tenantId, approvalId: id, body }: Input<typeof adminRoutes.approveApproval>): Promise<responses.Approval> {
    return this.approvals.approve(tenantId, id, body.reason);
  }

  @Handles(adminRoutes.rejectApproval)
  reject({ tenantId, approvalId: id, body }: Input<typeof adminRoutes.rejectApproval>): Promise<responses.Approval> {
    return this.approvals.reject(tenantId, id, body.reason);
  }
}
