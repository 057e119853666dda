import { fileURLToPath } from 'node:url';
import { type BrokerVhost, createTestDatabase, type TestDatabase, until, vhostIfAny } from '@idsync/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Receiver } from '../apps/webhook-dispatcher/test/receiver.js';
import { Client, createConnector, createTenant, type Tenant } from './support/client.js';
import { Services } from './support/services.js';
import { TraceCollector } from './support/trace-collector.js';
import { traceTree } from './support/trace-tree.js';

const samples = fileURLToPath(new URL('../samples', import.meta.url));
const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const callersSpan = '00f067aa0ba902b7';
const unauthenticatedTrace = 'ffffffff77b34da6a3ce929d0e0e4736';

describe('the trace of a change', () => {
  let database: TestDatabase;
  let vhost: BrokerVhost | undefined;
  let collector: TraceCollector;
  let receiver: Receiver;
  let services: Services;
  let tenant: Tenant;

  beforeAll(async () => {
    database = await createTestDatabase();
    vhost = await vhostIfAny();
    collector = await TraceCollector.start();
    receiver = await Receiver.start();
    services = await Services.start({
      databaseUrl: database.url,
      amqpUrl: vhost?.url,
      sourcesDir: samples,
      allowedCidrs: '127.0.0.0/8',
      env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_BSP_SCHEDULE_DELAY: '100' },
    });
    tenant = await createTenant(Client.operator(services.url, services.adminToken), 'Traced');
    const events = ['identity.created', 'sync.job.completed'];
    await tenant.client.post('/v1/webhooks', { callback_url: receiver.url, events });
    receiver.answer = ({ body }, response) => {
      const refused = typeOf(body) === 'sync.job.completed' && of('sync.job.completed').length === 1;
      response.writeHead(refused ? 503 : 204).end();
    };
  });

  afterAll(async () => {
    await services?.stop();
    await receiver?.close();
    await collector?.close();
    await vhost?.drop();
    await database?.drop();
  });

  const typeOf = (body: string) => (JSON.parse(body) as { type: string }).type;
  const of = (type: string) => receiver.received.filter(({ body }) => typeOf(body) === type);
  const spansOf = (name: string) => collector.of(traceId).filter((span) => span.name === name);

  it('extends without a gap from the request that triggered a sync to the header of the delivery', async () => {
    const connector = await createConnector(tenant, {
      type: 'csv',
      name: 'HR',
      records: 'user',
      priority: 10,
      config: { path: 'hr.csv', external_id: 'ident', fields: { email: 'email', first_name: 'firstname' } },
    });
    await tenant.client
      .with({ traceparent: `00-${traceId}-${callersSpan}-01` })
      .post('/v1/sync/trigger', { connector_id: connector });
    await fetch(`${services.url}/v1/users`, {
      headers: { traceparent: `00-${unauthenticatedTrace}-${callersSpan}-01` },
    });
    // The first attempt is rejected.
    await until(() => of('sync.job.completed').length >= 2, 'two attempts', 90_000);
    // Stopping the services flushes the remaining spans.
    expect(await services.stop()).toEqual([0, 0, 0, 0]);

    const spans = collector.of(traceId);
    if (process.env.IDSYNC_TEST_TRACE) process.stderr.write(`\nThe trace:\n${traceTree(spans)}\n\n`);
    expect(new Set(spans.map(({ service }) => service))).toEqual(
      new Set(['idsync-gateway', 'idsync-sync-worker', 'idsync-directory', 'idsync-webhook-dispatcher']),
    );
    const names = spans.map(({ name }) => name);
    for (const name of ['POST /v1/sync/trigger', 'sync job', 'process directory.batches', 'POST webhook']) {
      expect(names).toContain(name);
    }
    const known = new Set([callersSpan, ...spans.map(({ spanId }) => spanId)]);
    expect(spans.filter(({ parentSpanId }) => !known.has(parentSpanId ?? ''))).toEqual([]);

    const attempts = new Set(spansOf('POST webhook').map(({ spanId }) => spanId));
    for (const { headers } of receiver.received) {
      const [, trace, parent = ''] = String(headers.traceparent).split('-');
      expect({ trace, ours: attempts.has(parent) }).toEqual({ trace: traceId, ours: true });
    }
  });

  it('shows each delivery attempt separately, and the failed one as an error', () => {
    const attempts = of('sync.job.completed').map(({ headers }) => {
      const id = String(headers.traceparent).split('-')[2];
      return spansOf('POST webhook').find(({ spanId }) => spanId === id);
    });
    expect(attempts).toMatchObject([
      {
        failed: true,
        attributes: { 'http.request.method': 'POST', 'http.response.status_code': 503, 'error.type': '503' },
      },
      { failed: false, attributes: { 'http.response.status_code': 204, 'idsync.outcome': 'delivered' } },
    ]);
    expect(collector.of(traceId).filter(({ failed }) => failed)).toHaveLength(1);
  });

  it('describes messages by the OpenTelemetry conventions', () => {
    const [batch] = spansOf('process directory.batches');
    expect(batch?.attributes).toMatchObject({
      'messaging.system': vhost ? 'rabbitmq' : 'postgresql',
      'messaging.operation.type': 'process',
      'messaging.destination.name': 'directory.batches',
      'idsync.message_type': 'sync.batch.ready',
      'idsync.attempt': 1,
    });
  });

  it('is linked from work with several causes', () => {
    const fanOuts = collector.spans.filter(({ name }) => name === 'fan out events');
    const linked = fanOuts.filter(({ links }) => links.some((link) => link.traceId === traceId));
    expect(linked.length).toBeGreaterThan(0);
    expect(linked.every((span) => span.traceId !== traceId)).toBe(true);
  });

  it('is not started by requests without a key', () => {
    expect(collector.of(unauthenticatedTrace)).toEqual([]);
  });
});
