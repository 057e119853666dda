import type { responses } from '@idsync/contracts';
import type { Command } from 'commander';
import { type CliContext, Session } from '../session.js';

export function addTenantCommands(program: Command, io: CliContext): void {
  const tenants = program.command('tenants').description('list and create tenants');

  tenants
    .command('list')
    .description('list all tenants')
    .action(async (_options: object, command: Command) => {
      const session = Session.of(command, io);
      const list = await session.client.getAll<responses.Tenant>('tenants');
      session.printList(list, ['id', 'name', 'created'], (tenant) => [tenant.id, tenant.name, tenant.created_at]);
    });

  tenants
    .command('create')
    .description('create a tenant')
    .argument('<name>', 'display name of the tenant')
    .action(async (name: string, _options: object, command: Command) => {
      const session = Session.of(command, io);
      session.printOne(await session.client.post<responses.Tenant>('tenants', { name }));
    });
}
