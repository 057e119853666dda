import { createPrivateKey, createSign, type KeyObject } from 'node:crypto';
import type { GithubConfig } from '@idsync/contracts';
import { SourceError } from '../connector.js';
import { ApiClient } from '../http/api-client.js';
import { type Authentication, bearer } from '../http/authentication.js';
import type { HttpTransport } from '../http/http-transport.js';
import { renewedToken } from '../http/renewed-token.js';
import { valueAt } from '../json/json-value.js';
import { type ApiAccess, neededSecret } from '../listing/listing-connector.js';
import { githubHeaders } from './github-clients.js';

/** How GitHub is told who asks; made anew for each read. Throws SourceError for secrets that can never be used. */
export function githubAuth(config: GithubConfig, access: ApiAccess): (transport: HttpTransport) => Authentication {
  const { auth, url } = config;
  if (auth.type === 'token') {
    const token = bearer(neededSecret(access, 'token'));
    return () => token;
  }
  const key = privateKey(neededSecret(access, 'private_key'));
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
      if (typeof token !== 'string' || token === '') throw new SourceError(`${from} gave no token`);
      const left = (Date.parse(String(valueAt(body, 'expires_at'))) - Date.now()) / 1000;
      // By a clock that is wrong it has no life left; then it is good until it is refused.
      return { token, ...(left > 0 && { expiresInSeconds: left }) };
    });
  };
}

/** A JWT of the app (RS256), good for nine minutes; GitHub allows ten, and clocks may be a minute apart. */
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
    // What was wrong could show a part of it.
  }
  throw new SourceError('the secret "private_key" is no RSA private key in PEM');
}
