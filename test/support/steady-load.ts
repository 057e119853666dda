import { setTimeout as pause } from 'node:timers/promises';
import { until } from '@idsync/testing';
import { type Answer, createConnector, type Tenant } from './client.js';
import { writePeople } from './event-stream.js';

const pauseMs = 50;
const under = ['queued', 'running'];

/**
 * A continuous load of client and operator requests, one loop per tenant and kind. Unsuccessful answers are recorded.
 */
export class SteadyLoad {
  requests = 0;
  /** Jobs that ended. */
  ended = 0;
  readonly failures: string[] = [];
  readonly jobs = new Set<string>();
  private readonly stopping = new AbortController();
  private running: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly tenants: readonly Tenant[],
    private readonly sourcesDir: string,
  ) {}

  async start(): Promise<void> {
    const loops = this.tenants.map(async (tenant, nth) => {
      await writePeople(this.sourcesDir, nth, 0);
      const config = { path: `${nth}.csv`, external_id: 'ident', fields: { first_name: 'first', email: 'mail' } };
      const connector = await createConnector(tenant, { type: 'csv', name: 'HR', config });
      return [
        this.again((round) => this.sync(tenant, nth, connector, round)),
        this.again((round) => this.read(tenant, round)),
        this.again(() => this.operate(tenant)),
      ];
    });
    this.running = Promise.all((await Promise.all(loops)).flat());
  }

  /** Waits until this many more jobs have ended. */
  async waitForJobs(jobs: number): Promise<void> {
    const goal = this.ended + jobs;
    await until(() => this.ended >= goal || this.stopping.signal.aborted, `the end of ${jobs} jobs`, 120_000);
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  private async again(work: (round: number) => Promise<void>): Promise<void> {
    for (let round = 1; !this.stopping.signal.aborted; round += 1) {
      await work(round);
      await pause(pauseMs);
    }
  }

  /** Syncs all people, then one person; the file changes only while nothing reads it. */
  private async sync(tenant: Tenant, nth: number, connector: string, round: number): Promise<void> {
    await writePeople(this.sourcesDir, nth, round);
    await this.job(tenant, tenant.client.post('/v1/sync/trigger', { connector_id: connector }), 'a trigger');
    const record = `/admin/v1/tenants/${tenant.id}/connectors/${connector}/records/${round % 50}/sync`;
    await this.job(tenant, tenant.operator.post(record), 'one record');
  }

  private async job(tenant: Tenant, asked: Promise<Answer>, what: string): Promise<void> {
    const { job_id: id } = (await this.ask(asked, what))?.body ?? {};
    if (!id) return;
    this.jobs.add(id);
    for (let status = 'queued'; under.includes(status); await pause(pauseMs)) {
      status = (await this.ask(tenant.client.get(`/v1/sync/jobs/${id}`), 'a job'))?.body.status;
    }
    this.ended += 1;
  }

  private async read(tenant: Tenant, round: number): Promise<void> {
    const paths = ['identities?limit=50', 'users?limit=50', 'events?limit=50', 'webhooks'];
    const path = paths[round % paths.length];
    await this.ask(tenant.client.get(`/v1/${path}`), `reading ${path}`);
  }

  private async operate(tenant: Tenant): Promise<void> {
    const path = `/admin/v1/tenants/${tenant.id}/matching-rules`;
    const rules = await this.ask(tenant.operator.get(path), 'the rules');
    if (rules) await this.ask(tenant.operator.call('PUT', path, rules.body), 'an operation');
  }

  private async ask(answer: Promise<Answer>, what: string): Promise<Answer | undefined> {
    this.requests += 1;
    const { status, body } = await answer.catch((error: Error) => ({ status: 0, body: String(error.cause ?? error) }));
    if (status >= 200 && status < 300) return answer;
    this.failures.push(`${what}: ${status} ${JSON.stringify(body)}`);
    return undefined;
  }
}
