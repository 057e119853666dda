import { adminRoutes, decodeId, requests, type responses } from '@idsync/contracts';
import { Database } from '@idsync/database';
import { findNames, type SearchedResource } from '@idsync/database/gateway';
import { Controller } from '@nestjs/common';
import { Handles, type Input } from '../http/handles.decorator.js';
import { TenantTransactions } from '../tenants/tenant-transactions.service.js';
import { documentPage } from './document-page.js';
import { groupPage } from './group-page.js';

/** The lists of the public API for operators, who have no API key of the tenant. */
@Controller()
export class OperatorListsController {
  constructor(
    private readonly database: Database,
    private readonly tenants: TenantTransactions,
  ) {}

  @Handles(adminRoutes.listIdentities)
  identities({ tenantId, query }: Input<typeof adminRoutes.listIdentities>): Promise<string> {
    return this.page(tenantId, 'identity', query);
  }

  @Handles(adminRoutes.listUsers)
  users({ tenantId, query }: Input<typeof adminRoutes.listUsers>): Promise<string> {
    return this.page(tenantId, 'user', query);
  }

  @Handles(adminRoutes.listGroups)
  async groups({ tenantId, query }: Input<typeof adminRoutes.listGroups>) {
    await this.tenants.run(tenantId, async () => undefined);
    return groupPage(this.database, tenantId, query);
  }

  @Handles(adminRoutes.listAccounts)
  accounts({ tenantId, query }: Input<typeof adminRoutes.listAccounts>): Promise<string> {
    return this.page(tenantId, 'account', query);
  }

  @Handles(adminRoutes.listMachineIdentities)
  async machines({
    tenantId,
    query,
  }: Input<typeof adminRoutes.listMachineIdentities>): Promise<responses.OperatorMachineIdentityPage> {
    const text = await this.page(tenantId, 'machine_identity', query);
    const page = JSON.parse(text) as responses.OperatorMachineIdentityPage;
    const ownerOf = ({ owned_by = '' }: (typeof page.data)[number]) => decodeId('identity', owned_by);
    const identityIds = page.data.flatMap((machine) => ownerOf(machine) ?? []);
    const { identities } = await this.tenants.run(tenantId, (tx) =>
      findNames(tx, tenantId, { identityIds, recordIds: [], fields: [] }),
    );
    const data = page.data.map((machine) => ({ ...machine, owner_name: identities.get(ownerOf(machine) ?? '') }));
    return { ...page, data };
  }

  private async page(tenantId: string, resource: SearchedResource, query: requests.ListQuery): Promise<string> {
    await this.tenants.run(tenantId, async () => undefined);
    return documentPage(this.database, tenantId, resource, query);
  }
}
