import { attributePriorities, encodeId } from '@idsync/contracts';
import { Database, findAttributePriorities, findConnector } from '@idsync/database';
import { Body, Controller, Get, Inject, Param, Put, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { badRequest } from '../api-error.js';
import { bodyId, uuidOf } from '../directory.controller.js';
import { operate } from '../operate.js';
import { validate } from '../validate.js';
import { inTenant } from './tenants.controller.js';

@Controller('admin/v1/tenants/:tenantId/attribute-priorities')
export class AttributePrioritiesController {
  constructor(@Inject(Database) private readonly database: Database) {}

  @Get()
  async get(@Param('tenantId') tenantId: string): Promise<object> {
    const rows = await inTenant(this.database, tenantId, (tx, tenant) => findAttributePriorities(tx, tenant));
    const priorities = rows.map(({ field, connectorId, priority }) => ({
      field,
      connector_id: encodeId('connector', connectorId),
      priority,
    }));
    return { priorities };
  }

  @Put()
  async replace(
    @Param('tenantId') tenantId: string,
    @Body() body: unknown,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    const priorities = validate(attributePriorities, body).priorities.map((each) => ({
      ...each,
      connector_id: bodyId(['connector'], each.connector_id),
    }));
    await inTenant(this.database, tenantId, async (tx, tenant) => {
      for (const id of new Set(priorities.map(({ connector_id }) => connector_id))) {
        if (!(await findConnector(tx, tenant, id)))
          throw badRequest(`there is no connector ${encodeId('connector', id)}`);
      }
    });
    return operate(this.database, reply, uuidOf('tenant', tenantId), 'attributes.rank', { priorities });
  }
}
