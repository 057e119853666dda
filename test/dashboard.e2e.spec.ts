import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import {
  type BrokerVhost,
  createTestDatabase,
  createVhost,
  hasBroker,
  PrivatePrometheus,
  type TestDatabase,
  until,
} from '@idsync/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Receiver } from '../apps/webhook-dispatcher/test/receiver.js';
import { Client, createConnector, createTenant, sync, type Tenant } from './support/client.js';
import { Services } from './support/services.js';

interface Panel {
  type: string;
  title: string;
  gridPos: { x: number; y: number; w: number; h: number };
  targets?: { expr: string }[];
}

const file = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const { panels } = JSON.parse(readFileSync(file('observability/grafana/dashboards/idsync.json'), 'utf8')) as {
  panels: Panel[];
};
const queries = panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ title, expr })));

/** Panels that are empty while everything is healthy, without PostgreSQL queues, or without a read replica. */
const expectedEmpty = [
  'What the alerts mean',
  'Failed requests by route',
  'Failed messages',
  'Queues in PostgreSQL: age of the oldest message',
  'Queues in PostgreSQL: messages',
  'Reads that could use the replica',
];

const isThere = PrivatePrometheus.isThere;
if (!isThere) process.stderr.write('prometheus is not installed: the dashboard is not tested with it.\n');

// Mandatory in CI.
(isThere || process.env.CI === 'true' ? describe : describe.skip)(
  'the dashboard, with a Prometheus that scrapes the services',
  () => {
    let database: TestDatabase;
    let vhost: BrokerVhost | undefined;
    let receiver: Receiver;
    let services: Services;
    let prometheus: PrivatePrometheus;
    let tenant: Tenant;
    let began: number;

    const now = () => Date.now() / 1_000;
    const asked = (expr: string) => prometheus.range(expr.replaceAll('$__rate_interval', '10s'), began, now());

    beforeAll(async () => {
      began = now();
      database = await createTestDatabase();
      vhost = hasBroker() ? await createVhost() : undefined;
      receiver = await Receiver.start();
      services = await Services.start({
        databaseUrl: database.url,
        amqpUrl: vhost?.url,
        sourcesDir: file('samples'),
        allowedCidrs: '127.0.0.0/8',
      });
      prometheus = await PrivatePrometheus.start({
        rule_files: [file('observability/alerts.yml')],
        scrape_configs: [
          {
            job_name: 'idsync',
            honor_labels: true,
            static_configs: Object.entries(services.internalUrls).map(([service, url]) => ({
              targets: [new URL(url).host],
              labels: { service },
            })),
          },
        ],
      });
      // Repeated activity, because a rate needs changes between scrapes.
      const scraped = 'count(count_over_time(up{job="idsync"}[1m]) >= 2) == 4';
      await until(async () => (await asked(scraped)).length > 0, 'two scrapes of each service');
      tenant = await createTenant(Client.operator(services.url, services.adminToken), 'Seen');
      await tenant.client.post('/v1/webhooks', { callback_url: receiver.url, events: ['identity.created'] });
      const connector = await createConnector(tenant, {
        type: 'csv',
        name: 'HR',
        records: 'user',
        priority: 10,
        config: { path: 'hr.csv', external_id: 'ident', fields: { email: 'email', first_name: 'firstname' } },
      });
      await sync(tenant, connector);
      await until(() => receiver.received.length >= 40, '40 deliveries', 90_000);
    });

    afterAll(async () => {
      await prometheus?.remove();
      await services?.stop();
      await receiver?.close();
      await vhost?.drop();
      await database?.drop();
    });

    it('has only valid queries, which return data for past activity', async () => {
      const empty = async () => {
        // A counter needs an increase between two scrapes before it has a rate.
        await tenant.client.get('/v1/users');
        const answers = await Promise.all(
          queries.map(async ({ title, expr }) => ({ title, expr, answer: await asked(expr) })),
        );
        return answers.filter(({ title, answer }) => answer.length === 0 && !expectedEmpty.includes(title));
      };
      await until(async () => (await empty()).length === 0, empty, 30_000);
    });

    it('has a row for each topic and no overlapping panels', () => {
      const taken = new Set<string>();
      for (const { title, gridPos } of panels) {
        for (let x = gridPos.x; x < gridPos.x + gridPos.w; x += 1) {
          for (let y = gridPos.y; y < gridPos.y + gridPos.h; y += 1) {
            expect({ title, free: !taken.has(`${x}/${y}`) && x < 24 }).toEqual({ title, free: true });
            taken.add(`${x}/${y}`);
          }
        }
      }
      expect(panels.filter(({ type }) => type === 'row').map(({ title }) => title)).toEqual([
        'Alerts and processes',
        'Requests: rate, errors, duration',
        'Syncs and batches',
        'Queues and outboxes',
        'Deliveries',
        'Safeguards',
        'Connections to PostgreSQL',
        'Event loop, processor, memory',
      ]);
    });
  },
);
