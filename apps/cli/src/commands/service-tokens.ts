import type { OperatorRole, responses } from '@idsync/contracts';
import { type Command, Option } from 'commander';
import { pathOf } from '../admin-client.js';
import { operatorRoles } from '../fixed-values.js';
import { type CliContext, Session } from '../session.js';

const createHelp = `
Roles: viewer reads; operator also decides about jobs, cases, findings, merges and deliveries; auditor reads everything,
also the audit log; admin may do everything. Use the token as ADMIN_TOKEN of this program.

Example:
  $ idsync service-tokens create ci --role operator --tenants ten_… --expires-at 2027-12-31T00:00:00Z`;

interface CreateOptions {
  role: OperatorRole;
  tenants?: string;
  expiresAt?: string;
}

export function addServiceTokenCommands(program: Command, io: CliContext): void {
  const tokens = program.command('service-tokens').description('list, create and revoke tokens of operators');

  tokens
    .command('list')
    .description('list service tokens, without their secrets')
    .addHelpText('after', '\nExample:\n  $ idsync service-tokens list')
    .action(async (_options: object, command: Command) => {
      const session = await Session.of(command, io);
      const list = await session.client.getAll<responses.ServiceToken>('service-tokens');
      session.printList(
        list,
        ['id', 'name', 'role', 'tenants', 'created', 'expires', 'last used', 'revoked'],
        (each) => [
          each.id,
          each.name,
          each.role,
          each.tenants ?? 'all',
          each.created_at,
          each.expires_at,
          each.last_used_at,
          each.revoked_at,
        ],
      );
    });

  tokens
    .command('create')
    .description('create a service token and print it once')
    .argument('<name>', 'name of the actor in the audit log')
    .addOption(new Option('--role <role>', 'what the token may do').choices(operatorRoles).makeOptionMandatory())
    .option('--tenants <ids>', 'comma-separated ids of tenants (default: all)')
    .option('--expires-at <date-time>', 'such as 2030-12-31T00:00:00Z (default: never)')
    .addHelpText('after', createHelp)
    .action(async (name: string, { role, tenants, expiresAt }: CreateOptions, command: Command) => {
      const session = await Session.of(command, io);
      const body = {
        name,
        role,
        ...(tenants !== undefined && { tenants: tenants.split(',').map((id) => id.trim()) }),
        ...(expiresAt !== undefined && { expires_at: expiresAt }),
      };
      session.printOne(await session.client.post<responses.CreatedServiceToken>('service-tokens', body));
      session.note('store the token now: it is not shown again');
    });

  tokens
    .command('revoke')
    .description('revoke a service token immediately and permanently')
    .argument('<token>', 'id of the token, from "idsync service-tokens list"')
    .addHelpText('after', '\nExample:\n  $ idsync service-tokens revoke svt_…')
    .action(async (id: string, _options: object, command: Command) => {
      const session = await Session.of(command, io);
      await session.client.delete(pathOf('service-tokens', id));
      session.note(`revoked ${id}`);
    });
}
