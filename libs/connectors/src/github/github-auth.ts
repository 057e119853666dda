import { createPrivateKey, createSign, type KeyObject } from 'node:crypto';
import type { GithubConfig } from '@idsync/contracts';
import { SourceError } from '../connector.js';
import { ApiClient } from '../http/api-client.js';
import { type ApiAccess, secretOf } from '../http/api-source.js';
import { type Authentication, bearer } from '../http/authentication.js';
import type { HttpTransport } from '../http/http-transport.js';
import { renewedToken } from '../http/renewed-token.js';
import { valueAt } from '../json/json-value.js';
import { githubHeaders } from './github-clients.js';

/** Creates the authentication for each read. Throws SourceError for invalid secrets. */
export function githubAuth(config: GithubConfig, access: ApiAccess): (transport: HttpTransport) => Authentication {
  const { auth, url } = config;
  if (auth.type === 'token') {
    const token = bearer(secretOf(access, 'token'));
    return () => token;
  }
  const key = privateKey(secretOf(access, 'private_key'));
  return (transport) => {
    let assertion = '';
    const app: Authentication = {
      headers: async () => {
        assertion = appToken(auth.app_id, key, new Date());
        return { authorization: `Bearer ${assertion}` };
      },
      secrets: () => (assertion === '' ? [] : [assertion]),
    };
    const issuer = new ApiClient(transport, { baseUrl: url, auth: app, headers: githubHeaders });
    return renewedToken(issuer, async (ask) => {
      const { body, from } = await ask.post(`/app/installations/${auth.installation_id}/access_tokens`, { json: {} });
      const token = valueAt(body, 'token');
      if (typeof token !== 'string' || token === '') throw new SourceError(`${from} returned no token`);
      const left = (Date.parse(String(valueAt(body, 'expires_at'))) - Date.now()) / 1000;
      // With a wrong local clock the lifetime is negative. The token is then used until it is rejected.
      return { token, ...(left > 0 && { expiresInSeconds: left }) };
    });
  };
}

/** Creates a JWT of the app (RS256) valid for nine minutes. GitHub allows ten, and clocks may differ by a minute. */
function appToken(appId: string, key: KeyObject, now: Date): string {
  const seconds = Math.floor(now.getTime() / 1000);
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const claims = { iat: seconds - 60, exp: seconds + 9 * 60, iss: appId };
  const signed = `${part({ alg: 'RS256', typ: 'JWT' })}.${part(claims)}`;
  return `${signed}.${createSign('RSA-SHA256').update(signed).sign(key, 'base64url')}`;
}

function privateKey(pem: string): KeyObject {
  try {
    const key = createPrivateKey(pem);
    if (key.asymmetricKeyType === 'rsa') return key;
  } catch {
    // The cause could contain a part of the key.
  }
  throw new SourceError('the secret "private_key" is not an RSA private key in PEM format', 'misconfigured');
}
