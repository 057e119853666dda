import { adminRoutes, clientRoutes, decodeId, type responses } from '@idsync/contracts';
import { Database } from '@idsync/database';
import { findAccount, findDocument, findIdentityNames, findMachine } from '@idsync/database/gateway';
import { Controller } from '@nestjs/common';
import { orNotFound } from '../http/api-error.js';
import { type Conditional, IfNoneMatch, unlessUnchanged } from '../http/conditional.decorator.js';
import { Handles, type Input } from '../http/handles.decorator.js';
import { TenantTransactions } from '../tenants/tenant-transactions.service.js';
import { conditionalPage, documentPage } from './document-page.js';
import { versionOfDocument } from './document-version.js';
import { presentAccount, presentMachine } from './present-record.js';
import { TenantPositions } from './tenant-positions.service.js';

/** The records of sources: users, accounts and machine identities. */
@Controller()
export class RecordsController {
  constructor(
    private readonly database: Database,
    private readonly tenants: TenantTransactions,
    private readonly positions: TenantPositions,
  ) {}

  @Handles(clientRoutes.listUsers, adminRoutes.listUsers)
  async listUsers(
    { tenantId, query }: Input<typeof adminRoutes.listUsers>,
    @IfNoneMatch() condition: Conditional,
  ): Promise<string | undefined> {
    await this.tenants.require(tenantId);
    return conditionalPage(this.database, this.positions, tenantId, 'user', query, condition);
  }

  @Handles(clientRoutes.getUser)
  async getUser(
    { tenantId, userId: id }: Input<typeof clientRoutes.getUser>,
    @IfNoneMatch() condition: Conditional,
  ): Promise<string | undefined> {
    const document = orNotFound(await findDocument(this.database, tenantId, 'user', id));
    return unlessUnchanged(condition, versionOfDocument(document), document);
  }

  @Handles(clientRoutes.listAccounts, adminRoutes.listAccounts)
  async listAccounts({ tenantId, query }: Input<typeof adminRoutes.listAccounts>): Promise<string> {
    await this.tenants.require(tenantId);
    return documentPage(this.database, tenantId, 'account', query);
  }

  @Handles(clientRoutes.getAccount)
  async getAccount({ tenantId, accountId: id }: Input<typeof clientRoutes.getAccount>): Promise<string> {
    return orNotFound(await findDocument(this.database, tenantId, 'account', id));
  }

  @Handles(adminRoutes.getAccount)
  getAccountDetails({ tenantId, accountId: id }: Input<typeof adminRoutes.getAccount>) {
    return this.tenants.run(tenantId, async (tx) => {
      const account = orNotFound(await findAccount(tx, id));
      const names = await findIdentityNames(tx, [account.identityId]);
      return presentAccount(account, names.get(account.identityId ?? ''));
    });
  }

  @Handles(clientRoutes.listMachineIdentities)
  listMachines({ tenantId, query }: Input<typeof clientRoutes.listMachineIdentities>): Promise<string> {
    return documentPage(this.database, tenantId, 'machine_identity', query);
  }

  /** Adds the names of owners. */
  @Handles(adminRoutes.listMachineIdentities)
  async listMachineDetails({
    tenantId,
    query,
  }: Input<typeof adminRoutes.listMachineIdentities>): Promise<responses.OperatorMachineIdentityPage> {
    await this.tenants.require(tenantId);
    const text = await documentPage(this.database, tenantId, 'machine_identity', query);
    const page = JSON.parse(text) as responses.OperatorMachineIdentityPage;
    const ownerOf = ({ owned_by = '' }: (typeof page.data)[number]) => decodeId('identity', owned_by);
    const names = await this.tenants.run(tenantId, (tx) => findIdentityNames(tx, page.data.map(ownerOf)));
    const data = page.data.map((machine) => ({ ...machine, owner_name: names.get(ownerOf(machine) ?? '') }));
    return { ...page, data };
  }

  @Handles(clientRoutes.getMachineIdentity)
  async getMachine({
    tenantId,
    machineIdentityId: id,
  }: Input<typeof clientRoutes.getMachineIdentity>): Promise<string> {
    return orNotFound(await findDocument(this.database, tenantId, 'machine_identity', id));
  }

  @Handles(adminRoutes.getMachineIdentity)
  getMachineDetails({ tenantId, machineIdentityId: id }: Input<typeof adminRoutes.getMachineIdentity>) {
    return this.tenants.run(tenantId, async (tx) => {
      const machine = orNotFound(await findMachine(tx, id));
      const people = machine.references.map(({ identityId }) => identityId);
      return presentMachine(machine, await findIdentityNames(tx, people));
    });
  }
}
