import { Writable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { addLogContext, withLogContext } from './log-context.js';
import { createLogger } from './logger.service.js';

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
      stack: expect.stringContaining('logger.spec'),
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
