import { requests } from '@idsync/contracts';
import { Database, findFeedPage } from '@idsync/database';
import { Controller, Get, Inject, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { callerOf } from './authenticate.js';
import { sendJson } from './send-json.js';
import { validate } from './validate.js';

@Controller('v1/events')
export class EventsController {
  constructor(@Inject(Database) private readonly database: Database) {}

  @Get()
  async list(@Req() request: FastifyRequest, @Query() query: unknown, @Res() reply: FastifyReply): Promise<void> {
    const { tenantId } = callerOf(request);
    const asked = validate(requests.eventsQuery, query);
    const page = await this.database.transaction(tenantId, (tx) => findFeedPage(tx, tenantId, asked));
    const { bodies, nextAfter, hasMore } = page;
    sendJson(
      reply,
      `{"data":[${bodies.join(',')}],"next_after":${nextAfter},"has_more":${hasMore},"limit":${asked.limit}}`,
    );
  }
}
