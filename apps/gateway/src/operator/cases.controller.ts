import { requests } from '@idsync/contracts';
import { Database, findCase, listCases } from '@idsync/database';
import { Body, Controller, Get, Inject, Param, Post, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { notFound } from '../api-error.js';
import { uuidOf } from '../directory.controller.js';
import { operate } from '../operate.js';
import { presentCase } from '../present.js';
import { validate } from '../validate.js';
import { inTenant } from './tenants.controller.js';

@Controller('admin/v1/tenants/:tenantId/cases')
export class CasesController {
  constructor(@Inject(Database) private readonly database: Database) {}

  @Get()
  async list(@Param('tenantId') tenantId: string, @Query() query: unknown): Promise<object> {
    const { limit, offset, status } = validate(requests.caseQuery, query);
    const { rows, total } = await inTenant(this.database, tenantId, (tx, tenant) =>
      listCases(tx, tenant, { limit, offset, status }),
    );
    return { data: rows.map(presentCase), total, limit, offset };
  }

  @Get(':caseId')
  async get(@Param('tenantId') tenantId: string, @Param('caseId') caseId: string): Promise<object> {
    const id = uuidOf('case', caseId);
    const row = await inTenant(this.database, tenantId, (tx, tenant) => findCase(tx, tenant, id));
    if (!row) throw notFound();
    return presentCase(row);
  }

  @Post(':caseId/resolve')
  async resolve(
    @Param('tenantId') tenantId: string,
    @Param('caseId') caseId: string,
    @Body() body: unknown,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    const { resolution, identity_id, reason } = validate(requests.resolveBody, body);
    const id = uuidOf('case', caseId);
    const found = await inTenant(this.database, tenantId, (tx, tenant) => findCase(tx, tenant, id));
    if (!found) throw notFound();
    return operate(this.database, reply, uuidOf('tenant', tenantId), 'case.resolve', {
      case_id: id,
      resolution,
      ...(identity_id !== undefined && { identity_id: uuidOf('identity', identity_id) }),
      ...(reason !== undefined && { reason }),
    });
  }
}
