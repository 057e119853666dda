import { adminRoutes, clientRoutes, decodeId, encodeId } from '@idsync/contracts';
import { enqueue } from '@idsync/database/bus';
import { findReplay, listReplays } from '@idsync/database/gateway';
import { Controller } from '@nestjs/common';
import { badRequest, orNotFound } from '../http/api-error.js';
import { Handles, type Input } from '../http/handles.decorator.js';
import { invalidCursor } from '../shared/cursor.js';
import { TenantTransactions } from '../tenants/tenant-transactions.service.js';
import { presentReplay } from './present-delivery.js';

@Controller()
export class ReplaysController {
  constructor(private readonly tenants: TenantTransactions) {}

  /** The cursor is the id of the last replay of the previous page. */
  @Handles(adminRoutes.listReplays)
  async list({ tenantId, query: { limit, cursor } }: Input<typeof adminRoutes.listReplays>) {
    const before = cursor ? decodeId('replay', cursor) : undefined;
    if (cursor && before === undefined) throw invalidCursor();
    const rows = await this.tenants.run(tenantId, (tx) => listReplays(tx, tenantId, { before, limit: limit + 1 }));
    const page = rows.slice(0, limit);
    const last = rows.length > limit ? page.at(-1) : undefined;
    return { data: page.map(presentReplay), limit, ...(last && { next_cursor: encodeId('replay', last.id) }) };
  }

  @Handles(clientRoutes.getWebhookReplay, adminRoutes.getReplay)
  async get({ tenantId, webhookId, replayId }: { tenantId: string; webhookId?: string; replayId: string }) {
    const row = orNotFound(await this.tenants.run(tenantId, (tx) => findReplay(tx, tenantId, replayId)));
    orNotFound(webhookId === undefined || webhookId === row.webhookId);
    return presentReplay(row);
  }

  /** Responds with 202, because the dispatcher owns replays and cancels this one asynchronously. */
  @Handles(adminRoutes.cancelReplay)
  async cancel({ tenantId, replayId: id }: Input<typeof adminRoutes.cancelReplay>) {
    return this.tenants.act(tenantId, async (tx) => {
      const row = orNotFound(await findReplay(tx, tenantId, id));
      if (row.status === 'done' || row.status === 'cancelled') throw badRequest(`the replay is already ${row.status}`);
      await enqueue(tx, { type: 'webhook.replay.cancel_requested', tenantId, data: { replay_id: id } });
      return presentReplay(row);
    });
  }
}
