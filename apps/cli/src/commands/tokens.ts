import type { responses } from '@idsync/contracts';
import type { Command } from 'commander';
import { pathOf } from '../admin-client.js';
import { findConnector } from '../find-connector.js';
import { type CliContext, Session } from '../session.js';

const example = `
Example, for a connector of the type scim-push:
  $ idsync connectors tokens create Okta "Okta provisioning"
Configure the identity provider with the token, and with the address of the service followed by the printed path.`;

const connectorHelp = 'id or name of the connector';

export function addTokenCommands(connectors: Command, io: CliContext): void {
  const tokens = connectors
    .command('tokens')
    .description('manage the tokens with which identity providers push to a connector');

  tokens
    .command('list')
    .description('list the tokens of a connector, without their secrets')
    .argument('<connector>', connectorHelp)
    .addHelpText('after', '\nExample:\n  $ idsync connectors tokens list Okta')
    .action(async (connector: string, _options: object, command: Command) => {
      const session = await Session.of(command, io);
      const list = await session.client.getAll<responses.ConnectorToken>(await tokensPath(session, connector));
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
    .description('create a token and print it once')
    .argument('<connector>', connectorHelp)
    .argument('<name>', 'what the token is for')
    .option('--expires-at <date-time>', 'such as 2030-12-31T00:00:00Z (default: never)')
    .addHelpText('after', example)
    .action(async (connector: string, name: string, { expiresAt }: { expiresAt?: string }, command: Command) => {
      const session = await Session.of(command, io);
      const body = { name, ...(expiresAt !== undefined && { expires_at: expiresAt }) };
      session.printOne(
        await session.client.post<responses.CreatedConnectorToken>(await tokensPath(session, connector), body),
      );
      session.note('store the token now: it is not shown again');
    });

  tokens
    .command('revoke')
    .description('revoke a token immediately and permanently')
    .argument('<connector>', connectorHelp)
    .argument('<token>', 'id of the token, from "idsync connectors tokens list"')
    .addHelpText('after', '\nExample:\n  $ idsync connectors tokens revoke Okta tok_…')
    .action(async (connector: string, token: string, _options: object, command: Command) => {
      const session = await Session.of(command, io);
      await session.client.delete(`${await tokensPath(session, connector)}/${pathOf(token)}`);
      session.note(`revoked ${token}`);
    });
}

async function tokensPath(session: Session, connector: string): Promise<string> {
  return pathOf('tenants', session.tenant, 'connectors', await findConnector(session, connector), 'tokens');
}
