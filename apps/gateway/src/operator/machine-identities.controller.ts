import { findMachine, findNames } from '@idsync/database/gateway';
import { Controller, Get } from '@nestjs/common';
import { ReadsPeople } from '../audit/audit.interceptor.js';
import { OperatorAccess } from '../audit/operator-access.decorator.js';
import { orNotFound } from '../http/api-error.js';
import { PublicId, TenantParam } from '../http/public-id.pipe.js';
import { presentMachine } from '../present.js';
import { TenantTransactions } from './tenant-transactions.service.js';

@Controller('admin/v1/tenants/:tenantId/machine-identities/:machineId')
@OperatorAccess()
export class MachineIdentitiesController {
  constructor(private readonly tenants: TenantTransactions) {}

  @Get()
  @ReadsPeople(true)
  get(@TenantParam() tenantId: string, @PublicId('machineIdentity', 'machineId') id: string): Promise<object> {
    return this.tenants.run(tenantId, async (tx) => {
      const machine = orNotFound(await findMachine(tx, tenantId, id));
      const identityIds = machine.references.flatMap(({ identityId }) => identityId ?? []);
      const { identities } = await findNames(tx, tenantId, { identityIds, recordIds: [], fields: [] });
      return presentMachine(machine, identities);
    });
  }
}
