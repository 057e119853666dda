import { adminRoutes, clientRoutes, encodeId, type responses } from '@idsync/contracts';
import { Database } from '@idsync/database';
import { countedOf, findGroup, type GroupRow, listGroups } from '@idsync/database/gateway';
import { Controller } from '@nestjs/common';
import { orNotFound } from '../http/api-error.js';
import { Handles, type Input } from '../http/handles.decorator.js';
import { readCursor, writeCursor } from '../shared/cursor.js';
import { TenantTransactions } from '../tenants/tenant-transactions.service.js';
import { documentPage, filterId } from './document-page.js';

@Controller()
export class GroupsController {
  constructor(
    private readonly database: Database,
    private readonly tenants: TenantTransactions,
  ) {}

  @Handles(clientRoutes.listGroups, adminRoutes.listGroups)
  async list({ tenantId, query }: Input<typeof adminRoutes.listGroups>): Promise<responses.GroupPage> {
    await this.tenants.require(tenantId);
    const { limit, cursor, source, name } = query;
    const offset = cursor === undefined ? query.offset : 0;
    const { rows, total, isEstimate } = await listGroups(this.database, tenantId, {
      limit,
      offset,
      name,
      after: cursor === undefined ? undefined : readCursor(cursor),
      connectorId: source === undefined ? undefined : filterId('connector', 'source', source),
    });
    const last = cursor !== undefined && rows.length === limit ? rows.at(-1) : undefined;
    return {
      data: rows.map((row) => presentGroup(row, limit)),
      total,
      ...(isEstimate && { total_is_estimate: true }),
      limit,
      offset,
      ...(last && { next_cursor: writeCursor({ createdAt: last.createdAt.getTime(), id: last.id }) }),
    };
  }

  @Handles(clientRoutes.getGroup)
  async get({ tenantId, groupId: id }: Input<typeof clientRoutes.getGroup>) {
    return presentGroup(orNotFound(await findGroup(this.database, tenantId, id)));
  }

  @Handles(clientRoutes.listGroupMembers)
  async members({ tenantId, groupId: id, query }: Input<typeof clientRoutes.listGroupMembers>): Promise<string> {
    orNotFound(await findGroup(this.database, tenantId, id));
    return documentPage(this.database, tenantId, 'user', { ...query, group: encodeId('group', id) });
  }
}

/** `among`: how many groups the answer may have. */
function presentGroup(row: GroupRow, among = 1): responses.Group {
  const { id, name, connectorId, externalId, createdAt, updatedAt, members } = row;
  const most = countedOf(among);
  return {
    id: encodeId('group', id),
    name,
    external_id: externalId ?? name,
    source_id: encodeId('connector', connectorId),
    created_at: createdAt.toISOString(),
    updated_at: (updatedAt ?? createdAt).toISOString(),
    members_total: Math.min(members, most),
    ...(members > most && { members_total_is_estimate: true }),
  };
}
