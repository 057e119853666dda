import { setMaxListeners } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { decodeId, newUuid } from '@idsync/contracts';
import { Client, createTenant, type Tenant } from '../support/client.js';
import { between, type Random, seededRandom } from '../support/seeded-random.js';
import { changeRandomly } from './person.js';
import { type ChaosSource, sourcesOf, WebFiles, within } from './sources.js';
import { type Subscriber, Subscribers } from './subscribers.js';
import type { World } from './world.js';

const tenantCount = 3;
const people = 80;
const firstChanges = 25;
const subscriptions = [['*'], ['user.*', 'lifecycle.*', 'sync.job.completed']];
const requestMs = 60_000;
/** A job that takes longer is awaited at the end of the round. */
const jobWithinMs = 45_000;
const ended = ['completed', 'completed_with_errors', 'failed', 'cancelled'];
const succeeded = ['completed', 'completed_with_errors'];

export interface ChaosTenant {
  tenant: Tenant;
  uuid: string;
  sources: ChaosSource[];
}

/** The tenants, whose sources change continuously while they are read, and the subscribers of their events. */
export class Tenants {
  /** Jobs acknowledged with 202. */
  readonly jobs = new Set<string>();
  /** By webhook uuid. */
  readonly subscribers = new Map<string, Subscriber>();
  readonly all: ChaosTenant[] = [];
  private readonly completedAt: number[] = [];
  private stopping = new AbortController();
  private running: Promise<unknown> = Promise.resolve();

  private web: WebFiles | undefined;
  private receivers: Subscribers | undefined;
  private readonly random: Random;

  constructor(
    private readonly world: World,
    seed: number,
  ) {
    // Separate random numbers for faults, because the order of changes varies.
    this.random = seededRandom(seed + 1);
  }

  async create(): Promise<void> {
    const { world, random } = this;
    const web = await WebFiles.start();
    this.web = web;
    const link = await world.addLink('sync-worker-source', web.port);
    web.url = `http://127.0.0.1:${link.port}`;
    const receivers = await Subscribers.start(random);
    this.receivers = receivers;
    const toReceivers = await world.addLink('dispatcher-receiver', receivers.port);
    const operator = Client.operator(world.url, world.adminToken);
    for (let nth = 0; nth < tenantCount; nth += 1) {
      const tenant = await createTenant(operator, `Tenant ${nth}`);
      for (const events of subscriptions) await this.subscribe(tenant, events, receivers.add(), toReceivers.port);
      const sources = await sourcesOf({ tenant, nth, sourcesDir: world.sourcesDir, web });
      for (const source of sources) {
        for (let n = 0; n < firstChanges; n += 1) changeRandomly(random, source.rows, nth, people);
      }
      this.all.push({ tenant, uuid: decodeId('tenant', tenant.id) ?? '', sources });
    }
  }

  /** Changes and reads each source repeatedly until `pause`. */
  begin(): void {
    this.stopping = new AbortController();
    // Each source waits for it, and there are more than ten.
    setMaxListeners(0, this.stopping.signal);
    const loops = this.all.flatMap(({ tenant, sources }, nth) =>
      sources.map((source) => this.live(tenant, nth, source)),
    );
    this.running = Promise.all(loops);
  }

  /** Resolves after the last change and the end of the last job. */
  async pause(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  /** Publishes and reads every source; resolves with the problems. */
  async readAll(withinMs: number): Promise<string[]> {
    const end = Date.now() + withinMs;
    const problems = this.all.flatMap(({ tenant, sources }) =>
      sources.map(async (source) => {
        for (; ; await pause(500)) {
          const failure = await source.publish(1).then(
            () => undefined,
            (error: Error) => error,
          );
          if (!failure) break;
          if (Date.now() > end) return `${tenant.id} ${source.name}: not published: ${failure.message}`;
        }
        const job = await this.trigger(tenant, source, end);
        if (job === undefined) return `${tenant.id} ${source.name}: no job was accepted`;
        const status = await this.endOf(tenant, job, end);
        return succeeded.includes(status) ? undefined : `${tenant.id} ${source.name}: ${job} is ${status}`;
      }),
    );
    return (await Promise.all(problems)).filter((problem) => problem !== undefined);
  }

  /** Returns the milliseconds from `since` to the next completed job; undefined if there is none within `withinMs`. */
  async nextCompletion(since: number, withinMs: number, signal: AbortSignal): Promise<number | undefined> {
    for (const end = since + withinMs; Date.now() < end && !signal.aborted; await pause(50)) {
      const completed = this.completedAt.find((at) => at >= since);
      if (completed !== undefined) return completed - since;
    }
    return undefined;
  }

  async close(): Promise<void> {
    this.stopping.abort();
    await this.receivers?.close();
    await this.web?.close();
  }

  private async live(tenant: Tenant, nth: number, source: ChaosSource): Promise<void> {
    while (!this.stopping.signal.aborted) {
      changeRandomly(this.random, source.rows, nth, people);
      const bad = between(this.random, 0, 3);
      const published = await source.publish(bad).then(
        () => true,
        () => false,
      );
      if (published) await this.sync(tenant, source);
      await this.rest(between(this.random, 500, 2_500));
    }
  }

  private async sync(tenant: Tenant, source: ChaosSource): Promise<void> {
    const askedAt = Date.now();
    const job = await this.trigger(tenant, source, askedAt + jobWithinMs);
    if (job === undefined) return;
    const status = await this.endOf(tenant, job, askedAt + jobWithinMs);
    if (succeeded.includes(status)) this.completedAt.push(Date.now());
  }

  /** Uses one idempotency key for all attempts, so that a lost answer does not cause a second job. */
  private async trigger(tenant: Tenant, { connector }: ChaosSource, end: number): Promise<string | undefined> {
    const body = { connector_id: connector, idempotency_key: newUuid() };
    for (; Date.now() < end; await pause(200)) {
      const answer = await within(requestMs, tenant.client.post('/v1/sync/trigger', body)).catch(() => undefined);
      if (answer?.status !== 202) continue;
      this.jobs.add(answer.body.job_id);
      return answer.body.job_id;
    }
    return undefined;
  }

  private async endOf(tenant: Tenant, job: string, end: number): Promise<string> {
    let status = 'unknown';
    for (; Date.now() < end && !ended.includes(status); await pause(150)) {
      const answer = await within(requestMs, tenant.client.get(`/v1/sync/jobs/${job}`)).catch(() => undefined);
      if (answer?.status === 200) status = answer.body.status;
      if (answer?.status === 404) return 'lost after it was acknowledged';
    }
    return status;
  }

  private async subscribe(tenant: Tenant, events: string[], subscriber: Subscriber, port: number): Promise<void> {
    const body = { callback_url: `http://127.0.0.1:${port}${subscriber.path}`, events };
    const answer = await tenant.client.post('/v1/webhooks', body);
    if (answer.status !== 201) throw new Error(`creating the webhook failed: ${JSON.stringify(answer.body)}`);
    subscriber.secret = answer.body.signing_secret;
    this.subscribers.set(decodeId('webhook', answer.body.id) ?? '', subscriber);
  }

  private async rest(milliseconds: number): Promise<void> {
    await pause(milliseconds, undefined, { signal: this.stopping.signal }).catch(() => undefined);
  }
}
