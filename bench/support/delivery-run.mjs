// One dispatcher process, one receiver process, and events that this process commits as the directory does.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { newUuid } from '../../libs/contracts/dist/index.js';
import { recordEvents } from '../../libs/database/dist/bus/index.js';
import { Database, encrypt } from '../../libs/database/dist/index.js';
import { Bus } from '../../libs/messaging/dist/index.js';
import { DirectoryFixture } from '../../libs/testing/dist/index.js';
import { ReceiverProcess } from './receiver-process.mjs';

const now = () => performance.timeOrigin + performance.now();
const people = 1_000;

export class DeliveryRun {
  encryptionKey = randomBytes(32);
  people = [];
  sent = new Map();

  static async start(url, amqpUrl) {
    const run = new DeliveryRun();
    run.url = url;
    run.amqpUrl = amqpUrl;
    run.admin = DirectoryFixture.connect(url);
    run.receiver = await ReceiverProcess.start();
    run.database = await Database.connect({ url, service: 'directory' });
    run.bus = await Bus.open({ service: 'directory', database: run.database, amqpUrl });
    run.tenant = await run.admin.tenant('Bench');
    await run.fillPeople();
    return run;
  }

  get receiverUrl() {
    return this.receiver.url;
  }

  async stop() {
    await this.stopDispatcher();
    await this.bus.close();
    await this.database.close();
    await this.admin.close();
    this.receiver.stop();
  }

  startDispatcher() {
    const program = fileURLToPath(new URL('../../bundle/webhook-dispatcher.js', import.meta.url));
    const words = process.env.BENCH_NODE_OPTIONS?.split(' ') ?? [];
    this.dispatcher = spawn(process.execPath, [...words, program], {
      stdio: 'inherit',
      env: {
        PATH: process.env.PATH,
        DATABASE_URL: this.url,
        AMQP_URL: this.amqpUrl,
        ENCRYPTION_KEY: this.encryptionKey.toString('base64'),
        WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8',
        LOG_LEVEL: 'warn',
      },
    });
  }

  async stopDispatcher() {
    if (!this.dispatcher) return;
    const exit = once(this.dispatcher, 'exit');
    this.dispatcher.kill('SIGTERM');
    await exit;
    this.dispatcher = undefined;
  }

  async webhooks(count, callbackUrl = this.receiverUrl) {
    const ids = [];
    for (let n = 0; n < count; n += 1) {
      const id = newUuid();
      ids.push(id);
      await this.admin.rows('insert into webhooks (id, tenant_id, callback_url, events) values ($1, $2, $3, $4)', [
        id,
        this.tenant,
        callbackUrl,
        ['*'],
      ]);
      const encrypted = encrypt(`whsec_${randomBytes(32).toString('base64')}`, this.encryptionKey, this.tenant);
      await this.admin.rows(
        'insert into webhook_secrets (id, tenant_id, webhook_id, ciphertext) values ($1, $2, $3, $4)',
        [newUuid(), this.tenant, id, encrypted],
      );
    }
    return ids;
  }

  async noWebhooks() {
    await this.admin.rows('delete from webhooks');
    await this.admin.rows('truncate webhook_deliveries, webhook_attempts, event_payloads, webhook_endpoints');
  }

  /** Inserts earlier events with a due delivery each, the state after a receiver outage. */
  async fillBacklog(webhook, count) {
    const [{ last }] = await this.admin.rows(
      'update event_sequences set last = last + $2 where tenant_id = $1 returning last::int',
      [this.tenant, count],
    );
    const first = last - count + 1;
    await this.admin.rows(
      `insert into event_payloads (tenant_id, sequence, event_id, body)
       select $1, n, gen_random_uuid(), '{"sequence":' || n || ',"data":"' || repeat('x', 1500) || '"}'
         from generate_series($2::bigint, $3::bigint) as n`,
      [this.tenant, first, last],
    );
    await this.admin.rows(
      `insert into webhook_deliveries (id, tenant_id, webhook_id, event_sequence, event_type)
       select (lpad(to_hex($5::bigint), 12, '0') || '70008' || right(lpad(to_hex(n), 15, '0'), 15))::uuid, $1, $2, n, 'identity.updated'
         from generate_series($3::bigint, $4::bigint) as n`,
      [this.tenant, webhook, first, last, Date.now()],
    );
    await this.admin.rows(
      'insert into fan_out_positions values ($1, $2) on conflict (tenant_id) do update set sequence = $2',
      [this.tenant, last],
    );
  }

  /** Commits events in one transaction and records the commit time. Resolves with it. */
  async commit(count) {
    const events = Array.from({ length: count }, () => {
      const id = this.people[Math.floor(Math.random() * people)];
      return {
        type: 'identity.updated',
        occurredAt: new Date(),
        identityId: id,
        subjectId: id,
        details: { changes: [{ field: 'job_title', from: 'Engineer', to: 'Senior Engineer' }] },
      };
    });
    const last = await this.database.transaction(this.tenant, async (tx) => {
      await recordEvents(tx, events);
      const [row] = await tx.query('select last from event_sequences where tenant_id = $1', [this.tenant]);
      return row.last;
    });
    const at = now();
    for (let sequence = last - count + 1; sequence <= last; sequence += 1) this.sent.set(sequence, at);
    return at;
  }

  /** Resolves when `count` deliveries have arrived since the last `arrivals`; throws after two minutes without one. */
  async until(count) {
    await this.receiver.until(count);
  }

  /** Returns the deliveries since the last call: arrival time, and milliseconds since the commit. */
  async arrivals() {
    const times = await this.receiver.times();
    return times.map(([sequence, at]) => ({ at, ms: at - this.sent.get(sequence) }));
  }

  async fillPeople() {
    this.people = Array.from({ length: people }, () => newUuid());
    await this.admin.rows(
      `insert into identities (tenant_id, id, display_name, status, created_at, updated_at, document)
       select $1, id, 'Person', 'active', now(), now(),
              '{"id":"' || id || '","display_name":"Person","attributes":["' || repeat(md5(id::text), 40) || '"]}'
         from unnest($2::uuid[]) as each (id)`,
      [this.tenant, this.people],
    );
  }
}
