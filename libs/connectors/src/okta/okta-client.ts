import type { OktaConfig, RecordKind } from '@idsync/contracts';
import { SourceError } from '../connector.js';
import { type ApiAnswer, ApiClient } from '../http/api-client.js';
import { type ApiAccess, secretOf } from '../http/api-source.js';
import { type Authentication, headerAuthentication } from '../http/authentication.js';
import type { HttpTransport } from '../http/http-transport.js';
import { listIn, nextLink } from '../http/paging.js';
import type { ListAnswer } from '../http/read-list.js';
import { oauthToken } from '../http/renewed-token.js';
import { signedJwt, signingKey } from '../http/signed-jwt.js';

/** Calls of a rate limit reserved for other clients. */
const reserve = 5;
const bearerAssertion = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

/** Creates a client of an Okta organization that follows its rate limit headers. */
export function oktaClient(
  transport: HttpTransport,
  records: RecordKind,
  config: OktaConfig,
  access: ApiAccess,
): ApiClient {
  const { origin } = new URL(config.url);
  return new ApiClient(transport, {
    baseUrl: `${origin}/api/v1`,
    auth: config.client_id === undefined ? ssws(access) : serviceApp(transport, origin, config.client_id),
    rate: {
      remaining: 'x-rate-limit-remaining',
      reset: 'x-rate-limit-reset',
      resetIn: 'epoch_seconds',
      reserve,
    },
  });

  function serviceApp(transport: HttpTransport, origin: string, clientId: string): Authentication {
    const key = signingKey(secretOf(access, 'private_key'), 'private_key');
    const tokenUrl = `${origin}/oauth2/v1/token`;
    const scope = records === 'machine_identity' ? 'okta.apps.read' : 'okta.users.read okta.groups.read';
    const form = () => ({
      grant_type: 'client_credentials',
      scope,
      client_assertion_type: bearerAssertion,
      client_assertion: signedJwt(key, { iss: clientId, sub: clientId, aud: tokenUrl }, config.key_id),
    });
    return oauthToken(transport, { tokenUrl, form });
  }
}

function ssws(access: ApiAccess): Authentication {
  const token = secretOf(access, 'token');
  return headerAuthentication('authorization', `SSWS ${token}`, [token]);
}

/**
 * Parses a list response. A response without a next link is the end, unless it is full and has no links at all, because
 * they may have been removed by a proxy.
 */
export function oktaAnswer(answer: ApiAnswer, limit: number): ListAnswer {
  const items = listIn(answer);
  const next = nextLink(answer.headers);
  if (next === undefined && items.length >= limit && !/rel="?self\b/i.test(String(answer.headers.link ?? ''))) {
    throw new SourceError(`${answer.from} answered with a full page but without links`, 'incomplete');
  }
  return { items, next, from: answer.from };
}
