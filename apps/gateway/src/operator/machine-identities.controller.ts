import { findMachine } from '@idsync/database/gateway';
import { Controller, Get } from '@nestjs/common';
import { OperatorAccess } from '../audit/operator-access.decorator.js';
import { orNotFound } from '../http/api-error.js';
import { PublicId, TenantParam } from '../http/public-id.pipe.js';
import { presentMachine } from '../present.js';
import { TenantTransactions } from './tenant-transactions.service.js';

@Controller('admin/v1/tenants/:tenantId/machine-identities/:machineId')
@OperatorAccess({ read: 'viewer', write: 'admin' })
export class MachineIdentitiesController {
  constructor(private readonly tenants: TenantTransactions) {}

  @Get()
  async get(@TenantParam() tenantId: string, @PublicId('machineIdentity', 'machineId') id: string): Promise<object> {
    return presentMachine(orNotFound(await this.tenants.run(tenantId, (tx) => findMachine(tx, tenantId, id))));
  }
}
