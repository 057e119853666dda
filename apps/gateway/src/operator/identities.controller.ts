import { requests } from '@idsync/contracts';
import { Database, findDocument, findExplainedIdentity, findIdentityAt } from '@idsync/database';
import { Body, Controller, Get, Inject, Param, Post, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { notFound } from '../api-error.js';
import { bodyId, uuidOf } from '../directory.controller.js';
import { explain } from '../explain.js';
import { operate } from '../operate.js';
import { sendJson } from '../send-json.js';
import { validate } from '../validate.js';
import { inTenant } from './tenants.controller.js';

@Controller('admin/v1/tenants/:tenantId/identities/:identityId')
export class IdentitiesController {
  constructor(@Inject(Database) private readonly database: Database) {}

  /** The public document, for who has the operator's token and no key of the tenant. */
  @Get()
  async get(
    @Param('tenantId') tenantId: string,
    @Param('identityId') identityId: string,
    @Query() query: unknown,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { at } = validate(requests.identityQuery, query);
    const [tenant, id] = [uuidOf('tenant', tenantId), uuidOf('identity', identityId)];
    const document =
      at === undefined
        ? await findDocument(this.database, tenant, 'identity', id)
        : await findIdentityAt(this.database, tenant, id, new Date(at));
    if (document === undefined) throw notFound();
    sendJson(reply, document);
  }

  @Get('explain')
  async explain(@Param('tenantId') tenantId: string, @Param('identityId') identityId: string): Promise<object> {
    const id = uuidOf('identity', identityId);
    const found = await inTenant(this.database, tenantId, (tx, tenant) => findExplainedIdentity(tx, tenant, id));
    if (!found) throw notFound();
    return explain(found);
  }

  @Post('merge')
  async merge(
    @Param('tenantId') tenantId: string,
    @Param('identityId') identityId: string,
    @Body() body: unknown,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    const { from_ids, reason } = validate(requests.mergeBody, body);
    return operate(this.database, reply, uuidOf('tenant', tenantId), 'identity.merge', {
      into_id: await this.present(tenantId, identityId),
      from_ids: from_ids.map((id) => bodyId(['identity'], id)),
      ...(reason !== undefined && { reason }),
    });
  }

  @Post('split')
  async split(
    @Param('tenantId') tenantId: string,
    @Param('identityId') identityId: string,
    @Body() body: unknown,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    const { record_ids, reason } = validate(requests.splitBody, body);
    return operate(this.database, reply, uuidOf('tenant', tenantId), 'identity.split', {
      identity_id: await this.present(tenantId, identityId),
      record_ids: record_ids.map((id) => bodyId(['user', 'account', 'machineIdentity'], id)),
      ...(reason !== undefined && { reason }),
    });
  }

  @Post('erase')
  async erase(
    @Param('tenantId') tenantId: string,
    @Param('identityId') identityId: string,
    @Body() body: unknown,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    const { reason } = validate(requests.reasonBody, body);
    return operate(this.database, reply, uuidOf('tenant', tenantId), 'identity.erase', {
      identity_id: await this.present(tenantId, identityId),
      ...(reason !== undefined && { reason }),
    });
  }

  private async present(tenantId: string, identityId: string): Promise<string> {
    const id = uuidOf('identity', identityId);
    const document = await findDocument(this.database, uuidOf('tenant', tenantId), 'identity', id);
    if (document === undefined) throw notFound();
    return id;
  }
}
