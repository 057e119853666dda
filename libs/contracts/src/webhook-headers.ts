import { z } from 'zod';

const maxHeaders = 20;
const maxBytes = 4_096;
/** Headers of the connection (RFC 9110, 7.6.1), of the message, and of the service itself. */
const reserved = new Set([
  'host',
  'connection',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'expect',
  'content-length',
  'content-type',
  'content-encoding',
  'user-agent',
  'traceparent',
  'tracestate',
]);
const isReserved = (name: string) => reserved.has(name) || /^(webhook-|proxy-)/.test(name);

const name = z.string().regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,64}$/, 'must be a header name of at most 64 characters');
// No control characters: a line break would begin another header.
const value = z
  .string()
  .regex(/^[!-~]([ -~]{0,1022}[!-~])?$/, 'must have 1 to 1024 printable ASCII characters, without spaces around them');

/** Additional headers of a webhook's requests, such as `authorization`; names in lower case. */
export const webhookHeaders = z
  .record(name, value)
  .refine((headers) => Object.keys(headers).every((each) => !isReserved(each.toLowerCase())), {
    error: 'must not contain headers of the connection, the content, the signature or the trace',
  })
  .refine(
    (headers) => new Set(Object.keys(headers).map((each) => each.toLowerCase())).size === Object.keys(headers).length,
    {
      error: 'must not contain a name twice',
    },
  )
  .refine(
    (headers) => {
      const bytes = Object.entries(headers).reduce((sum, [each, text]) => sum + each.length + text.length, 0);
      return Object.keys(headers).length <= maxHeaders && bytes <= maxBytes;
    },
    { error: `must be at most ${maxHeaders} headers of together ${maxBytes} bytes` },
  )
  .transform((headers) =>
    Object.fromEntries(Object.entries(headers).map(([each, text]) => [each.toLowerCase(), text])),
  );
