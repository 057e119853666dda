import { clientRoutes } from '@idsync/contracts';
import { Database } from '@idsync/database';
import { findJob } from '@idsync/database/gateway';
import { Controller, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { orNotFound } from '../http/api-error.js';
import { Handles, type Input } from '../http/handles.decorator.js';
import { presentJob } from '../present.js';
import { trigger } from './trigger.js';

@Controller()
export class SyncController {
  constructor(private readonly database: Database) {}

  @Handles(clientRoutes.triggerSync)
  async trigger(
    { tenantId, body }: Input<typeof clientRoutes.triggerSync>,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const { connector_id, idempotency_key: idempotencyKey } = body;
    const { body: job, replayed } = await trigger(this.database, tenantId, connector_id, { idempotencyKey });
    if (replayed) void reply.header('Idempotent-Replayed', 'true');
    return job;
  }

  @Handles(clientRoutes.getSyncJob)
  async job({ tenantId, id }: Input<typeof clientRoutes.getSyncJob>) {
    return presentJob(orNotFound(await this.database.transaction(tenantId, (tx) => findJob(tx, tenantId, id))));
  }
}
