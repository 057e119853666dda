import type { CliCommand } from '../cli-command.js';
import { addQuotaCommands } from './quotas.js';
import { addTenantRemovalCommands } from './tenant-removal.js';

export function addTenantCommands(program: CliCommand): void {
  const tenants = program.add('tenants', 'list, show, create, limit, rename, suspend, export and delete tenants');
  addQuotaCommands(tenants);

  tenants.add('list', 'list all tenants', '').does(async (session) => {
    const list = await session.installation.all('GET /tenants', {});
    session.printList(list, ['id', 'name', 'created_at', 'suspended_at']);
  });

  tenants
    .add('show', 'show a tenant')
    .argument('[tenant]', 'id of the tenant (default: the selected one)')
    .example('')
    .does(async (session, tenant: string | undefined) => {
      session.printOne(await session.installation.call('GET /tenants/{tenantId}', tenant ?? session.tenant));
    });

  tenants
    .add('create', 'create a tenant')
    .argument('<name>', 'display name of the tenant')
    .example('Acme')
    .does(async (session, name: string) => {
      session.printOne(await session.installation.call('POST /tenants', {}, { name }));
    });

  for (const [usage, description, example, bodyOf] of [
    ['rename <tenant> <name>', 'rename a tenant', 'ten_… Acme', (name: string) => ({ name })],
    [
      'suspend <tenant>',
      'suspend a tenant: its keys answer 403, and no source is read',
      'ten_…',
      () => ({ suspended: true }),
    ],
    ['resume <tenant>', 'resume a suspended tenant', 'ten_…', () => ({ suspended: false })],
  ] as const) {
    tenants.add(usage, description, example).does(async (session, tenant: string, name: string) => {
      session.printOne(await session.installation.call('PATCH /tenants/{tenantId}', tenant, bodyOf(name)));
    });
  }

  addTenantRemovalCommands(tenants);
}
