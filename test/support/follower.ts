import { type EventType, eventBody } from '@idsync/contracts';
import { until } from '@idsync/testing';
import { expect } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { Receiver } from '../../apps/webhook-dispatcher/test/receiver.js';
import { type Answer, type Client, createConnector, createTenant, jobEnd, type Tenant } from './client.js';

type Json = Answer['body'];

interface ReceivedEvent {
  id: string;
  type: EventType;
  sequence: number;
  data: Json;
}

/** One run of all connectors: their jobs as the operator sees them, and the emitted events. */
export interface Run {
  jobs: Json[];
  /** Without events of jobs, and of findings, which are evaluated at another time; sorted, for example `user.updated ann: job_title`. */
  events: string[];
}

const timeoutMs = 60_000;

function isOfPeople({ type }: ReceivedEvent): boolean {
  return !/^(sync\.job|finding|group)\./.test(type);
}

/** Fields that differ between tenants. */
const ownKeys = /^(id|identity_id|person_id|source_id|tenant_id|account_id|(created|updated|last_synced)_at)$/;

/** A tenant that reads its sources in one mode, and a webhook receiver for all its events. */
export class Follower {
  private readonly events: ReceivedEvent[] = [];
  private taken = 0;
  /** The first name of each identity and record. */
  private readonly names = new Map<string, string>();

  private constructor(
    readonly tenant: Tenant,
    readonly connectors: readonly string[],
    private readonly mode: 'full' | 'changes',
    private readonly receiver: Receiver,
    private readonly verifier: Webhook,
  ) {}

  static async start(operator: Client, mode: 'full' | 'changes', sources: readonly object[]): Promise<Follower> {
    const tenant = await createTenant(operator, `reads ${mode}`);
    const receiver = await Receiver.start();
    const body = { callback_url: receiver.url, events: ['*'] };
    const webhook = await tenant.client.post('/v1/webhooks', body);
    expect(webhook.status).toBe(201);
    const connectors: string[] = [];
    for (const source of sources) connectors.push(await createConnector(tenant, source));
    return new Follower(tenant, connectors, mode, receiver, new Webhook(webhook.body.signing_secret));
  }

  close(): Promise<void> {
    return this.receiver.close();
  }

  /** Reads all sources in sequence and waits until all resulting events were received. */
  async run(mode = this.mode): Promise<Run> {
    const from = this.events.length;
    const jobs: Json[] = [];
    for (const connector of this.connectors) jobs.push(await this.job(connector, mode));
    for (const { job_id: id } of jobs) await this.waitForJobEvents(id);
    const received = this.events.slice(from);
    const ofJobs = received.filter(({ type }) => type.startsWith('sync.job.'));
    expect(ofJobs.map(({ type, data }) => [type, data.job_id])).toEqual(
      jobs.flatMap(({ job_id, status }) => [
        ['sync.job.started', job_id],
        [status === 'failed' ? 'sync.job.failed' : 'sync.job.completed', job_id],
      ]),
    );
    const changes = received.filter(isOfPeople);
    return { jobs, events: changes.map((each) => this.line(each)).sort() };
  }

  /** Returns the identity of a person, deleted or not, as the API shows it. */
  async identity(name: string): Promise<Json> {
    const ids = [...this.names].flatMap(([id, called]) => (called === name && id.startsWith('idn_') ? [id] : []));
    expect([name, ids]).toEqual([name, [expect.any(String)]]);
    const { status, body } = await this.tenant.client.get(`/v1/identities/${ids[0]}`);
    expect([name, status]).toEqual([name, 200]);
    return body;
  }

  /** Returns everything that the lists show, without the fields that differ between tenants. */
  async snapshot(): Promise<{ identities: unknown[]; users: unknown[] }> {
    const identities = [...(await this.list('identities', '')), ...(await this.list('identities', 'status=deleted'))];
    const users = [...(await this.list('users', '')), ...(await this.list('users', 'status=deleted'))];
    return { identities: this.comparable(identities), users: this.comparable(users) };
  }

  /** Checks that the histories match the received events, and that no event was received twice. */
  async checkHistories(): Promise<void> {
    const feed: Json[] = [];
    for (let after = 0, more = true; more; ) {
      const { body } = await this.tenant.client.get(`/v1/events?limit=200&after=${after}`);
      feed.push(...body.data);
      [after, more] = [body.next_after, body.has_more];
    }
    await this.waitForEvents(feed.length);
    expect(this.events.map(({ sequence }) => sequence)).toEqual(this.events.map((_, at) => at + 1));
    expect(this.events.slice(0, feed.length).map(({ id }) => id)).toEqual(feed.map(({ id }) => id));
    const histories: unknown[] = [];
    for (const { id } of [
      ...(await this.list('identities', '')),
      ...(await this.list('identities', 'status=deleted')),
    ]) {
      const history = await this.list(`identities/${id}/history`, '');
      histories.push(...history.map((event) => [event.id, event.event_type]));
    }
    const changes = this.events.filter(isOfPeople);
    expect(histories.sort()).toEqual(changes.map(({ id, type }) => [id, type]).sort());
  }

  private async waitForEvents(count: number): Promise<void> {
    const isThere = () => {
      this.take();
      return this.events.length >= count;
    };
    await until(isThere, () => `${count} events, got ${this.events.length}`, timeoutMs);
  }

  private async job(connector: string, mode: string): Promise<Json> {
    const path = `/admin/v1/tenants/${this.tenant.id}/sync-jobs`;
    const { body } = await this.tenant.operator.post(path, { connector_id: connector, mode });
    await jobEnd(this.tenant, body.job_id);
    return (await this.tenant.operator.get(`${path}/${body.job_id}`)).body;
  }

  /** Waits for a sequence without a gap up to the end of the job. */
  private async waitForJobEvents(job: string): Promise<void> {
    const isThere = () => {
      this.take();
      const ended = this.events.find(
        ({ type, data }) => type !== 'sync.job.started' && type.startsWith('sync.job.') && data.job_id === job,
      );
      return ended && this.events[ended.sequence - 1] === ended;
    };
    await until(isThere, () => `the end of ${job} in sequence, got ${this.events.length} events`, timeoutMs);
  }

  private take(): void {
    for (const { body, headers } of this.receiver.received.slice(this.taken)) {
      const event = this.verifier.verify(body, headers as Record<string, string>) as ReceivedEvent;
      expect(headers['webhook-id']).toBe(event.id);
      expect([event, eventBody(event.type).safeParse(event).error?.issues]).toEqual([event, undefined]);
      this.events.push(event);
      this.taken += 1;
    }
    this.events.sort((a, b) => a.sequence - b.sequence);
  }

  private line({ type, data }: ReceivedEvent): string {
    const name = this.names.get(data.id) ?? nameOf(data);
    this.names.set(data.id, name);
    const isNew = type.endsWith('.created') || data.changed.length === 0;
    return `${type} ${name}${isNew ? '' : `: ${[...data.changed].sort().join(', ')}`}`;
  }

  private async list(path: string, query: string): Promise<Json[]> {
    const all: Json[] = [];
    for (let total = 1; all.length < total; ) {
      const { body } = await this.tenant.client.get(`/v1/${path}?limit=200&offset=${all.length}&${query}`);
      all.push(...body.data);
      total = body.total;
    }
    return all;
  }

  private comparable(values: readonly Json[]): unknown[] {
    const strip = (key: string, value: Json): Json => {
      if (ownKeys.test(key)) return undefined;
      if (typeof value === 'string') return this.names.get(value) ?? value.replace(/^con_\w+$/, 'a connector');
      return value;
    };
    return values.map((value) => JSON.stringify(value, strip)).sort();
  }
}

function nameOf(data: Json): string {
  const person = data.users?.[0] ?? data;
  const [first] = (person.email ?? '').split('@');
  return first || data.accounts?.[0]?.identifier || data.identifier || data.display_name;
}
