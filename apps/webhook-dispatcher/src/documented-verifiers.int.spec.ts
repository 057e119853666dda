import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { all, DispatcherFixture } from '../test/dispatcher-fixture.js';
import { buildVerifier, isHere, languages, type Request, verdict } from '../test/documented.js';
import { Receiver } from '../test/receiver.js';
import { keyOf, signedHeaders } from './sign.js';

let fixture: DispatcherFixture;
/** As it came from the engine, signed with two secrets as during a rotation. */
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
  await fixture.happened(tenant, ['sync.job.failed'], { error: 'Zeile 1: „Bjørn“ 漢字 😀' });
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

/** The delivery as the dispatcher would sign it so many seconds from now. */
function signedAt(seconds: number): Request {
  const timestamp = Math.floor(Date.now() / 1_000) + seconds;
  const { id, body } = delivered;
  const headers = signedHeaders({ id, timestamp, body }, secrets.map(keyOf));
  return { id, body, timestamp: String(timestamp), signature: headers['webhook-signature'] };
}

describe.each(languages)('the verifier in $name', (language) => {
  const here = isHere(language);
  if (!here) process.stderr.write(`${language.probe[0]} is not here: its verifier of webhooks is not tested.\n`);
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

  const says = (request: Request, secret = secrets[0] ?? '') => verdict(language, directory, secret, request);

  given('accepts what was delivered, with either secret of a rotation', async () => {
    expect(delivered.signature.split(' ')).toHaveLength(2);
    for (const secret of secrets) expect(await says(delivered, secret)).toBe('');
    expect(await says(delivered, secrets[0]?.replace('whsec_', ''))).toBe('');
  });

  given('accepts a known version beside ones it does not know', async () => {
    const signature = `v1a,AAAA ${delivered.signature} v2,BBBB`;
    expect(await says({ ...delivered, signature })).toBe('');
  });

  given('refuses another body, id or time than what was signed', async () => {
    const { body, id, timestamp } = delivered;
    expect(await says({ ...delivered, body: body.replace('漢', '字') })).toBe('no signature matches');
    expect(await says({ ...delivered, body: `${body}\n` })).toBe('no signature matches');
    expect(await says({ ...delivered, id: `${id}0` })).toBe('no signature matches');
    expect(await says({ ...delivered, timestamp: String(Number(timestamp) + 1) })).toBe('no signature matches');
  });

  given('refuses the secret of somebody else, and none', async () => {
    expect(await says(delivered, stranger)).toBe('no signature matches');
    expect(await says(delivered, 'whsec_')).not.toBe('');
  });

  given('refuses what is older than five minutes, or that far ahead', async () => {
    expect(await says(signedAt(-200))).toBe('');
    expect(await says(signedAt(200))).toBe('');
    expect(await says(signedAt(-302))).toBe('the timestamp is too far off');
    expect(await says(signedAt(400))).toBe('the timestamp is too far off');
  });

  given('refuses headers that are missing or mean nothing', async () => {
    expect(await says({ ...delivered, id: '' })).toBe('a header is missing');
    expect(await says({ ...delivered, timestamp: '' })).toBe('a header is missing');
    expect(await says({ ...delivered, signature: '' })).toBe('a header is missing');
    expect(await says({ ...delivered, timestamp: 'now' })).toBe('the timestamp is no number');
    expect(await says({ ...delivered, timestamp: `${delivered.timestamp}.5` })).toBe('the timestamp is no number');
    const [first = ''] = delivered.signature.split(' ');
    for (const signature of [first.replace('v1,', 'v2,'), first.replace('v1,', ''), first.slice(0, -8), 'v1,', 'v1']) {
      expect(await says({ ...delivered, signature })).toBe('no signature matches');
    }
  });
});
