import type { GoogleConfig } from '@idsync/contracts';
import { z } from 'zod';
import { SourceError } from '../connector.js';
import { ApiClient, type Refusal } from '../http/api-client.js';
import { type ApiAccess, secretOf } from '../http/api-source.js';
import type { Authentication } from '../http/authentication.js';
import type { HttpTransport } from '../http/http-transport.js';
import { oauthToken } from '../http/renewed-token.js';
import { signedJwt, signingKey } from '../http/signed-jwt.js';
import { isObject, valueAt } from '../json/json-value.js';

const secretName = 'service_account_key';
const scopes = {
  users: 'https://www.googleapis.com/auth/admin.directory.user.readonly',
  groups: 'https://www.googleapis.com/auth/admin.directory.group.readonly',
};
const keyFile = z.object({
  type: z.literal('service_account'),
  client_email: z.string().min(1),
  private_key: z.string().min(1),
  private_key_id: z.string().optional(),
  token_uri: z.url().default('https://oauth2.googleapis.com/token'),
});
/** Reasons of a transient 403. */
const throttled = new Set(['rateLimitExceeded', 'userRateLimitExceeded', 'quotaExceeded', 'backendError']);

/** Creates a client of the Directory API that acts as a service account on behalf of an administrator. */
export function googleClient(
  transport: HttpTransport,
  config: GoogleConfig,
  needsGroups: boolean,
  access: ApiAccess,
): ApiClient {
  return new ApiClient(transport, {
    baseUrl: `${config.url.replace(/(?<!\/)\/+$/, '')}/admin/directory/v1`,
    auth: delegated(transport, config.subject, needsGroups, access),
    // The response contains no time to wait.
    throttled: (refusal) => (isThrottled(refusal) ? 0 : undefined),
  });
}

/** Authenticates by the JWT bearer grant (RFC 7523) with the administrator as subject (domain-wide delegation). */
function delegated(transport: HttpTransport, subject: string, needsGroups: boolean, access: ApiAccess): Authentication {
  const { client_email, private_key, private_key_id, token_uri } = keyOf(access);
  const key = signingKey(private_key, secretName);
  const scope = needsGroups ? `${scopes.users} ${scopes.groups}` : scopes.users;
  const form = () => ({
    grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
    assertion: signedJwt(key, { iss: client_email, sub: subject, aud: token_uri, scope }, private_key_id),
  });
  return oauthToken(transport, { tokenUrl: token_uri, form });
}

/** Parses the key file. The error message contains no part of the secret. */
function keyOf(access: ApiAccess): z.infer<typeof keyFile> {
  const text = secretOf(access, secretName);
  try {
    return keyFile.parse(JSON.parse(text));
  } catch {
    throw new SourceError(`the secret "${secretName}" is not the JSON key file of a service account`, 'misconfigured');
  }
}

function isThrottled({ status, body }: Refusal): boolean {
  if (status !== 403) return false;
  try {
    const errors = valueAt(valueAt(JSON.parse(body.toString('utf8')), 'error'), 'errors');
    return Array.isArray(errors) && errors.some((one) => isObject(one) && throttled.has(String(one.reason)));
  } catch {
    return false;
  }
}
