import type { CliCommand } from '../cli-command.js';
import { findConnector } from '../find-connector.js';

const example = `
Example, for a connector of the type scim-push:
  $ idsync connectors tokens create Okta "Okta provisioning"
Configure the identity provider with the token, and with the address of the service followed by the printed path.`;

export function addTokenCommands(connectors: CliCommand): void {
  const tokens = connectors.add('tokens', 'manage the tokens with which identity providers push to a connector');

  tokens
    .add('list <connector>', 'list the tokens of a connector, without their secrets', 'Okta')
    .does(async (session, connector: string) => {
      const list = await session.client.all(
        'GET /connectors/{connectorId}/tokens',
        await findConnector(session, connector),
      );
      session.printList(list, ['id', 'name', 'created_at', 'expires_at', 'last_used_at', 'revoked_at']);
    });

  tokens
    .add('create <connector>', 'create a token and print it once')
    .argument('<name>', 'what the token is for')
    .option('--expires-at <date-time>', 'such as 2030-12-31T00:00:00Z (default: never)')
    .addHelpText('after', example)
    .does(async (session, connector: string, name: string, { expiresAt }: { expiresAt?: string }) => {
      const id = await findConnector(session, connector);
      const body = { name, expires_at: expiresAt };
      session.printOne(await session.client.call('POST /connectors/{connectorId}/tokens', id, body));
      session.note('store the token now: it is not shown again');
    });

  tokens
    .add('revoke <connector>', 'revoke a token immediately and permanently')
    .argument('<token>', 'id of the token, from "idsync connectors tokens list"')
    .example('Okta tok_…')
    .does(async (session, connector: string, token: string) => {
      const ids = { connectorId: await findConnector(session, connector), tokenId: token };
      await session.client.call('DELETE /connectors/{connectorId}/tokens/{tokenId}', ids);
      session.note(`revoked ${token}`);
    });
}
