import { z } from 'zod';
import { text } from '../text.js';

/** `http:` is for private networks that are allowed; who calls decides that by the address. */
export const sourceUrl = text
  .max(2048)
  .refine((value) => URL.canParse(value) && /^https?:$/.test(new URL(value).protocol), {
    error: 'must be an http or https URL',
    abort: true,
  })
  .refine((value) => new URL(value).username === '' && new URL(value).password === '', {
    error: 'must not contain credentials; they belong to secrets',
  });

/** Authorities in PEM. */
export const authorities = text
  .max(64 * 1024)
  .refine((value) => value.includes('-----BEGIN CERTIFICATE-----'), { error: 'must be certificates in PEM' })
  .describe('Authorities in PEM that are trusted instead of the well-known ones.');

const header = text.regex(/^[A-Za-z0-9-]{1,64}$/, { error: 'must be the name of a header' });
const unsent = new Set(['host', 'content-length', 'connection', 'transfer-encoding', 'upgrade', 'expect', 'te']);

/** How a source over HTTP is told who asks, by which of the secrets. */
export const httpAuth = z
  .discriminatedUnion('type', [
    z.strictObject({ type: z.literal('none') }),
    z.strictObject({ type: z.literal('bearer') }).describe('`secrets.token`, as a bearer token.'),
    z.strictObject({ type: z.literal('basic'), user: text.min(1).max(256) }).describe('With `secrets.password`.'),
    z
      .strictObject({
        type: z.literal('header'),
        name: header.refine((name) => !unsent.has(name.toLowerCase()), { error: 'is not a header of yours' }),
      })
      .describe('`secrets.token`, in a header of this name.'),
    z
      .strictObject({
        type: z.literal('oauth2'),
        token_url: sourceUrl,
        client_id: text.min(1).max(256),
        scope: text.min(1).max(1024).optional(),
        send_credentials: z.enum(['header', 'form']).default('header'),
      })
      .describe('Client credentials, with `secrets.client_secret`.'),
  ])
  .describe('How the source is told who asks.');
export type HttpAuth = z.infer<typeof httpAuth>;

const secret = text.min(1).max(8192).optional();
export const httpSecrets = z.strictObject({ token: secret, password: secret, client_secret: secret });
