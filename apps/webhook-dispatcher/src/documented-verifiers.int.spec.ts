import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { all, DispatcherFixture } from '../test/dispatcher-fixture.js';
import { buildVerifier, isHere, languages, type Request, verdict } from '../test/documented.js';
import { Receiver } from '../test/receiver.js';
import { keyOf, signedHeaders } from './sign.js';

let fixture: DispatcherFixture;
/** A delivery of the engine, signed with two secrets as during a rotation. */
let delivered: Request;
let secrets: string[];
let stranger: string;

beforeAll(async () => {
  fixture = await DispatcherFixture.start();
  const receiver = await Receiver.start();
  const tenant = await fixture.tenant();
  const webhook = await fixture.webhook(tenant, receiver.url);
  await fixture.directory.rows('delete from webhook_secrets where webhook_id = $1', [webhook]);
  secrets = [await fixture.secret(tenant, webhook), await fixture.secret(tenant, webhook)];
  stranger = await fixture.secret(tenant, await fixture.webhook(tenant, receiver.url, ['user.deleted']));
  const engine = fixture.engine();
  await fixture.insertEvents(tenant, ['sync.job.failed'], { error: 'Zeile 1: „Bjørn“ 漢字 😀' });
  engine.wake(await fixture.fanOut(tenant));
  await fixture.until(webhook, all('delivered'));
  const { headers, body } = receiver.received[0] as (typeof receiver.received)[number];
  delivered = {
    id: String(headers['webhook-id']),
    timestamp: String(headers['webhook-timestamp']),
    signature: String(headers['webhook-signature']),
    body,
  };
  await fixture.stopEngines();
  await receiver.close();
});

afterAll(() => fixture?.close());

/** The delivery, signed with the current time shifted by `seconds`. */
function signedAt(seconds: number): Request {
  const timestamp = Math.floor(Date.now() / 1_000) + seconds;
  const { id, body } = delivered;
  const headers = signedHeaders({ id, timestamp, body }, { shared: secrets.map(keyOf) });
  return { id, body, timestamp: String(timestamp), signature: headers['webhook-signature'] };
}

describe.each(languages)('the verifier in $name', (language) => {
  const here = isHere(language);
  if (!here) process.stderr.write(`${language.probe[0]} is not installed: its webhook verifier is not tested.\n`);
  const given = here ? it : it.skip;
  let directory: string;

  beforeAll(async () => {
    if (!here) return;
    directory = await mkdtemp(join(tmpdir(), 'idsync-verifier-'));
    buildVerifier(language, directory);
  });

  afterAll(async () => {
    if (directory) await rm(directory, { recursive: true });
  });

  const verdictOf = (request: Request, secret = secrets[0] ?? '') => verdict(language, directory, secret, request);

  given('accepts a delivery with either secret of a rotation', async () => {
    expect(delivered.signature.split(' ')).toHaveLength(2);
    for (const secret of secrets) expect(await verdictOf(delivered, secret)).toBe('');
    expect(await verdictOf(delivered, secrets[0]?.replace('whsec_', ''))).toBe('');
  });

  given('accepts a known signature version next to unknown ones', async () => {
    const signature = `v1a,AAAA ${delivered.signature} v2,BBBB`;
    expect(await verdictOf({ ...delivered, signature })).toBe('');
  });

  given('rejects a changed body, id or timestamp', async () => {
    const { body, id, timestamp } = delivered;
    expect(await verdictOf({ ...delivered, body: body.replace('漢', '字') })).toBe('no signature matches');
    expect(await verdictOf({ ...delivered, body: `${body}\n` })).toBe('no signature matches');
    expect(await verdictOf({ ...delivered, id: `${id}0` })).toBe('no signature matches');
    expect(await verdictOf({ ...delivered, timestamp: String(Number(timestamp) + 1) })).toBe('no signature matches');
  });

  given('rejects a wrong or empty secret', async () => {
    expect(await verdictOf(delivered, stranger)).toBe('no signature matches');
    expect(await verdictOf(delivered, 'whsec_')).not.toBe('');
  });

  given('rejects timestamps more than five minutes in the past or the future', async () => {
    expect(await verdictOf(signedAt(-200))).toBe('');
    expect(await verdictOf(signedAt(200))).toBe('');
    expect(await verdictOf(signedAt(-302))).toBe('the timestamp is too far off');
    expect(await verdictOf(signedAt(400))).toBe('the timestamp is too far off');
  });

  given('rejects missing or malformed headers', async () => {
    expect(await verdictOf({ ...delivered, id: '' })).toBe('a header is missing');
    expect(await verdictOf({ ...delivered, timestamp: '' })).toBe('a header is missing');
    expect(await verdictOf({ ...delivered, signature: '' })).toBe('a header is missing');
    expect(await verdictOf({ ...delivered, timestamp: 'now' })).toBe('the timestamp is not a number');
    expect(await verdictOf({ ...delivered, timestamp: `${delivered.timestamp}.5` })).toBe(
      'the timestamp is not a number',
    );
    const [first = ''] = delivered.signature.split(' ');
    for (const signature of [first.replace('v1,', 'v2,'), first.replace('v1,', ''), first.slice(0, -8), 'v1,', 'v1']) {
      expect(await verdictOf({ ...delivered, signature })).toBe('no signature matches');
    }
  });
});
