import { clientRoutes } from '@idsync/contracts';
import { Database } from '@idsync/database';
import { findDocument } from '@idsync/database/gateway';
import { Controller } from '@nestjs/common';
import { orNotFound } from '../http/api-error.js';
import { Handles, type Input } from '../http/handles.decorator.js';
import { documentPage } from './document-page.js';

@Controller()
export class PublicMachinesController {
  constructor(private readonly database: Database) {}

  @Handles(clientRoutes.listMachineIdentities)
  list({ tenantId, query }: Input<typeof clientRoutes.listMachineIdentities>): Promise<string> {
    return documentPage(this.database, tenantId, 'machine_identity', query);
  }

  @Handles(clientRoutes.getMachineIdentity)
  async get({ tenantId, id }: Input<typeof clientRoutes.getMachineIdentity>): Promise<string> {
    return orNotFound(await findDocument(this.database, tenantId, 'machine_identity', id));
  }
}
