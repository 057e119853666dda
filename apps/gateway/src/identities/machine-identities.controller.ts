import { adminRoutes, clientRoutes, decodeId, type responses } from '@idsync/contracts';
import { Database } from '@idsync/database';
import { findDocument, findIdentityNames, findMachine } from '@idsync/database/gateway';
import { Controller } from '@nestjs/common';
import { orNotFound } from '../http/api-error.js';
import { Handles, type Input } from '../http/handles.decorator.js';
import { TenantTransactions } from '../tenants/tenant-transactions.service.js';
import { documentPage } from './document-page.js';
import { presentMachine } from './present-record.js';

@Controller()
export class MachineIdentitiesController {
  constructor(
    private readonly database: Database,
    private readonly tenants: TenantTransactions,
  ) {}

  @Handles(clientRoutes.listMachineIdentities)
  list({ tenantId, query }: Input<typeof clientRoutes.listMachineIdentities>): Promise<string> {
    return documentPage(this.database, tenantId, 'machine_identity', query);
  }

  /** Adds the names of owners. */
  @Handles(adminRoutes.listMachineIdentities)
  async listDetails({
    tenantId,
    query,
  }: Input<typeof adminRoutes.listMachineIdentities>): Promise<responses.OperatorMachineIdentityPage> {
    await this.tenants.require(tenantId);
    const text = await documentPage(this.database, tenantId, 'machine_identity', query);
    const page = JSON.parse(text) as responses.OperatorMachineIdentityPage;
    const ownerOf = ({ owned_by = '' }: (typeof page.data)[number]) => decodeId('identity', owned_by);
    const names = await this.tenants.run(tenantId, (tx) => findIdentityNames(tx, tenantId, page.data.map(ownerOf)));
    const data = page.data.map((machine) => ({ ...machine, owner_name: names.get(ownerOf(machine) ?? '') }));
    return { ...page, data };
  }

  @Handles(clientRoutes.getMachineIdentity)
  async get({ tenantId, machineIdentityId: id }: Input<typeof clientRoutes.getMachineIdentity>): Promise<string> {
    return orNotFound(await findDocument(this.database, tenantId, 'machine_identity', id));
  }

  @Handles(adminRoutes.getMachineIdentity)
  getDetails({ tenantId, machineIdentityId: id }: Input<typeof adminRoutes.getMachineIdentity>) {
    return this.tenants.run(tenantId, async (tx) => {
      const machine = orNotFound(await findMachine(tx, tenantId, id));
      const people = machine.references.map(({ identityId }) => identityId);
      return presentMachine(machine, await findIdentityNames(tx, tenantId, people));
    });
  }
}
