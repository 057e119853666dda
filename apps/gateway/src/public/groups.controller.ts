import { encodeId, requests } from '@idsync/contracts';
import { Database } from '@idsync/database';
import { findGroup, listGroups } from '@idsync/database/gateway';
import { Controller, Get } from '@nestjs/common';
import type { z } from 'zod';
import { Access, CurrentTenant } from '../access/access.decorator.js';
import { orNotFound } from '../http/api-error.js';
import { JsonText } from '../http/json-text.decorator.js';
import { PublicId } from '../http/public-id.pipe.js';
import { ZodQuery } from '../http/zod.pipe.js';
import { readCursor, writeCursor } from '../shared/cursor.js';
import { documentPage, filterId } from '../shared/document-page.js';
import { presentGroup } from './present-group.js';

@Controller('v1/groups')
@Access('key')
export class GroupsController {
  constructor(private readonly database: Database) {}

  @Get()
  async list(
    @CurrentTenant() tenantId: string,
    @ZodQuery(requests.groupQuery) { limit, cursor, source, name, ...query }: z.infer<typeof requests.groupQuery>,
  ): Promise<object> {
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
      data: rows.map(presentGroup),
      total,
      ...(isEstimate && { total_is_estimate: true }),
      limit,
      offset,
      ...(last && { next_cursor: writeCursor({ createdAt: last.createdAt.getTime(), id: last.id }) }),
    };
  }

  @Get(':id')
  async get(@CurrentTenant() tenantId: string, @PublicId('group') id: string): Promise<object> {
    return presentGroup(orNotFound(await findGroup(this.database, tenantId, id)));
  }

  @Get(':id/members')
  @JsonText()
  async members(
    @CurrentTenant() tenantId: string,
    @PublicId('group') id: string,
    @ZodQuery(requests.memberQuery) query: z.infer<typeof requests.memberQuery>,
  ): Promise<string> {
    orNotFound(await findGroup(this.database, tenantId, id));
    return documentPage(this.database, tenantId, 'user', { ...query, group: encodeId('group', id) });
  }
}
