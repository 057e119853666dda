import { adminRoutes, encodeId, type responses } from '@idsync/contracts';
import { deleteSuppression, findSuppression, listSuppressions, type SuppressionRow } from '@idsync/database/gateway';
import { Controller } from '@nestjs/common';
import { orNotFound } from '../http/api-error.js';
import { Handles, type Input } from '../http/handles.decorator.js';
import { TenantTransactions } from '../tenants/tenant-transactions.service.js';

@Controller()
export class SuppressionsController {
  constructor(private readonly tenants: TenantTransactions) {}

  @Handles(adminRoutes.listSuppressions)
  list({ tenantId, query: page }: Input<typeof adminRoutes.listSuppressions>) {
    return this.tenants.page(tenantId, page, presentSuppression, (tx) => listSuppressions(tx, page));
  }

  @Handles(adminRoutes.getSuppression)
  async get({ tenantId, suppressionId: id }: Input<typeof adminRoutes.getSuppression>) {
    return presentSuppression(orNotFound(await this.tenants.run(tenantId, (tx) => findSuppression(tx, id))));
  }

  /** Lifts the suppression: the next full run may create the person again. */
  @Handles(adminRoutes.deleteSuppression)
  async lift({ tenantId, suppressionId: id }: Input<typeof adminRoutes.deleteSuppression>): Promise<void> {
    await this.tenants.act(tenantId, async (tx, describe) => {
      const before = presentSuppression(orNotFound(await findSuppression(tx, id)));
      describe({ before });
      orNotFound(await deleteSuppression(tx, id));
    });
  }
}

function presentSuppression(row: SuppressionRow): responses.Suppression {
  return {
    id: encodeId('suppression', row.id),
    identity_id: encodeId('identity', row.identityId),
    operation_id: encodeId('operation', row.operationId),
    created_at: row.createdAt.toISOString(),
  };
}
