import { adminRoutes } from '@idsync/contracts';
import { findMachine, findNames } from '@idsync/database/gateway';
import { Controller } from '@nestjs/common';
import { orNotFound } from '../http/api-error.js';
import { Handles, type Input } from '../http/handles.decorator.js';
import { presentMachine } from '../present.js';
import { TenantTransactions } from '../tenants/tenant-transactions.service.js';

@Controller()
export class MachineIdentitiesController {
  constructor(private readonly tenants: TenantTransactions) {}

  @Handles(adminRoutes.getMachineIdentity)
  get({ tenantId, machineId: id }: Input<typeof adminRoutes.getMachineIdentity>) {
    return this.tenants.run(tenantId, async (tx) => {
      const machine = orNotFound(await findMachine(tx, tenantId, id));
      const identityIds = machine.references.flatMap(({ identityId }) => identityId ?? []);
      const { identities } = await findNames(tx, tenantId, { identityIds, recordIds: [], fields: [] });
      return presentMachine(machine, identities);
    });
  }
}
