import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createTestDatabase, type TestDatabase, until } from '@idsync/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Receiver } from '../apps/webhook-dispatcher/test/receiver.js';
import { Client, createConnector, createTenant, sync, type Tenant } from './support/client.js';
import { readMetricNames, readMetrics, type Series } from './support/read-metrics.js';
import { Services } from './support/services.js';

const observability = fileURLToPath(new URL('../observability', import.meta.url));
const alerts = readFileSync(`${observability}/alerts.yml`, 'utf8');
const dashboard = readFileSync(`${observability}/grafana/dashboards/idsync.json`, 'utf8');
const runbook = readFileSync(fileURLToPath(new URL('../docs/runbook.md', import.meta.url)), 'utf8');
const samples = fileURLToPath(new URL('../samples', import.meta.url));

describe('the metrics of a sync, from its trigger to a receiver,', () => {
  let database: TestDatabase;
  let services: Services;
  let receiver: Receiver;
  let tenant: Tenant;
  let series: Series[];

  beforeAll(async () => {
    database = await createTestDatabase();
    receiver = await Receiver.start();
    services = await Services.start({ databaseUrl: database.url, sourcesDir: samples, allowedCidrs: '127.0.0.0/8' });
    tenant = await createTenant(Client.operator(services.url, services.adminToken), 'Observed');
    await tenant.client.post('/v1/webhooks', { callback_url: receiver.url, events: ['sync.job.*'] });
    const connector = await createConnector(tenant, {
      type: 'csv',
      name: 'HR',
      records: 'user',
      priority: 10,
      config: { path: 'hr.csv', external_id: 'ident', fields: { email: 'email', first_name: 'firstname' } },
    });
    expect((await sync(tenant, connector)).status).toMatch(/^completed/);
    await tenant.client.get(`/v1/users/${tenant.id}`);
    await tenant.client.get('/v1/made-up-by-a-caller');
    await until(() => receiver.received.length >= 2, 'two deliveries');
    // The dispatcher counts a delivery after the answer has arrived.
    await until(async () => {
      series = await readMetrics(Object.values(services.internalUrls));
      return sumOf('idsync_webhook_deliveries_total', { status: 'delivered' }) >= 2;
    }, 'two deliveries in the metrics');
  });

  afterAll(async () => {
    await services?.stop();
    await receiver?.close();
    await database?.drop();
  });

  function sumOf(name: string, labels: Record<string, string> = {}): number {
    const wanted = series
      .filter((each) => each.name === name)
      .filter((each) => Object.entries(labels).every(([label, value]) => each.labels[label] === value));
    return wanted.reduce((sum, { value }) => sum + value, 0);
  }

  it('label requests with the pattern of their route, never with their URL', async () => {
    const requests = 'idsync_http_request_duration_seconds_count';
    expect(sumOf(requests, { method: 'POST', route: '/v1/sync/trigger', status: '202' })).toBe(1);
    expect(sumOf(requests, { route: '/v1/users/:id', status: '404' })).toBe(1);
    expect(sumOf(requests, { method: 'any', route: 'none', status: '404' })).toBe(1);
    expect(JSON.stringify(series)).not.toContain('made-up');
  });

  it('count messages, batches, jobs, events and deliveries', () => {
    expect(sumOf('idsync_bus_handling_duration_seconds_count', { queue: 'directory.batches', outcome: 'done' })).toBe(
      1,
    );
    expect(sumOf('idsync_bus_connected')).toBe(4);
    expect(sumOf('idsync_bus_message_age_seconds_count', { queue: 'directory.batches' })).toBe(1);
    expect(sumOf('idsync_bus_message_age_seconds_sum', { queue: 'directory.batches' })).toBeGreaterThan(0);
    expect(sumOf('idsync_batch_apply_duration_seconds_count')).toBe(1);
    expect(sumOf('idsync_batch_records_total', { outcome: 'created' })).toBeGreaterThan(0);
    expect(sumOf('idsync_sync_job_duration_seconds_count')).toBe(1);
    expect(sumOf('idsync_events_appended_total', { type: 'sync.job.started' })).toBe(1);
    expect(sumOf('idsync_webhook_attempt_duration_seconds_count', { outcome: 'delivered' })).toBe(2);
    expect(sumOf('idsync_database_connections', { service: 'directory', state: 'idle' })).toBeGreaterThan(0);
  });

  it('report the open event streams', async () => {
    const open = async () => {
      series = await readMetrics(Object.values(services.internalUrls));
      return sumOf('idsync_event_streams');
    };
    expect(await open()).toBe(0);
    const answer = await fetch(`${services.url}/admin/v1/tenants/${tenant.id}/events/stream`, {
      headers: { authorization: `Bearer ${services.adminToken}` },
    });
    expect({ status: answer.status, open: await open() }).toEqual({ status: 200, open: 1 });
    await answer.body?.cancel();
    // The gateway notices the end of the connection later.
    await until(async () => (await open()) === 0, 'the end of the event stream');
  });

  it('report zero for what has not happened yet', () => {
    const sampleOf = (name: string, labels: Record<string, string>) =>
      series.find(
        (each) => each.name === name && Object.entries(labels).every(([key, value]) => each.labels[key] === value),
      )?.value;
    expect(
      sampleOf('idsync_bus_handling_duration_seconds_count', { queue: 'directory.batches', outcome: 'dead' }),
    ).toBe(0);
    expect(sampleOf('idsync_sync_job_duration_seconds_count', { outcome: 'failed' })).toBe(0);
    expect(sampleOf('idsync_webhook_attempt_duration_seconds_count', { outcome: 'unsigned' })).toBe(0);
    expect(sampleOf('idsync_webhook_deliveries_total', { status: 'dead' })).toBe(0);
    expect(sampleOf('idsync_batch_records_total', { outcome: 'failed' })).toBe(0);
    expect(sampleOf('idsync_sync_safeguard_holds_total', {})).toBe(0);
  });

  it('include all that alerts and dashboard use, and all of ours are on the dashboard and in the runbook', async () => {
    const known = await readMetricNames(Object.values(services.internalUrls));
    const named = (text: string) => [...new Set(text.match(/\b(?:idsync|nodejs|process)_[^\W_]+_\w+/g))];
    const bare = (name: string) => (known.has(name) ? name : name.replace(/_(bucket|count|sum)$/, ''));
    expect([...named(alerts), ...named(dashboard)].filter((name) => !known.has(bare(name)))).toEqual([]);
    const shown = new Set(named(dashboard).map(bare));
    expect([...known].filter((name) => name.startsWith('idsync_') && !shown.has(name))).toEqual([]);
    const listed = named(/^## Metrics\n.*?^## /ms.exec(runbook)?.[0] ?? '').filter((name) =>
      name.startsWith('idsync_'),
    );
    expect(listed.sort()).toEqual([...known].filter((name) => name.startsWith('idsync_')).sort());
  });

  it('come with logs that carry the request id of the client', async () => {
    const id = 'the-callers-own:42';
    const answer = await fetch(`${services.url}/v1/users`, { headers: { 'x-request-id': id } });
    expect({ status: answer.status, id: answer.headers.get('x-request-id') }).toEqual({ status: 401, id });
  });

  it('have no label with a value per tenant, person or address', () => {
    const own = series.filter(({ name }) => name.startsWith('idsync_'));
    const labels = [...new Set(own.flatMap((each) => Object.keys(each.labels)))].sort();
    expect(labels).toEqual([
      'kind',
      'le',
      'method',
      'outcome',
      'queue',
      'quota',
      'route',
      'server',
      'service',
      'state',
      'status',
      'type',
    ]);
    for (const { labels } of own)
      expect(Object.values(labels).join()).not.toMatch(/[0-9a-f]{8}-|[a-z]{3}_[0-9a-z]{26}/);
  });
});
