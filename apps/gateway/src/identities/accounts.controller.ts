import { adminRoutes, clientRoutes } from '@idsync/contracts';
import { Database } from '@idsync/database';
import { findAccount, findDocument, findIdentityNames } from '@idsync/database/gateway';
import { Controller } from '@nestjs/common';
import { orNotFound } from '../http/api-error.js';
import { Handles, type Input } from '../http/handles.decorator.js';
import { TenantTransactions } from '../tenants/tenant-transactions.service.js';
import { documentPage } from './document-page.js';
import { presentAccount } from './present-record.js';

@Controller()
export class AccountsController {
  constructor(
    private readonly database: Database,
    private readonly tenants: TenantTransactions,
  ) {}

  @Handles(clientRoutes.listAccounts, adminRoutes.listAccounts)
  async list({ tenantId, query }: Input<typeof adminRoutes.listAccounts>): Promise<string> {
    await this.tenants.require(tenantId);
    return documentPage(this.database, tenantId, 'account', query);
  }

  @Handles(clientRoutes.getAccount)
  async get({ tenantId, accountId: id }: Input<typeof clientRoutes.getAccount>): Promise<string> {
    return orNotFound(await findDocument(this.database, tenantId, 'account', id));
  }

  @Handles(adminRoutes.getAccount)
  getDetails({ tenantId, accountId: id }: Input<typeof adminRoutes.getAccount>) {
    return this.tenants.run(tenantId, async (tx) => {
      const account = orNotFound(await findAccount(tx, tenantId, id));
      const names = await findIdentityNames(tx, tenantId, [account.identityId]);
      return presentAccount(account, names.get(account.identityId ?? ''));
    });
  }
}
