import { defaultMatchingRules, type MatchingRules, matchingRules } from '@idsync/contracts';
import { Database, findMatchingRules } from '@idsync/database';
import { Body, Controller, Get, Inject, Param, Post, Put, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { uuidOf } from '../directory.controller.js';
import { operate } from '../operate.js';
import { validate } from '../validate.js';
import { inTenant } from './tenants.controller.js';

@Controller('admin/v1/tenants/:tenantId/matching-rules')
export class MatchingRulesController {
  constructor(@Inject(Database) private readonly database: Database) {}

  @Get()
  async get(@Param('tenantId') tenantId: string): Promise<MatchingRules> {
    const own = await inTenant(this.database, tenantId, (tx, tenant) => findMatchingRules(tx, tenant));
    return own ?? defaultMatchingRules;
  }

  @Put()
  async change(
    @Param('tenantId') tenantId: string,
    @Body() body: unknown,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    const input = { rules: validate(matchingRules, body), preview: false };
    return operate(this.database, reply, uuidOf('tenant', tenantId), 'rules.change', input);
  }

  @Post('preview')
  async preview(
    @Param('tenantId') tenantId: string,
    @Body() body: unknown,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    const input = { rules: validate(matchingRules, body), preview: true };
    return operate(this.database, reply, uuidOf('tenant', tenantId), 'rules.change', input);
  }
}
