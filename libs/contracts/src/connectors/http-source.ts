import { z } from 'zod';
import { parseUrl } from '../parse-url.js';
import { text } from '../text.js';
import { secret } from './field-marks.js';

/** `http:` is only for allowed private networks, which the transport checks by the address. */
export const sourceUrl = text
  .max(2048)
  .refine((value) => /^https?:$/.test(parseUrl(value)?.protocol ?? ''), {
    error: 'must be an http or https URL',
    abort: true,
  })
  .refine((value) => new URL(value).username === '' && new URL(value).password === '', {
    error: 'must not contain credentials; they belong to secrets',
  });

/** Certificate authorities in PEM. */
export const authorities = text
  .max(64 * 1024)
  .refine((value) => value.includes('-----BEGIN CERTIFICATE-----'), { error: 'must be certificates in PEM' })
  .describe('Certificate authorities in PEM that are trusted instead of the default ones.');

const header = text.regex(/^[A-Za-z0-9-]{1,64}$/, { error: 'must be the name of a header' });
const unsent = new Set(['host', 'content-length', 'connection', 'transfer-encoding', 'upgrade', 'expect', 'te']);

/** The authentication of an HTTP source and the secret it uses. */
export const httpAuth = z
  .discriminatedUnion('type', [
    z.strictObject({ type: z.literal('none') }),
    z.strictObject({ type: z.literal('bearer') }).describe('A bearer token in `secrets.token`.'),
    z
      .strictObject({ type: z.literal('basic'), user: text.min(1).max(256) })
      .describe('Basic authentication with `secrets.password`.'),
    z
      .strictObject({
        type: z.literal('header'),
        name: header.refine((name) => !unsent.has(name.toLowerCase()), {
          error: 'must not be a header that the HTTP client sets',
        }),
      })
      .describe('Sends `secrets.token` in the header `name`.'),
    z
      .strictObject({
        type: z.literal('oauth2'),
        token_url: sourceUrl,
        client_id: text.min(1).max(256),
        scope: text.min(1).max(1024).optional(),
        send_credentials: z.enum(['header', 'form']).default('header'),
      })
      .describe('OAuth 2 client credentials with `secrets.client_secret`.'),
  ])
  .describe('The authentication of the source.');
export type HttpAuth = z.infer<typeof httpAuth>;

const given = secret(text.min(1).max(8192).optional());
export const httpSecrets = z.strictObject({ token: given, password: given, client_secret: given });
