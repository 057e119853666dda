// Users that an identity provider creates by SCIM, one after the other and by eight clients.
import { bareConnection } from '../support/bare-connection.mjs';
import { cpuSeconds, listenerPid, postgresSeconds, servicesSeconds } from '../support/cpu-time.mjs';
import { FourServices } from '../support/four-services.mjs';
import { applied, createProvider, ScimProvider } from '../support/scim-provider.mjs';
import { concurrently, median, percentile, sum } from '../support/statistics.mjs';
import { printTable } from '../support/table.mjs';
import { startProgram, stopProgram } from './programs.mjs';

export async function measure(bench) {
  // With fewer, the figures of eight clients differ by half between runs.
  const creates = 500;
  const systems = [await Idsync.start(bench)];
  try {
    try {
      systems.push(await Jackson.start(bench));
    } catch (error) {
      bench.leaveOut('jackson', error);
    }
    const cases = [1, 8].map((clients) => ({ clients, results: new Map(systems.map((system) => [system, []])) }));
    for (const system of systems) await measured(system, 8, 200);
    for (let round = 0; round < bench.rounds; round += 1) {
      for (const { clients, results } of cases) {
        for (const [system, measurements] of results) measurements.push(await measured(system, clients, creates));
      }
    }
    return report(bench, creates, cases);
  } finally {
    for (const system of systems) await system.stop();
  }
}

async function measured(system, clients, count) {
  const provider = await system.provider(clients);
  const times = [];
  const before = await system.cpu();
  const seconds = await concurrently(clients, count, async (n) => {
    const began = performance.now();
    await provider.create(n);
    times.push(performance.now() - began);
  });
  const answered = await system.cpu();
  await provider.close();
  await system.applied(count);
  const ms = (from, to) => (1_000 * (to - from)) / count;
  return {
    rate: count / seconds,
    p95: percentile(times, 0.95),
    request: ms(before.request, answered.request),
    all: ms(before.all, (await system.cpu()).all),
  };
}

function report({ rounds }, creates, cases) {
  const rows = cases.flatMap(({ clients, results }) =>
    [...results].map(([{ name }, measurements]) => {
      const of = (field) => median(measurements.map((each) => each[field]));
      return { clients, name, rate: of('rate'), p95: of('p95'), request: of('request'), all: of('all') };
    }),
  );
  const idsyncOf = (clients) => rows.find((row) => row.name === 'idsync' && row.clients === clients);
  printTable(`Creates by SCIM, median of ${rounds} rounds of ${creates}; CPU in ms per create`, [
    [
      'clients',
      'system',
      'creates/s',
      'p95, ms',
      'CPU to the answer',
      'CPU of all',
      'rate idsync : peer',
      'CPU idsync : peer',
    ],
    ...rows.map(({ clients, name, rate, p95, request, all }) => [
      clients,
      name,
      rate.toFixed(0),
      p95.toFixed(1),
      request.toFixed(2),
      all.toFixed(2),
      (idsyncOf(clients).rate / rate).toFixed(2),
      (idsyncOf(clients).request / request).toFixed(2),
    ]),
  ]);
  return rows
    .filter(({ name }) => name !== 'idsync')
    .map(({ clients, name, request }) => [
      `scim: CPU to the answer, clients ${clients}, ${name}`,
      request / idsyncOf(clients).request,
    ]);
}

/** The four services. A create is answered before its job adds the user to the directory. */
class Idsync {
  name = 'idsync';

  static async start({ url, folder, amqpUrl }) {
    const idsync = Object.assign(new Idsync(), { folder, services: await FourServices.start(url, folder) });
    idsync.admin = await bareConnection(url);
    idsync.broker = amqpUrl && (await listenerPid(Number(new URL(amqpUrl).port || 5672)));
    return idsync;
  }

  async provider(clients) {
    const { id } = await this.services.operator('POST', '/tenants', { name: 'Bench' });
    this.tenant = id;
    return createProvider(this.services, id, clients);
  }

  /** `request` includes the part of the jobs that ran meanwhile in PostgreSQL. */
  async cpu() {
    const used = await servicesSeconds(this.services, this.folder);
    const broker = this.broker ? await cpuSeconds(this.broker) : 0;
    return { request: used[0] + used.at(-1), all: sum(used) + broker };
  }

  async applied(count) {
    await applied(this.services, this.tenant, this.admin, count);
  }

  async stop() {
    await this.admin.end();
    await this.services.stop();
  }
}

/** Jackson stores the user and sends nothing: its directory has no webhook. */
class Jackson {
  name = 'jackson';

  static async start({ peersUrl, folder }) {
    return Object.assign(new Jackson(), { folder, program: await startProgram('jackson', peersUrl) });
  }

  async provider(clients) {
    const answer = await fetch(`${this.program.url}/directories`, { method: 'POST' });
    if (!answer.ok) throw new Error(`a directory was answered ${answer.status} ${await answer.text()}`);
    const { id, secret } = await answer.json();
    return new ScimProvider(this.program.url, `/scim/${id}`, secret, clients);
  }

  async cpu() {
    const used = (await cpuSeconds(this.program.child.pid)) + (await postgresSeconds(this.folder));
    return { request: used, all: used };
  }

  async applied() {}

  async stop() {
    await stopProgram(this.program);
  }
}
