import { decodeId, encodeId, requests } from '@idsync/contracts';
import { Database, enqueue, findReplay, listReplays } from '@idsync/database';
import { Controller, Get, HttpCode, Inject, Param, Post, Query } from '@nestjs/common';
import { badRequest, notFound } from '../api-error.js';
import { notACursor } from '../cursor.js';
import { uuidOf } from '../directory.controller.js';
import { validate } from '../validate.js';
import { presentReplay } from './present-delivery.js';
import { inTenant } from './tenants.controller.js';

@Controller('admin/v1/tenants/:tenantId/replays')
export class ReplaysController {
  constructor(@Inject(Database) private readonly database: Database) {}

  /** The cursor is the id of the last replay of the page before. */
  @Get()
  async list(@Param('tenantId') tenantId: string, @Query() query: unknown): Promise<object> {
    const { limit, cursor } = validate(requests.replayQuery, query);
    const before = cursor ? decodeId('replay', cursor) : undefined;
    if (cursor && before === undefined) throw notACursor();
    const rows = await inTenant(this.database, tenantId, (tx, tenant) =>
      listReplays(tx, tenant, { before, limit: limit + 1 }),
    );
    const page = rows.slice(0, limit);
    const last = rows.length > limit ? page.at(-1) : undefined;
    return { data: page.map(presentReplay), limit, ...(last && { next_cursor: encodeId('replay', last.id) }) };
  }

  @Get(':replayId')
  async get(@Param('tenantId') tenantId: string, @Param('replayId') replayId: string): Promise<object> {
    const id = uuidOf('replay', replayId);
    const row = await inTenant(this.database, tenantId, (tx, tenant) => findReplay(tx, tenant, id));
    if (!row) throw notFound();
    return presentReplay(row);
  }

  /** The replay lives in the dispatcher, so the wish travels; 202 says it was heard. */
  @Post(':replayId/cancel')
  @HttpCode(202)
  async cancel(@Param('tenantId') tenantId: string, @Param('replayId') replayId: string): Promise<object> {
    const id = uuidOf('replay', replayId);
    return inTenant(this.database, tenantId, async (tx, tenant) => {
      const row = await findReplay(tx, tenant, id);
      if (!row) throw notFound();
      if (row.status === 'done' || row.status === 'cancelled') throw badRequest(`the replay is ${row.status} already`);
      await enqueue(tx, { type: 'webhook.replay.cancel_requested', tenantId: tenant, data: { replay_id: id } });
      return presentReplay(row);
    });
  }
}
