import { Writable } from 'node:stream';
import { describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { addLogContext, withLogContext } from './log-context.js';
import { createLogger } from './logger.service.js';
import { maxLoggedLength, plainError, withoutCredentials } from './without-credentials.js';

const marker = 'hunter2hunter2';

function logged(write: (logger: ReturnType<typeof createLogger>) => void): string {
  const chunks: string[] = [];
  const into = new Writable({
    write(chunk, _encoding, done) {
      chunks.push(String(chunk));
      done();
    },
  });
  write(createLogger('test', 'trace', into));
  return chunks.join('');
}

describe('the log lines', () => {
  it.each<[string, object | string]>([
    ['a header', { headers: { authorization: `Bearer ${marker}` } }],
    ['a header of a request', { req: { headers: { 'x-api-key': marker, cookie: `session=${marker}` } } }],
    ['a header in its original case', { headers: { Authorization: `Bearer ${marker}`, 'X-API-Key': marker } }],
    ['a body', { req: { body: { config: { bind_password: marker }, secrets: [{ client_secret: marker }] } } }],
    ['a deeply nested body', { a: { b: { c: { d: { e: { f: { password: marker } } } } } } }],
    ['a key', { connector: { service_account: { private_key: marker, privateKey: marker, accessToken: marker } } }],
    ['a key of a service account', { given: { service_account_key: marker, secret_access_key: marker } }],
    ['keys', { encryptionKeys: [marker], ENCRYPTION_KEY: marker, secrets: { access: marker } }],
    ['a signing secret', { webhook: { signing_secret: marker } }],
    ['a setting', { options: { databaseUrl: `postgres://me:${marker}@db/idsync` } }],
    ['a list of settings', { urls: [`amqp://me:${marker}@broker`] }],
    ['a text', `cannot reach postgres://me:${marker}@db/idsync with Bearer ${marker}`],
    ['a signing secret in a text', `secret whsec_${marker}=`],
    ['an API key in a text', `key iss_${'0'.repeat(26)}_${marker}`],
    ['an error', { err: new Error(`refused: postgres://me:${marker}@db`) }],
    ['an error in another field', { cause: new Error(`refused: amqp://me:${marker}@broker`) }],
  ])('contain no credential of %s', (_what, fields) => {
    const text = logged((logger) =>
      typeof fields === 'string' ? logger.warn(fields) : logger.warn(fields, 'something'),
    );
    expect(text).toContain('"level":40');
    expect(text).not.toContain(marker);
  });

  it('name the class, code and stack of an error', () => {
    const refused = Object.assign(new TypeError('refused'), { code: 'ECONNREFUSED' });
    const { err } = JSON.parse(logged((logger) => logger.warn({ err: refused }, 'polling for jobs failed')));
    expect(err).toEqual({
      type: 'TypeError',
      message: 'refused',
      stack: expect.stringContaining('logs.spec'),
      code: 'ECONNREFUSED',
    });
  });

  it('carry the context across asynchronous work, including fields added meanwhile', async () => {
    const lines: string[] = [];
    const say = (text: string) => lines.push(logged((logger) => logger.info(text)));
    await withLogContext({ request_id: 'r-1' }, async () => {
      await Promise.resolve();
      say('before');
      addLogContext({ tenant_id: 't-1' });
      await withLogContext({ job_id: 'j-1' }, async () => say('within'));
      say('after');
    });
    say('outside');
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { msg: 'before', request_id: 'r-1' },
      { msg: 'within', request_id: 'r-1', tenant_id: 't-1', job_id: 'j-1' },
      { msg: 'after', request_id: 'r-1', tenant_id: 't-1' },
      { msg: 'outside' },
    ]);
    expect(lines[2]).not.toContain('job_id');
    expect(lines[3]).not.toContain('request_id');
  });
});

describe('an error in the logs', () => {
  it('has message and stack, but no parameters or details of the statement', () => {
    const failed = Object.assign(new Error('canceling statement due to statement timeout'), {
      code: '57014',
      parameters: ['https://receiver.example/hook?token=hunter2'],
      driverError: { detail: 'Key (email)=(ann@example.com) already exists.' },
    });
    const shown = plainError(failed);
    expect(shown).toEqual({
      type: 'Error',
      message: 'canceling statement due to statement timeout',
      stack: expect.stringContaining('logs.spec'),
      code: '57014',
    });
  });

  it('contains no password, also if the thrown value is not an error', () => {
    expect(JSON.stringify(plainError(new Error('cannot reach postgres://me:hunter2@db/x')))).not.toContain('hunter2');
    expect(plainError('gone')).toEqual({ message: 'gone' });
  });
});

/** Fragments that a client, a source or a receiver can repeat to make a naive pattern quadratic. */
const repeated = [
  'a',
  'a:',
  '://',
  'a://',
  '@',
  'a://b:',
  ' ',
  'Bearer ',
  'bearer',
  'whsec_',
  'iss_',
  '_',
  'iss_0',
  '.',
];
const credential = fc.stringMatching(/^[0-9a-z]{24}$/);
/** Log text around a credential: fragments that the patterns match on, and anything else. */
const around = fc
  .array(fc.oneof(fc.string(), fc.constantFrom(...repeated, 'https://example.com/a@b', '\n')), { maxLength: 20 })
  .map((parts) => `${parts.join('')} `);
const within = fc.stringMatching(/^[\w:@%!$&'()*+,;=.~-]{0,20}$/);

const forms = (secret: string, more: string): string[] => [
  `postgres://me:${secret}@db/idsync`,
  `amqp://me:${more}${secret}${more}@broker:5672`,
  `https://${secret}@example.com`,
  `Authorization: Bearer ${secret}`,
  `basic   ${secret}==`,
  `whsec_${secret}=`,
  `iss_${'0'.repeat(26)}_${secret}`,
];

describe('a text in the logs', () => {
  it('contains no credential of any form, in any surrounding text', () => {
    fc.assert(
      fc.property(around, credential, within, around, (before, secret, more, after) => {
        for (const form of forms(secret, more)) {
          expect(withoutCredentials(`${before}${form} ${after}`)).not.toContain(secret);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('contains no part of a credential at the cut of a long text', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 60 }), credential, (back, secret) => {
        for (const form of forms(secret, '')) {
          const shown = withoutCredentials(`${'x '.repeat(maxLoggedLength)}`.slice(back, maxLoggedLength) + form);
          for (let at = 0; at + 6 <= secret.length; at += 1) expect(shown).not.toContain(secret.slice(at, at + 6));
        }
      }),
      { numRuns: 100 },
    );
  });

  it('keeps everything else, including email addresses in a path', () => {
    for (const text of ['GET https://example.com/users/ann@example.com failed', 'a:b@c', 'the bearer', '://', '']) {
      expect(withoutCredentials(text)).toBe(text);
    }
    expect(withoutCredentials('at postgres://me:x@db/idsync?ssl=1')).toBe('at postgres://db/idsync?ssl=1');
  });

  it('is cut at 8192 characters with its length noted', () => {
    expect(maxLoggedLength).toBe(8_192);
    const whole = 'word '.repeat(maxLoggedLength / 5 + 1).slice(0, maxLoggedLength);
    expect(withoutCredentials(whole)).toBe(whole);
    const shown = withoutCredentials(`${whole}more`);
    expect(shown).toMatch(/^(word ){1638}\[… 8196 characters\]$/);
    expect(withoutCredentials('x'.repeat(1_000_000))).toBe('[… 1000000 characters]');
  });

  // `npm run check:expressions` proves that each search takes linear time.
  it.each(repeated)('with a megabyte of %s is searched only up to the limit', (part) => {
    const replace = jest.spyOn(String.prototype, 'replaceAll');
    try {
      withoutCredentials(part.repeat(Math.ceil(1_000_000 / part.length)));
      const searched = replace.mock.contexts.map((text) => String(text).length);
      expect(searched.length).toBeGreaterThan(0);
      expect(Math.max(...searched)).toBeLessThanOrEqual(maxLoggedLength + '[… 1000000 characters]'.length);
    } finally {
      replace.mockRestore();
    }
  });
});
