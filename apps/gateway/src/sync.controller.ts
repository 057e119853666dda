import { requests } from '@idsync/contracts';
import { Database, findJob } from '@idsync/database';
import { Body, Controller, Get, HttpCode, Inject, Param, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { notFound } from './api-error.js';
import { callerOf } from './authenticate.js';
import { uuidOf } from './directory.controller.js';
import { presentJob } from './present.js';
import { trigger } from './trigger.js';
import { validate } from './validate.js';

@Controller('v1/sync')
export class SyncController {
  constructor(@Inject(Database) private readonly database: Database) {}

  @Post('trigger')
  @HttpCode(202)
  async trigger(
    @Req() request: FastifyRequest,
    @Body() body: unknown,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    const { connector_id, idempotency_key } = validate(requests.triggerBody, body);
    const { tenantId } = callerOf(request);
    const { answer, replayed } = await trigger(this.database, tenantId, connector_id, {
      idempotencyKey: idempotency_key,
    });
    if (replayed) void reply.header('Idempotent-Replayed', 'true');
    return answer;
  }

  @Get('jobs/:id')
  async job(@Req() request: FastifyRequest, @Param('id') id: string): Promise<object> {
    const { tenantId } = callerOf(request);
    const jobId = uuidOf('job', id);
    const job = await this.database.transaction(tenantId, (tx) => findJob(tx, tenantId, jobId));
    if (!job) throw notFound();
    return presentJob(job);
  }
}
