import { clientRoutes } from '@idsync/contracts';
import { Database } from '@idsync/database';
import { findFeedPage } from '@idsync/database/gateway';
import { Controller } from '@nestjs/common';
import { badRequest } from '../http/api-error.js';
import { Handles, type Input } from '../http/handles.decorator.js';

@Controller()
export class EventsController {
  constructor(private readonly database: Database) {}

  @Handles(clientRoutes.listEvents)
  async list({ tenantId, query }: Input<typeof clientRoutes.listEvents>): Promise<Buffer> {
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
