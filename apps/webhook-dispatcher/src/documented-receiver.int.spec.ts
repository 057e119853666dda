import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, until } from '@idsync/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { all, DispatcherFixture } from '../test/dispatcher-fixture.js';
import { programs } from '../test/documented.js';
import { keyOf, signedHeaders } from './sign.js';

let fixture: DispatcherFixture;
let directory: string;
let url: string;
let receiver: ChildProcess | undefined;
let program: readonly [string, string];

beforeAll(async () => {
  fixture = await DispatcherFixture.start();
  directory = await mkdtemp(join(tmpdir(), 'idsync-receiver-'));
  url = `http://127.0.0.1:${await freePort()}/hook`;
});

afterAll(async () => {
  await fixture?.close();
  if (directory) await rm(directory, { recursive: true });
});

async function start(secret: string): Promise<void> {
  const [interpreter, file] = program;
  receiver = spawn(interpreter, [file], {
    cwd: programs,
    stdio: 'ignore',
    env: {
      PATH: process.env.PATH,
      PYTHONDONTWRITEBYTECODE: '1',
      WEBHOOK_SECRET: secret,
      PORT: new URL(url).port,
      INBOX: join(directory, 'inbox'),
    },
  });
  await until(() => fetch(url).catch(() => undefined), 'the receiver');
}

async function kill(): Promise<void> {
  if (!receiver || receiver.exitCode !== null || receiver.signalCode !== null) return;
  const exit = once(receiver, 'exit');
  receiver.kill('SIGKILL');
  await exit;
}

const inbox = async () => (await readFile(join(directory, 'inbox'), 'utf8')).split('\n');

describe.each([
  [process.execPath, 'receiver.mjs'],
  ['python3', 'receiver.py'],
] as const)('the example receiver: %s %s', (...started) => {
  beforeAll(() => {
    program = started;
  });
  afterAll(async () => {
    await kill();
    await rm(join(directory, 'inbox'));
  });

  it('stores each event once, despite repeated deliveries and crashes', async () => {
    const tenant = await fixture.tenant();
    const webhook = await fixture.webhook(tenant, url);
    const secret = await fixture.secret(tenant, webhook);
    await start(secret);
    const engine = fixture.engine();
    await fixture.publish(engine, tenant, Array(20).fill('user.created'));
    await fixture.until(webhook, all('delivered'));
    await kill();
    await appendFile(join(directory, 'inbox'), '{"id":"evt_ha');
    await start(secret);
    await fixture.directory.rows(
      `update webhook_deliveries set status = 'pending', due_at = now(), is_retry = true where webhook_id = $1`,
      [webhook],
    );
    await fixture.directory.rows('update webhooks set updated_at = now() where id = $1', [webhook]);
    await fixture.publish(engine, tenant, ['user.updated', 'user.deleted']);
    const rows = await fixture.until(webhook, (list) => list.length === 22 && all('delivered')(list));
    expect(rows.filter(({ tries }) => tries > 1).length).toBeGreaterThanOrEqual(20);
    const lines = await inbox();
    expect(lines.pop()).toBe('');
    const sequences = lines.map((line) => JSON.parse(line).sequence).sort((a, b) => a - b);
    expect(sequences).toEqual(Array.from({ length: 22 }, (_, at) => at + 1));
  });

  it('rejects wrongly signed requests and endless bodies', async () => {
    const before = (await inbox()).length;
    const post = async (body: string) => {
      const timestamp = Math.floor(Date.now() / 1_000);
      const key = keyOf(`whsec_${Buffer.alloc(32).toString('base64')}`);
      const headers = signedHeaders({ id: 'evt_1', timestamp, body }, { shared: [key] });
      return (await fetch(url, { method: 'POST', headers, body })).status;
    };
    expect(await post('{"id":"evt_1"}')).toBe(401);
    expect(await post('x'.repeat(5_000_000)).catch(() => 'refused')).not.toBe(204);
    expect(await inbox()).toHaveLength(before);
  });
});
