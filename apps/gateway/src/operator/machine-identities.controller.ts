import { Database, findMachine } from '@idsync/database';
import { Controller, Get, Inject, Param } from '@nestjs/common';
import { notFound } from '../api-error.js';
import { uuidOf } from '../directory.controller.js';
import { presentMachine } from '../present.js';
import { inTenant } from './tenants.controller.js';

@Controller('admin/v1/tenants/:tenantId/machine-identities/:machineId')
export class MachineIdentitiesController {
  constructor(@Inject(Database) private readonly database: Database) {}

  @Get()
  async get(@Param('tenantId') tenantId: string, @Param('machineId') machineId: string): Promise<object> {
    const id = uuidOf('machineIdentity', machineId);
    const machine = await inTenant(this.database, tenantId, (tx, tenant) => findMachine(tx, tenant, id));
    if (!machine) throw notFound();
    return presentMachine(machine);
  }
}
