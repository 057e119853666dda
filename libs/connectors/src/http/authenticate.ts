import type { HttpAuth } from '@idsync/contracts';
import { SourceError } from '../connector.js';
import { type Authentication, basic, bearer, headerAuthentication } from './authentication.js';
import type { HttpTransport } from './http-transport.js';
import { clientCredentials } from './renewed-token.js';

/** What a connector's configuration and secrets make of its requests. Throws SourceError where the secret is missing. */
export function authenticate(
  transport: HttpTransport,
  auth: HttpAuth,
  secrets: Readonly<Record<string, string>>,
): Authentication | undefined {
  const secret = (name: string) => {
    const value = secrets[name];
    if (value === undefined || value === '') throw new SourceError(`the secret "${name}" is missing`);
    return value;
  };
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
