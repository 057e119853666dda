import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type BrokerVhost, createTestDatabase, createVhost, hasBroker, type TestDatabase } from '@idsync/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

const program = fileURLToPath(new URL('./rolling/run.mjs', import.meta.url));
// Mandatory in CI.
const hasHaproxy = process.env.CI === 'true' || existsSync('/usr/sbin/haproxy');
if (!hasHaproxy) process.stderr.write('haproxy is not installed: gateways are not tested behind it.\n');

/** Offered load; the achieved throughput is printed, but not asserted. */
const rate = 1_000;
/** Maximum requests in flight. */
const maxInFlight = 200;
const gateways = 2;

interface Report {
  seconds: number;
  due: number;
  late: number;
  /** Answers by which a gateway shed load; the request was repeated. */
  busy: number;
  answered: number;
  unanswered: number;
  failures: { path: string; key?: string; failure: string }[];
  /** Numbers of sent keys, of jobs they created, of keys without a job, and of all jobs. */
  triggers: number;
  jobs: number;
  withoutJob: number;
  allJobs: number;
  /** Status of each failed trigger when it was repeated. */
  repeated: number[];
  ends: { code: number | null; seconds: number }[];
}

describe('two gateways that are replaced in turn under load', () => {
  let database: TestDatabase;
  let vhost: BrokerVhost | undefined;
  let child: ChildProcess | undefined;

  beforeEach(async () => {
    database = await createTestDatabase();
    vhost = hasBroker() ? await createVhost() : undefined;
  });

  afterEach(async () => {
    child?.kill('SIGTERM');
    await vhost?.drop();
    await database?.drop();
  });

  async function replace(balancer: 'plain' | 'haproxy', signal: NodeJS.Signals): Promise<Report> {
    const options = {
      databaseUrl: database.url,
      amqpUrl: vhost?.url,
      balancer,
      signal,
      rate,
      drainDelayMs: 5_000,
    };
    const running = spawn(process.execPath, [program, JSON.stringify(options)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    child = running;
    const chunks: Buffer[] = [];
    running.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    const code = await new Promise((resolve) => running.once('close', resolve));
    expect(code).toBe(0);
    const report: Report = JSON.parse(Buffer.concat(chunks).toString());
    const { answered, seconds, late, busy, failures } = report;
    process.stdout.write(
      `${balancer}, ${signal}: ${Math.round(answered / seconds)} of ${rate} requests/s, ${late} not sent, ${busy} shed and repeated, ${failures.length} failed\n`,
    );
    return report;
  }

  for (const balancer of ['plain', 'haproxy'] as const) {
    (balancer === 'plain' || hasHaproxy ? it : it.skip)(
      `answer every request through a ${balancer} balancer and exit with 0`,
      async () => {
        const report = await replace(balancer, 'SIGTERM');
        expect(report.failures).toEqual([]);
        expect(report).toMatchObject({ unanswered: 0, withoutJob: 0, jobs: report.triggers, allJobs: report.triggers });
        expect(report.answered + report.late).toBe(report.due);
        expect(report.ends.map(({ code }) => code)).toEqual(Array(gateways).fill(0));
      },
    );
  }

  (hasHaproxy ? it : it.skip)(
    'lose only requests in flight when they are killed, and a repeated trigger creates no second job',
    async () => {
      const report = await replace('haproxy', 'SIGKILL');
      expect(report.failures.length).toBeLessThanOrEqual(gateways * maxInFlight);
      expect(new Set(report.repeated)).toEqual(new Set(report.repeated.length > 0 ? [202] : []));
      expect(report).toMatchObject({ unanswered: 0, withoutJob: 0, jobs: report.triggers, allJobs: report.triggers });
      expect(report.answered + report.late + report.failures.length).toBe(report.due);
    },
  );
});
