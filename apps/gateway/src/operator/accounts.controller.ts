import { findAccount, findNames } from '@idsync/database/gateway';
import { Controller, Get } from '@nestjs/common';
import { ReadsPeople } from '../audit/audit.interceptor.js';
import { OperatorAccess } from '../audit/operator-access.decorator.js';
import { orNotFound } from '../http/api-error.js';
import { PublicId, TenantParam } from '../http/public-id.pipe.js';
import { presentAccount } from '../present.js';
import { TenantTransactions } from './tenant-transactions.service.js';

@Controller('admin/v1/tenants/:tenantId/accounts/:accountId')
@OperatorAccess()
export class AccountsController {
  constructor(private readonly tenants: TenantTransactions) {}

  @Get()
  @ReadsPeople(true)
  get(@TenantParam() tenantId: string, @PublicId('account', 'accountId') id: string): Promise<object> {
    return this.tenants.run(tenantId, async (tx) => {
      const account = orNotFound(await findAccount(tx, tenantId, id));
      const identityIds = account.identityId === null ? [] : [account.identityId];
      const { identities } = await findNames(tx, tenantId, { identityIds, recordIds: [], fields: [] });
      return presentAccount(account, identities.get(account.identityId ?? ''));
    });
  }
}
