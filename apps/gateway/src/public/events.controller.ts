import { requests } from '@idsync/contracts';
import { Database } from '@idsync/database';
import { findFeedPage } from '@idsync/database/gateway';
import { Controller, Get } from '@nestjs/common';
import type { z } from 'zod';
import { Access, CurrentTenant } from '../access/access.decorator.js';
import { badRequest } from '../http/api-error.js';
import { JsonText } from '../http/json-text.decorator.js';
import { ZodQuery } from '../http/zod.pipe.js';

@Controller('v1/events')
@Access('key')
export class EventsController {
  constructor(private readonly database: Database) {}

  @Get()
  @JsonText()
  async list(
    @CurrentTenant() tenantId: string,
    @ZodQuery(requests.eventsQuery) query: z.infer<typeof requests.eventsQuery>,
  ): Promise<Buffer> {
    const { bodies, nextAfter, hasMore, newest } = await this.database.transaction(tenantId, (tx) =>
      findFeedPage(tx, tenantId, query),
    );
    // After the restore of a backup, events with numbers that the client has seen are others.
    if (nextAfter > newest) throw badRequest(`after must be at most ${newest}, the newest sequence`);
    return Buffer.from(
      `{"data":[${bodies.join(',')}],"next_after":${nextAfter},"has_more":${hasMore},"limit":${query.limit}}`,
    );
  }
}
