import { decodeId, encodeId, requests } from '@idsync/contracts';
import { enqueue } from '@idsync/database/bus';
import { findReplay, listReplays } from '@idsync/database/gateway';
import { Controller, Get, HttpCode, Post } from '@nestjs/common';
import type { z } from 'zod';
import { OperatorAccess } from '../audit/operator-access.decorator.js';
import { badRequest, orNotFound } from '../http/api-error.js';
import { PublicId, TenantParam } from '../http/public-id.pipe.js';
import { ZodQuery } from '../http/zod.pipe.js';
import { invalidCursor } from '../shared/cursor.js';
import { presentReplay } from '../shared/present-delivery.js';
import { TenantTransactions } from './tenant-transactions.service.js';

@Controller('admin/v1/tenants/:tenantId/replays')
@OperatorAccess()
export class ReplaysController {
  constructor(private readonly tenants: TenantTransactions) {}

  /** The cursor is the id of the last replay of the previous page. */
  @Get()
  async list(
    @TenantParam() tenantId: string,
    @ZodQuery(requests.replayQuery) { limit, cursor }: z.infer<typeof requests.replayQuery>,
  ): Promise<object> {
    const before = cursor ? decodeId('replay', cursor) : undefined;
    if (cursor && before === undefined) throw invalidCursor();
    const rows = await this.tenants.run(tenantId, (tx) => listReplays(tx, tenantId, { before, limit: limit + 1 }));
    const page = rows.slice(0, limit);
    const last = rows.length > limit ? page.at(-1) : undefined;
    return { data: page.map(presentReplay), limit, ...(last && { next_cursor: encodeId('replay', last.id) }) };
  }

  @Get(':replayId')
  async get(@TenantParam() tenantId: string, @PublicId('replay', 'replayId') id: string): Promise<object> {
    return presentReplay(orNotFound(await this.tenants.run(tenantId, (tx) => findReplay(tx, tenantId, id))));
  }

  /** Responds with 202, because the dispatcher owns replays and cancels this one asynchronously. */
  @Post(':replayId/cancel')
  @HttpCode(202)
  async cancel(@TenantParam() tenantId: string, @PublicId('replay', 'replayId') id: string): Promise<object> {
    return this.tenants.act(tenantId, async (tx) => {
      const row = orNotFound(await findReplay(tx, tenantId, id));
      if (row.status === 'done' || row.status === 'cancelled') throw badRequest(`the replay is already ${row.status}`);
      await enqueue(tx, { type: 'webhook.replay.cancel_requested', tenantId, data: { replay_id: id } });
      return presentReplay(row);
    });
  }
}
