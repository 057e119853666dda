import type { Command } from 'commander';
import { pathOf } from '../admin-client.js';
import type { ConnectorToken } from '../admin-replies.js';
import { findConnector } from '../find-connector.js';
import { Session, type Surroundings } from '../session.js';

const example = `
Example, for a connector of the type scim-push:
  $ idsync connectors tokens create Okta "Okta provisioning"
The identity provider is given the token, and the address of the service with the path that is printed.`;

const connectorHelp = 'its id or its name';

export function addTokenCommands(connectors: Command, io: Surroundings): void {
  const tokens = connectors.command('tokens').description('what identity providers push to a connector with');

  tokens
    .command('list')
    .description('list the tokens of a connector, never their secrets')
    .argument('<connector>', connectorHelp)
    .action(async (connector: string, _options: object, command: Command) => {
      const session = Session.of(command, io);
      const list = await session.client.getAll<ConnectorToken>(await tokensPath(session, connector));
      session.printList(list, ['id', 'name', 'created', 'expires', 'last used', 'revoked'], (token) => [
        token.id,
        token.name,
        token.created_at,
        token.expires_at,
        token.last_used_at,
        token.revoked_at,
      ]);
    });

  tokens
    .command('create')
    .description('create a token and print it, this once')
    .argument('<connector>', connectorHelp)
    .argument('<name>', 'what it is for')
    .option('--expires-at <date-time>', 'for example 2030-12-31T00:00:00Z; without it, never')
    .addHelpText('after', example)
    .action(async (connector: string, name: string, { expiresAt }: { expiresAt?: string }, command: Command) => {
      const session = Session.of(command, io);
      const body = { name, ...(expiresAt !== undefined && { expires_at: expiresAt }) };
      session.printOne(await session.client.post<ConnectorToken>(await tokensPath(session, connector), body));
      session.note('keep the token now: it is not shown again');
    });

  tokens
    .command('revoke')
    .description('revoke a token, at once and for ever')
    .argument('<connector>', connectorHelp)
    .argument('<token>', 'its id, from "idsync connectors tokens list"')
    .action(async (connector: string, token: string, _options: object, command: Command) => {
      const session = Session.of(command, io);
      await session.client.delete(`${await tokensPath(session, connector)}/${pathOf(token)}`);
      session.note(`${token} is revoked`);
    });
}

async function tokensPath(session: Session, connector: string): Promise<string> {
  return pathOf('tenants', session.tenant, 'connectors', await findConnector(session, connector), 'tokens');
}
