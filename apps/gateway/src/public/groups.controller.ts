import { encodeId, requests } from '@idsync/contracts';
import { Database } from '@idsync/database';
import { findGroup } from '@idsync/database/gateway';
import { Controller, Get } from '@nestjs/common';
import type { z } from 'zod';
import { Access, CurrentTenant } from '../access/access.decorator.js';
import { orNotFound } from '../http/api-error.js';
import { JsonText } from '../http/json-text.decorator.js';
import { PublicId } from '../http/public-id.pipe.js';
import { ZodQuery } from '../http/zod.pipe.js';
import { presentGroup } from '../present.js';
import { documentPage } from '../shared/document-page.js';
import { groupPage } from '../shared/group-page.js';

@Controller('v1/groups')
@Access('key')
export class GroupsController {
  constructor(private readonly database: Database) {}

  @Get()
  list(
    @CurrentTenant() tenantId: string,
    @ZodQuery(requests.groupQuery) query: z.infer<typeof requests.groupQuery>,
  ): Promise<object> {
    return groupPage(this.database, tenantId, query);
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
