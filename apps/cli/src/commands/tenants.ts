import type { responses } from '@idsync/contracts';
import type { Command } from 'commander';
import { pathOf } from '../admin-client.js';
import { type CliContext, Session } from '../session.js';
import { addQuotaCommands } from './quotas.js';
import { addTenantRemovalCommands } from './tenant-removal.js';

export function addTenantCommands(program: Command, io: CliContext): void {
  const tenants = program
    .command('tenants')
    .description('list, show, create, limit, rename, suspend, export and delete tenants');
  addQuotaCommands(tenants, io);

  tenants
    .command('list')
    .description('list all tenants')
    .addHelpText('after', '\nExample:\n  $ idsync tenants list')
    .action(async (_options: object, command: Command) => {
      const session = await Session.of(command, io);
      const list = await session.client.getAll<responses.Tenant>('tenants');
      session.printList(list, ['id', 'name', 'created', 'suspended'], (tenant) => [
        tenant.id,
        tenant.name,
        tenant.created_at,
        tenant.suspended_at,
      ]);
    });

  tenants
    .command('show')
    .description('show a tenant')
    .argument('[tenant]', 'id of the tenant (default: the selected one)')
    .addHelpText('after', '\nExample:\n  $ idsync tenants show')
    .action(async (tenant: string | undefined, _options: object, command: Command) => {
      const session = await Session.of(command, io);
      session.printOne(await session.client.get<responses.Tenant>(pathOf('tenants', tenant ?? session.tenant)));
    });

  tenants
    .command('create')
    .description('create a tenant')
    .argument('<name>', 'display name of the tenant')
    .addHelpText('after', '\nExample:\n  $ idsync tenants create Acme')
    .action(async (name: string, _options: object, command: Command) => {
      const session = await Session.of(command, io);
      session.printOne(await session.client.post<responses.Tenant>('tenants', { name }));
    });

  const change = (name: string, description: string) =>
    tenants
      .command(name)
      .description(description)
      .argument('<tenant>', 'id of the tenant')
      .addHelpText('after', `\nExample:\n  $ idsync tenants ${name} ten_…${name === 'rename' ? ' Acme' : ''}`);
  const patch = async (tenant: string, body: object, command: Command) => {
    const session = await Session.of(command, io);
    session.printOne(await session.client.patch<responses.Tenant>(pathOf('tenants', tenant), body));
  };
  change('rename', 'rename a tenant')
    .argument('<name>', 'the new display name')
    .action((tenant: string, name: string, _options: object, command: Command) => patch(tenant, { name }, command));
  change('suspend', 'suspend a tenant: its keys answer 403, and no source is read').action(
    (tenant: string, _options: object, command: Command) => patch(tenant, { suspended: true }, command),
  );
  change('resume', 'resume a suspended tenant').action((tenant: string, _options: object, command: Command) =>
    patch(tenant, { suspended: false }, command),
  );

  addTenantRemovalCommands(tenants, io);
}
