import type { responses } from '@idsync/contracts';
import type { Command } from 'commander';
import { pathOf } from '../admin-client.js';
import { UsageError } from '../cli-error.js';
import { type CliContext, Session } from '../session.js';
import { commaSeparated } from '../whole-number.js';

interface UpdateOptions {
  name?: string;
  scopes?: string[];
  addScopes?: string[];
  expiresAt?: string;
  networks?: string;
}

export function addKeyCommands(program: Command, io: CliContext): void {
  const keys = program.command('keys').description("list, create, change and revoke a tenant's API keys");

  keys
    .command('list')
    .description('list API keys, without their secrets')
    .addHelpText('after', '\nExample:\n  $ idsync keys list --tenant ten_…')
    .action(async (_options: object, command: Command) => {
      const session = await Session.of(command, io);
      const list = await session.client.getAll<responses.ApiKey>(pathOf('tenants', session.tenant, 'api-keys'));
      session.printList(
        list,
        ['id', 'name', 'scopes', 'created', 'networks', 'expires', 'last used', 'revoked'],
        (key) => [
          key.id,
          key.name,
          key.scopes,
          key.created_at,
          key.allowed_networks ?? 'any',
          key.expires_at,
          key.last_used_at,
          key.revoked_at,
        ],
      );
    });

  keys
    .command('create')
    .description('create an API key and print it once')
    .argument('<name>', 'what the key is for')
    .option('--scopes <scopes>', 'comma-separated scopes (default: all)')
    .option('--expires-at <date-time>', 'such as 2030-12-31T00:00:00Z (default: never)')
    .option('--networks <networks>', 'comma-separated addresses and CIDR ranges of its users (default: any)')
    .addHelpText('after', '\nExample:\n  $ KEY=$(idsync keys create reporting --json | jq -r .key)')
    .action(
      async (name: string, options: { scopes?: string; expiresAt?: string; networks?: string }, command: Command) => {
        const session = await Session.of(command, io);
        const body = {
          name,
          ...(options.scopes === undefined ? {} : { scopes: listOf(options.scopes) }),
          ...(options.networks === undefined ? {} : { allowed_networks: listOf(options.networks) }),
          ...(options.expiresAt === undefined ? {} : { expires_at: options.expiresAt }),
        };
        session.printOne(
          await session.client.post<responses.CreatedApiKey>(pathOf('tenants', session.tenant, 'api-keys'), body),
        );
        session.note('store the key now: it is not shown again');
      },
    );

  keys
    .command('update')
    .description('change the name, scopes, expiry or networks of an API key; its secret stays')
    .argument('<key>', 'id of the key, from "idsync keys list"')
    .option('--name <name>', 'new name')
    .option('--scopes <scopes>', 'comma-separated scopes, which replace those of the key', commaSeparated)
    .option('--add-scopes <scopes>', 'comma-separated scopes to add', commaSeparated)
    .option('--expires-at <date-time>', 'such as 2030-12-31T00:00:00Z, or never')
    .option(
      '--networks <networks>',
      'comma-separated addresses and CIDR ranges, which replace those of the key, or any',
    )
    .addHelpText('after', '\nExample:\n  $ idsync keys update key_… --add-scopes groups:read')
    .action(async (id: string, { name, scopes, addScopes, expiresAt, networks }: UpdateOptions, command: Command) => {
      const session = await Session.of(command, io);
      if (scopes && addScopes) throw new UsageError('give either --scopes or --add-scopes');
      const body = {
        name,
        scopes: addScopes ? [...(await scopesOf(session, id)), ...addScopes] : scopes,
        expires_at: expiresAt === 'never' ? null : expiresAt,
        allowed_networks: networks === 'any' ? null : networks && commaSeparated(networks),
      };
      if (Object.values(body).every((value) => value === undefined)) {
        throw new UsageError('nothing to change: give --name, --scopes, --add-scopes, --expires-at or --networks');
      }
      session.printOne(
        await session.client.patch<responses.ApiKey>(pathOf('tenants', session.tenant, 'api-keys', id), body),
      );
    });

  keys
    .command('revoke')
    .description('revoke an API key immediately and permanently')
    .argument('<key>', 'id of the key, from "idsync keys list"')
    .addHelpText('after', '\nExample:\n  $ idsync keys revoke key_…')
    .action(async (key: string, _options: object, command: Command) => {
      const session = await Session.of(command, io);
      await session.client.delete(pathOf('tenants', session.tenant, 'api-keys', key));
      session.note(`revoked ${key}`);
    });
}

const listOf = (text: string) => text.split(',').map((each) => each.trim());

async function scopesOf(session: Session, id: string): Promise<string[]> {
  const { data } = await session.client.getAll<responses.ApiKey>(pathOf('tenants', session.tenant, 'api-keys'));
  const found = data.find((key) => key.id === id);
  if (!found) throw new UsageError(`no API key ${id}; "idsync keys list" shows the ids`);
  return found.scopes;
}
