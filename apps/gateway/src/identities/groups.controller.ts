import { clientRoutes, encodeId } from '@idsync/contracts';
import { Database } from '@idsync/database';
import { findGroup } from '@idsync/database/gateway';
import { Controller } from '@nestjs/common';
import { orNotFound } from '../http/api-error.js';
import { Handles, type Input } from '../http/handles.decorator.js';
import { presentGroup } from '../present.js';
import { documentPage } from './document-page.js';
import { groupPage } from './group-page.js';

@Controller()
export class GroupsController {
  constructor(private readonly database: Database) {}

  @Handles(clientRoutes.listGroups)
  list({ tenantId, query }: Input<typeof clientRoutes.listGroups>) {
    return groupPage(this.database, tenantId, query);
  }

  @Handles(clientRoutes.getGroup)
  async get({ tenantId, id }: Input<typeof clientRoutes.getGroup>) {
    return presentGroup(orNotFound(await findGroup(this.database, tenantId, id)));
  }

  @Handles(clientRoutes.listGroupMembers)
  async members({ tenantId, id, query }: Input<typeof clientRoutes.listGroupMembers>): Promise<string> {
    orNotFound(await findGroup(this.database, tenantId, id));
    return documentPage(this.database, tenantId, 'user', { ...query, group: encodeId('group', id) });
  }
}
