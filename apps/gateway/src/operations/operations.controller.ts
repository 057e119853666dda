import { adminRoutes, encodeId, publicItems } from '@idsync/contracts';
import { findOperation, findOperationItems, listOperations } from '@idsync/database/gateway';
import { Controller } from '@nestjs/common';
import { Approvals } from '../approvals/approvals.service.js';
import { badRequest, orNotFound } from '../http/api-error.js';
import { Handles, type Input } from '../http/handles.decorator.js';
import { itemsOf, namePeople } from '../identities/name-people.js';
import { TenantTransactions } from '../tenants/tenant-transactions.service.js';
import { Operations } from './operations.service.js';
import { presentOperation } from './present-operation.js';

@Controller()
export class OperationsController {
  constructor(
    private readonly tenants: TenantTransactions,
    private readonly operations: Operations,
    private readonly approvals: Approvals,
  ) {}

  @Handles(adminRoutes.listOperations)
  list({ tenantId, query: page }: Input<typeof adminRoutes.listOperations>) {
    return this.tenants.page(tenantId, page, presentOperation, (tx) => listOperations(tx, page));
  }

  @Handles(adminRoutes.getOperation)
  async get({ tenantId, operationId: id }: Input<typeof adminRoutes.getOperation>) {
    const operation = orNotFound(await this.tenants.run(tenantId, (tx) => findOperation(tx, id)));
    return this.operations.present(tenantId, operation);
  }

  @Handles(adminRoutes.listOperationItems)
  async items({ tenantId, operationId: id, query: { list, ...page } }: Input<typeof adminRoutes.listOperationItems>) {
    return this.tenants.run(tenantId, async (tx) => {
      const { rows, total } = orNotFound(await findOperationItems(tx, id, list, page));
      const named = await namePeople(tx, { [list]: publicItems(list, rows) });
      return { data: itemsOf(named[list]), total, ...page };
    });
  }

  @Handles(adminRoutes.revertOperation)
  async revert({ tenantId, operationId: id, body: { reason } }: Input<typeof adminRoutes.revertOperation>) {
    orNotFound(await this.tenants.run(tenantId, (tx) => findOperation(tx, id)));
    return this.operations.request(tenantId, 'operation.revert', { operation_id: id, reason });
  }

  @Handles(adminRoutes.cancelOperation)
  async cancel({ tenantId, operationId: id, body: { reason } }: Input<typeof adminRoutes.cancelOperation>) {
    orNotFound(await this.tenants.run(tenantId, (tx) => findOperation(tx, id)));
    return this.operations.request(tenantId, 'operation.cancel', { operation_id: id, reason });
  }

  @Handles(adminRoutes.confirmOperation)
  async confirm({ tenantId, operationId: id, body: { reason } }: Input<typeof adminRoutes.confirmOperation>) {
    const operation = orNotFound(await this.tenants.run(tenantId, (tx) => findOperation(tx, id)));
    if (operation.status !== 'held') throw badRequest(`the operation is ${operation.status}, not held`);
    return this.approvals.operate(tenantId, 'confirmOperation', { operation_id: encodeId('operation', id), reason });
  }
}
