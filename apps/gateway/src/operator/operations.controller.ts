import { requests } from '@idsync/contracts';
import { Database, findOperation, listOperations } from '@idsync/database';
import { Body, Controller, Get, Inject, Param, Post, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { notFound } from '../api-error.js';
import { uuidOf } from '../directory.controller.js';
import { operate } from '../operate.js';
import { presentOperation } from '../present.js';
import { validate } from '../validate.js';
import { inTenant } from './tenants.controller.js';

@Controller('admin/v1/tenants/:tenantId/operations')
export class OperationsController {
  constructor(@Inject(Database) private readonly database: Database) {}

  @Get()
  async list(@Param('tenantId') tenantId: string, @Query() query: unknown): Promise<object> {
    const page = validate(requests.pageQuery, query);
    const { rows, total } = await inTenant(this.database, tenantId, (tx, tenant) => listOperations(tx, tenant, page));
    return { data: rows.map(presentOperation), total, ...page };
  }

  @Get(':operationId')
  async get(@Param('tenantId') tenantId: string, @Param('operationId') operationId: string): Promise<object> {
    const id = uuidOf('operation', operationId);
    const row = await inTenant(this.database, tenantId, (tx, tenant) => findOperation(tx, tenant, id));
    if (!row) throw notFound();
    return presentOperation(row);
  }

  @Post(':operationId/revert')
  async revert(
    @Param('tenantId') tenantId: string,
    @Param('operationId') operationId: string,
    @Body() body: unknown,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    const { reason } = validate(requests.reasonBody, body);
    const id = uuidOf('operation', operationId);
    const found = await inTenant(this.database, tenantId, (tx, tenant) => findOperation(tx, tenant, id));
    if (!found) throw notFound();
    return operate(this.database, reply, uuidOf('tenant', tenantId), 'operation.revert', {
      operation_id: id,
      ...(reason !== undefined && { reason }),
    });
  }
}
