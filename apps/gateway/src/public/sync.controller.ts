import { requests } from '@idsync/contracts';
import { Database } from '@idsync/database';
import { findJob } from '@idsync/database/gateway';
import { Controller, Get, HttpCode, Post, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { z } from 'zod';
import { Access, CurrentTenant } from '../access/access.decorator.js';
import { orNotFound } from '../http/api-error.js';
import { PublicId } from '../http/public-id.pipe.js';
import { ZodBody } from '../http/zod.pipe.js';
import { presentJob } from '../present.js';
import { trigger } from '../shared/trigger.js';

@Controller('v1/sync')
@Access('key')
export class SyncController {
  constructor(private readonly database: Database) {}

  @Post('trigger')
  @HttpCode(202)
  async trigger(
    @CurrentTenant() tenantId: string,
    @ZodBody(requests.triggerBody) body: z.infer<typeof requests.triggerBody>,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    const { connector_id, idempotency_key: idempotencyKey } = body;
    const { body: job, replayed } = await trigger(this.database, tenantId, connector_id, { idempotencyKey });
    if (replayed) void reply.header('Idempotent-Replayed', 'true');
    return job;
  }

  @Get('jobs/:id')
  async job(@CurrentTenant() tenantId: string, @PublicId('job') id: string): Promise<object> {
    return presentJob(orNotFound(await this.database.transaction(tenantId, (tx) => findJob(tx, tenantId, id))));
  }
}
