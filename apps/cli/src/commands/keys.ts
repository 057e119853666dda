import type { Input, OneTenant } from '@idsync/client/operator';
import type { CliCommand } from '../cli-command.js';
import { UsageError } from '../cli-error.js';
import { commaSeparated } from '../input.js';

type Scopes = NonNullable<NonNullable<Input<OneTenant, 'POST /api-keys'>>['scopes']>;

interface UpdateOptions {
  name?: string;
  scopes?: Scopes;
  addScopes?: Scopes;
  expiresAt?: string;
  networks?: string[] | 'any';
}

const keyHelp = 'id of the key, from "idsync keys list"';

export function addKeyCommands(program: CliCommand): void {
  const keys = program.add('keys', "list, create, change and revoke a tenant's API keys");

  keys.add('list', 'list API keys, without their secrets', '--tenant ten_…').does(async (session) => {
    session.printList(await session.client.all('GET /api-keys', {}), [
      'id',
      'name',
      'scopes',
      'created_at',
      ['networks', ({ allowed_networks }) => allowed_networks ?? 'any'],
      'expires_at',
      'last_used_at',
      'revoked_at',
    ]);
  });

  keys
    .add('create', 'create an API key and print it once')
    .argument('<name>', 'what the key is for')
    .option('--scopes <scopes>', 'comma-separated scopes (default: all)')
    .option('--expires-at <date-time>', 'such as 2030-12-31T00:00:00Z (default: never)')
    .option('--networks <networks>', 'comma-separated addresses and CIDR ranges of its users (default: any)')
    .addHelpText('after', '\nExample:\n  $ KEY=$(idsync keys create reporting --json | jq -r .key)')
    .does(async (session, name: string, options: { scopes?: string; expiresAt?: string; networks?: string }) => {
      const { scopes, networks, expiresAt } = options;
      const body = {
        name,
        scopes: scopes === undefined ? undefined : (listOf(scopes) as Scopes),
        allowed_networks: networks === undefined ? undefined : listOf(networks),
        expires_at: expiresAt,
      };
      session.printOne(await session.client.call('POST /api-keys', {}, body));
      session.note('store the key now: it is not shown again');
    });

  keys
    .add('update', 'change the name, scopes, expiry or networks of an API key; its secret stays')
    .argument('<key>', keyHelp)
    .option('--name <name>', 'new name')
    .option('--scopes <scopes>', 'comma-separated scopes, which replace those of the key', commaSeparated)
    .option('--add-scopes <scopes>', 'comma-separated scopes to add', commaSeparated)
    .option('--expires-at <date-time>', 'such as 2030-12-31T00:00:00Z, or never')
    .option(
      '--networks <networks>',
      'comma-separated addresses and CIDR ranges, which replace those of the key, or any',
      (text) => (text === 'any' ? text : commaSeparated(text)),
    )
    .example('key_… --add-scopes groups:read')
    .does(async (session, id: string, { name, scopes, addScopes, expiresAt, networks }: UpdateOptions) => {
      if (scopes && addScopes) throw new UsageError('give either --scopes or --add-scopes');
      const before = addScopes && (await session.client.call('GET /api-keys/{keyId}', id)).scopes;
      const body = {
        name,
        scopes: before ? ([...before, ...addScopes] as Scopes) : scopes,
        expires_at: expiresAt === 'never' ? null : expiresAt,
        allowed_networks: networks === 'any' ? null : networks,
      };
      if (Object.values(body).every((value) => value === undefined)) {
        throw new UsageError('nothing to change: give --name, --scopes, --add-scopes, --expires-at or --networks');
      }
      session.printOne(await session.client.call('PATCH /api-keys/{keyId}', id, body));
    });

  keys
    .add('revoke', 'revoke an API key immediately and permanently', 'key_…')
    .argument('<key>', keyHelp)
    .does(async (session, key: string) => {
      await session.client.call('DELETE /api-keys/{keyId}', key);
      session.note(`revoked ${key}`);
    });
}

const listOf = (text: string) => text.split(',').map((each) => each.trim());
