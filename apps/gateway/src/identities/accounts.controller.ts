import { clientRoutes } from '@idsync/contracts';
import { Database } from '@idsync/database';
import { findDocument } from '@idsync/database/gateway';
import { Controller } from '@nestjs/common';
import { orNotFound } from '../http/api-error.js';
import { Handles, type Input } from '../http/handles.decorator.js';
import { documentPage } from './document-page.js';

@Controller()
export class AccountsController {
  constructor(private readonly database: Database) {}

  @Handles(clientRoutes.listAccounts)
  list({ tenantId, query }: Input<typeof clientRoutes.listAccounts>): Promise<string> {
    return documentPage(this.database, tenantId, 'account', query);
  }

  @Handles(clientRoutes.getAccount)
  async get({ tenantId, id }: Input<typeof clientRoutes.getAccount>): Promise<string> {
    return orNotFound(await findDocument(this.database, tenantId, 'account', id));
  }
}
