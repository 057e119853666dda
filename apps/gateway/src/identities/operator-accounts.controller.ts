import { adminRoutes } from '@idsync/contracts';
import { findAccount, findNames } from '@idsync/database/gateway';
import { Controller } from '@nestjs/common';
import { orNotFound } from '../http/api-error.js';
import { Handles, type Input } from '../http/handles.decorator.js';
import { presentAccount } from '../present.js';
import { TenantTransactions } from '../tenants/tenant-transactions.service.js';

@Controller()
export class AccountsController {
  constructor(private readonly tenants: TenantTransactions) {}

  @Handles(adminRoutes.getAccount)
  get({ tenantId, accountId: id }: Input<typeof adminRoutes.getAccount>) {
    return this.tenants.run(tenantId, async (tx) => {
      const account = orNotFound(await findAccount(tx, tenantId, id));
      const identityIds = account.identityId === null ? [] : [account.identityId];
      const { identities } = await findNames(tx, tenantId, { identityIds, recordIds: [], fields: [] });
      return presentAccount(account, identities.get(account.identityId ?? ''));
    });
  }
}
