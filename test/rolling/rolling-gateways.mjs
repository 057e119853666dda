// Two gateways behind a load balancer, replaced in turn under a load of fixed rate.
import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { GatewayProcess } from '../../bench/support/gateway-process.mjs';
import { countIdentities } from '../../bench/support/people.mjs';
import { encodeId } from '../../libs/contracts/dist/index.js';
import { DirectoryFixture, freePort } from '../../libs/testing/dist/index.js';
import { startBalancer } from './balancers.mjs';

const generator = fileURLToPath(new URL('load-generator.mjs', import.meta.url));
const adminToken = 'the-operators-token-of-this-load';
const people = 500;
/** A gateway that has answered this many requests is used by the balancer. */
const someRequests = 20;

export class RollingGateways {
  gateways = [];

  /** @param drainDelayMs DRAIN_DELAY_MS of each gateway */
  static async start({ databaseUrl, amqpUrl, balancer, drainDelayMs }) {
    const rolling = new RollingGateways();
    try {
      await rolling.open({ databaseUrl, amqpUrl, balancer, drainDelayMs });
      return rolling;
    } catch (error) {
      await rolling.stop();
      throw error;
    }
  }

  async open({ databaseUrl, amqpUrl, balancer, drainDelayMs }) {
    const env = {
      DATABASE_URL: databaseUrl,
      ADMIN_TOKEN: adminToken,
      ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
      DRAIN_DELAY_MS: String(drainDelayMs),
      ...(amqpUrl && { AMQP_URL: amqpUrl }),
    };
    for (let nth = 0; nth < 2; nth += 1) this.gateways.push(await GatewayProcess.create(env));
    for (const gateway of this.gateways) gateway.start();
    for (const gateway of this.gateways) await gateway.isReady();
    const port = await freePort();
    this.url = `http://127.0.0.1:${port}`;
    this.stopBalancer = await startBalancer(balancer, port, this.gateways);
    this.rows = DirectoryFixture.connect(databaseUrl);
    const { id: tenant } = await this.operator('/tenants', { name: 'Rolling' });
    this.apiKey = (await this.operator(`/tenants/${tenant}/api-keys`, { name: 'load' })).key;
    const config = { path: 'hr.csv', external_id: 'id', fields: { email: 'mail' } };
    const source = { type: 'csv', name: 'HR', records: 'user', priority: 10, config };
    this.connectorId = (await this.operator(`/tenants/${tenant}/connectors`, source)).id;
    this.identityIds = await fillDirectory(this.rows);
  }

  /** Sends `rate` requests a second during `work`. Resolves with the results. */
  async underLoad(rate, work) {
    const child = fork(generator, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    const { url, apiKey, connectorId, identityIds } = this;
    try {
      child.send({ url, apiKey, connectorId, identityIds, rate });
      await once(child, 'message');
      const done = await work();
      const result = once(child, 'message');
      child.send({ end: true });
      const [report] = await result;
      return {
        ...report,
        done,
        repeated: await this.repeat(report.failures),
        ...(await this.countJobs(report.triggers)),
      };
    } finally {
      child.kill('SIGKILL');
    }
  }

  /**
   * Stops each gateway in turn with `signal`, restarts it, and waits until it gets requests. Resolves with how each
   * stopped.
   */
  async replaceInTurn(signal) {
    const ends = [];
    for (const gateway of this.gateways) {
      await gateway.serves(someRequests);
      ends.push(await gateway.end(signal));
      gateway.start();
      await gateway.serves(someRequests);
    }
    return ends;
  }

  async stop() {
    for (const gateway of this.gateways) gateway.kill();
    await this.stopBalancer?.();
    await this.rows?.close();
  }

  /** Repeats unanswered triggers with their idempotency keys, as a client does. Resolves with the statuses. */
  async repeat(failures) {
    const answers = [];
    const headers = { 'x-api-key': this.apiKey, 'content-type': 'application/json' };
    for (const { key } of failures) {
      if (!key) continue;
      const body = JSON.stringify({ connector_id: this.connectorId, idempotency_key: key });
      answers.push((await fetch(`${this.url}/v1/sync/trigger`, { method: 'POST', headers, body })).status);
    }
    return answers;
  }

  /** Counts the jobs of these keys, and the keys without a job. */
  async countJobs(keys) {
    const [counted] = await this.rows.rows(
      `select count(j.id)::int as jobs, (count(*) filter (where j.id is null))::int as "withoutJob"
         from unnest($1::text[]) as sent(key) left join idempotency_keys k on k.key = sent.key left join sync_jobs j on j.id = k.job_id`,
      [keys],
    );
    const [all] = await this.rows.rows('select count(*)::int as "allJobs" from sync_jobs');
    return { ...counted, ...all };
  }

  async operator(path, body) {
    const headers = { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' };
    for (let attempt = 0; ; attempt += 1) {
      const answer = await fetch(`${this.url}/admin/v1${path}`, {
        method: 'POST',
        headers,
        body: JSON.stringify(body),
      }).catch(() => undefined);
      if (answer?.ok) return answer.json();
      // The balancer has just started and has not polled the gateways yet.
      if (attempt === 100) throw new Error(`POST ${path}: ${answer?.status} ${await answer?.text()}`);
      await pause(100);
    }
  }
}

/** Inserts people as a sync does. Resolves with their public ids. */
async function fillDirectory(rows) {
  const ids = Array.from({ length: people }, () => randomUUID());
  const shown = ids.map((id) => encodeId('identity', id));
  const documents = shown.map((id) => JSON.stringify({ id, display_name: 'Person', filler: 'x'.repeat(1_000) }));
  await rows.rows(
    `insert into identities (tenant_id, id, display_name, status, created_at, updated_at, document)
     select t.id, person.id, 'Person', 'active', now(), now(), person.document
       from tenants t, unnest($1::uuid[], $2::text[]) as person(id, document)`,
    [ids, documents],
  );
  await countIdentities((sql) => rows.rows(sql));
  return shown;
}
