import type { HttpAuth } from '@idsync/contracts';
import { type ApiAccess, secretOf } from './api-source.js';
import { type Authentication, basic, bearer, headerAuthentication } from './authentication.js';
import type { HttpTransport } from './http-transport.js';
import { clientCredentials } from './renewed-token.js';

/** Creates the authentication from configuration and secrets. Throws SourceError if the secret is missing. */
export function authenticate(
  transport: HttpTransport,
  auth: HttpAuth,
  secrets: ApiAccess['secrets'],
): Authentication | undefined {
  const secret = (name: string) => secretOf({ secrets }, name);
  switch (auth.type) {
    case 'none':
      return undefined;
    case 'bearer':
      return bearer(secret('token'));
    case 'basic':
      return basic(auth.user, secret('password'));
    case 'header':
      return headerAuthentication(auth.name.toLowerCase(), secret('token'));
    case 'oauth2':
      return clientCredentials(transport, {
        tokenUrl: auth.token_url,
        clientId: auth.client_id,
        clientSecret: secret('client_secret'),
        scope: auth.scope,
        send: auth.send_credentials,
      });
  }
}
