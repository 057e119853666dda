import type { Command } from 'commander';
import type { Tenant } from '../admin-replies.js';
import { Session, type Surroundings } from '../session.js';

export function addTenantCommands(program: Command, io: Surroundings): void {
  const tenants = program.command('tenants').description('list and create tenants');

  tenants
    .command('list')
    .description('list all tenants')
    .action(async (_options: object, command: Command) => {
      const session = Session.of(command, io);
      const list = await session.client.getAll<Tenant>('tenants');
      session.printList(list, ['id', 'name', 'created'], (tenant) => [tenant.id, tenant.name, tenant.created_at]);
    });

  tenants
    .command('create')
    .description('create a tenant')
    .argument('<name>', 'what people call it')
    .action(async (name: string, _options: object, command: Command) => {
      const session = Session.of(command, io);
      session.printOne(await session.client.post<Tenant>('tenants', { name }));
    });
}
