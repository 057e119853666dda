import { encodeId, publicItems, requests } from '@idsync/contracts';
import { findOperation, findOperationItems, listOperations, type Page } from '@idsync/database/gateway';
import { Controller, Get, Post } from '@nestjs/common';
import type { z } from 'zod';
import { Approvals } from '../approvals/approvals.service.js';
import { OperatorAccess } from '../audit/operator-access.decorator.js';
import { badRequest, orNotFound } from '../http/api-error.js';
import { MayTakeLonger, type Progress } from '../http/may-take-longer.interceptor.js';
import { PublicId, TenantParam } from '../http/public-id.pipe.js';
import { PageQuery, ZodBody, ZodQuery } from '../http/zod.pipe.js';
import { presentOperation } from '../present.js';
import { namePeople } from './name-people.js';
import { Operations } from './operations.service.js';
import { TenantTransactions } from './tenant-transactions.service.js';

@Controller('admin/v1/tenants/:tenantId/operations')
@OperatorAccess()
export class OperationsController {
  constructor(
    private readonly tenants: TenantTransactions,
    private readonly operations: Operations,
    private readonly approvals: Approvals,
  ) {}

  @Get()
  list(@TenantParam() tenantId: string, @PageQuery() page: Page): Promise<object> {
    return this.tenants.page(tenantId, page, presentOperation, (tx) => listOperations(tx, tenantId, page));
  }

  @Get(':operationId')
  async get(@TenantParam() tenantId: string, @PublicId('operation', 'operationId') id: string): Promise<object> {
    const operation = orNotFound(await this.tenants.run(tenantId, (tx) => findOperation(tx, tenantId, id)));
    return this.operations.present(tenantId, operation);
  }

  @Get(':operationId/items')
  async items(
    @TenantParam() tenantId: string,
    @PublicId('operation', 'operationId') id: string,
    @ZodQuery(requests.operationItemQuery) { list, ...page }: z.infer<typeof requests.operationItemQuery>,
  ): Promise<object> {
    return this.tenants.run(tenantId, async (tx) => {
      const { rows, total } = orNotFound(await findOperationItems(tx, tenantId, id, list, page));
      const named = await namePeople(tx, tenantId, { [list]: publicItems(list, rows) });
      return { data: named[list], total, ...page };
    });
  }

  @Post(':operationId/revert')
  @MayTakeLonger()
  async revert(
    @TenantParam() tenantId: string,
    @PublicId('operation', 'operationId') id: string,
    @ZodBody(requests.reasonBody) { reason }: z.infer<typeof requests.reasonBody>,
  ): Promise<Progress> {
    orNotFound(await this.tenants.run(tenantId, (tx) => findOperation(tx, tenantId, id)));
    return this.operations.request(tenantId, 'operation.revert', { operation_id: id, reason });
  }

  @Post(':operationId/confirm')
  @MayTakeLonger()
  async confirm(
    @TenantParam() tenantId: string,
    @PublicId('operation', 'operationId') id: string,
    @ZodBody(requests.confirmBody) { reason }: z.infer<typeof requests.confirmBody>,
  ): Promise<Progress> {
    const operation = orNotFound(await this.tenants.run(tenantId, (tx) => findOperation(tx, tenantId, id)));
    if (operation.status !== 'held') throw badRequest(`the operation is ${operation.status}, not held`);
    const wanted = { operation_id: encodeId('operation', id), reason };
    const waiting = await this.approvals.request(tenantId, 'confirmOperation', wanted);
    if (waiting) return { finished: false, body: waiting };
    return this.operations.request(tenantId, 'operation.confirm', { operation_id: id, reason });
  }
}
