import type { OperatorRole } from '@idsync/contracts';
import { operatorRoles } from '@idsync/contracts/fixed-values';
import { Option } from 'commander';
import type { CliCommand } from '../cli-command.js';

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

export function addServiceTokenCommands(program: CliCommand): void {
  const tokens = program.add('service-tokens', 'list, create and revoke tokens of operators');

  tokens.add('list', 'list service tokens, without their secrets', '').does(async (session) => {
    session.printList(await session.installation.all('GET /service-tokens', {}), [
      'id',
      'name',
      'role',
      ['tenants', ({ tenants }) => tenants ?? 'all'],
      'created_at',
      'expires_at',
      'last_used_at',
      'revoked_at',
    ]);
  });

  tokens
    .add('create', 'create a service token and print it once')
    .argument('<name>', 'name of the actor in the audit log')
    .addOption(new Option('--role <role>', 'what the token may do').choices(operatorRoles).makeOptionMandatory())
    .option('--tenants <ids>', 'comma-separated ids of tenants (default: all)')
    .option('--expires-at <date-time>', 'such as 2030-12-31T00:00:00Z (default: never)')
    .addHelpText('after', createHelp)
    .does(async (session, name: string, { role, tenants, expiresAt }: CreateOptions) => {
      const body = { name, role, tenants: tenants?.split(',').map((id) => id.trim()), expires_at: expiresAt };
      session.printOne(await session.installation.call('POST /service-tokens', {}, body));
      session.note('store the token now: it is not shown again');
    });

  tokens
    .add('revoke', 'revoke a service token immediately and permanently', 'svt_…')
    .argument('<token>', 'id of the token, from "idsync service-tokens list"')
    .does(async (session, id: string) => {
      await session.installation.call('DELETE /service-tokens/{serviceTokenId}', id);
      session.note(`revoked ${id}`);
    });
}

const endHelp = `
The operator can sign in again. To prevent it, revoke the service token, or remove the role at the identity provider.

Example:
  $ idsync sessions end ses_…`;

export function addSessionCommands(program: CliCommand): void {
  const sessions = program.add('sessions', 'list and end sessions of operators');

  sessions.add('list', 'list sessions of operators, the last used first', '').does(async (session) => {
    session.printList(await session.installation.all('GET /sessions', {}), [
      'id',
      ['name', ({ actor }) => actor.name],
      ['role', ({ actor }) => actor.role],
      ['signed in with', ({ actor }) => actor.kind],
      ['since', 'created_at'],
      'last_used_at',
      ['ends without use', 'idle_expires_at'],
      ['ends', 'expires_at'],
    ]);
  });

  sessions
    .add('end', 'end a session immediately')
    .argument('<session>', 'id of the session, from "idsync sessions list"')
    .addHelpText('after', endHelp)
    .does(async (session, id: string) => {
      await session.installation.call('DELETE /sessions/{sessionId}', id);
      session.note(`ended ${id}`);
    });
}
