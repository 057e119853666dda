// `npm run bench:large -- 300000`: a large tenant beside a small one of the same kind and 20 others, each figure as a ratio
// to what does not depend on the size: the same figure of the small one, or of the same run. Fails if a ratio exceeds its
// bound, so that the speed of the machine matters little.
//
// The argument is the number of people (3000). Uses AMQP_URL, by default queues in PostgreSQL, and always an embedded
// PostgreSQL. Three million need 80 GB of disk.
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { decodeId } from '../libs/contracts/dist/index.js';
import { bareConnection } from './support/bare-connection.mjs';
import { withBenchDatabase } from './support/bench-database.mjs';
import { servicesSeconds } from './support/cpu-time.mjs';
import { FourServices } from './support/four-services.mjs';
import {
  common,
  connectorsOf,
  leaverEvery,
  ofCostCenter,
  writeAccounts,
  writeFew,
  writeHr,
  writeMachines,
} from './support/large-tenant.mjs';
import { peopleConnector, writePeople } from './support/people.mjs';
import { ReceiverProcess } from './support/receiver-process.mjs';
import { blocksOf, countingSettings, StatementBlocks } from './support/statement-blocks.mjs';
import { describeLoad, median, pause, sum } from './support/statistics.mjs';
import { printTable } from './support/table.mjs';

const people = Number(process.argv[2] ?? 3_000);
if (!Number.isInteger(people) || people < 3_000)
  throw new Error(`people must be at least 3000, got ${process.argv[2]}`);
const reference = Math.min(3_000, people / 3);
const smallTenants = 20;
const smallPeople = 500;
const alone = 5;
/** Every such account changes. */
const changedEvery = 20;
/** Every such person is deleted by the held run. */
const deletedEvery = 3;
const recordsOfBatch = 1_000;
const lookUp = /^\s*(?:select|with)\b.*\bunnest\(/is;
/** Each needs a person to erase. */
const mostRounds = 100;
/** Runs and erasures whose dead rows are not those of a change of rules. */
const calmRounds = 3;
/** The import of fewer people ends before small ones beside it. */
const enoughForSmall = 30_000;
/** Waits up to this are not compared with longer ones: a job of a few people takes as long on a busy machine. */
const shortWait = 2;
/** A request of the console has a few statements that read no rows of the tenant. */
const blocksOfRequest = 300;
const blocksOfLookUp = 8;
/** The indexes of a larger table have a level more, which is half as many blocks again for the shortest look-ups. */
const levelMore = 2;
/** Beyond the pass and its pause: the interval of due work. */
const dueInterval = 60;
delete process.env.DATABASE_URL;

const settings = {
  ...countingSettings,
  // Checkpoints write whole pages into the log again, so their times would decide its size.
  full_page_writes: 'off',
  max_wal_size: '4GB',
};
const lines = [];

await withBenchDatabase(async ({ url, folder }) => {
  const logs = await open(join(folder, 'services.log'), 'a');
  const services = await FourServices.start(url, folder, logs);
  const admin = await bareConnection(url);
  const receiver = await ReceiverProcess.start();
  try {
    const bench = { services, admin, folder, receiver, blocks: await StatementBlocks.of(admin) };
    const small = [];
    for (let n = 0; n < smallTenants; n += 1) small.push(await smallTenant(bench, n));
    const base = await measure(bench, 'reference', reference);
    const large = await measure(bench, 'large', people, { small, control: base.subject });
    report(base.figures, large.figures);
    const log = await readFile(join(folder, 'services.log'), 'utf8');
    const timeOuts = log.split('\n').filter((line) => /time-?d? ?out/i.test(line));
    for (const line of timeOuts.slice(0, 5)) process.stdout.write(`${line}\n`);
    add('time-outs in the logs of the services', timeOuts.length, 0);
  } finally {
    receiver.stop();
    await admin.end();
    await services.stop();
    await logs.close();
  }
  const table = lines.map(({ name, ratio, bound, atLeast, passes, detail }) => [
    name,
    ratio.toFixed(2),
    `${atLeast ? 'at least' : 'at most'} ${bound}`,
    passes ? 'pass' : 'FAIL',
    detail,
  ]);
  printTable(`${people} people beside ${reference}; ${describeLoad()}`, [
    ['what', 'ratio', 'bound', '', 'large; reference'],
    ...table,
  ]);
  if (lines.some(({ passes }) => !passes)) process.exitCode = 1;
}, settings);

function add(name, ratio, bound, { atLeast = false, detail = '' } = {}) {
  lines.push({ name, ratio, bound, atLeast, detail, passes: atLeast ? ratio >= bound : ratio <= bound });
}

/** Adds a line for figures that are equal for each size. */
function addSame(name, large, base, bound) {
  add(name, large / base, bound, { detail: `${large.toPrecision(3)}; ${base.toPrecision(3)}` });
}

function report(base, large) {
  const { lookUps, small } = large;
  add('blocks of comparing a record, never analysed : analysed', lookUps.compare[0] / lookUps.compare[1], 1.5, {
    detail: lookUps.compare.map((each) => each.toFixed(1)).join('; '),
  });
  const { ratio, calls, text } = lookUps.worst;
  add('blocks of the look-up that differs most, never analysed : analysed', ratio, 1.5, {
    detail: `${calls.map(Math.round).join('; ')} a call: ${text.trim().replaceAll(/\s+/g, ' ').slice(0, 60)}`,
  });
  for (const act of ['preview', 'set']) {
    const { waits, others, seconds } = large.rules[act];
    for (const [kind, what] of [
      ['batch', 'run of few people'],
      ['erasure', 'erasure'],
    ]) {
      const [longest, other] = [waits, others].map((each) => Math.max(...each[kind], 0));
      add(`rules ${act}: longest ${what} meanwhile : of another tenant`, longest / Math.max(other, shortWait), 3, {
        detail: `${longest.toFixed(1)} s; ${other.toFixed(1)} s, ${waits[kind].length} in ${seconds.toFixed(0)} s`,
      });
    }
    const [dead, fewer] = [large, base].map(({ rules }) => rules[act].dead);
    add(`rules ${act}: dead rows for each person, and one`, (dead + 1) / (fewer + 1), 1.2, {
      detail: `${dead.toFixed(2)}; ${fewer.toFixed(2)}`,
    });
  }
  if (small) {
    const detail = `${small.beside.toFixed(1)} s; ${small.alone.toFixed(1)} s, ${small.count} beside`;
    add('first run of a small tenant, beside the import : alone', small.beside / small.alone, 3, { detail });
    const rates = [small.together, small.without];
    add('records/s of all, with small tenants : without', rates[0] / rates[1], 0.95, {
      atLeast: true,
      detail: rates.map(Math.round).join('; '),
    });
  } else process.stdout.write(`small tenants are measured from ${enoughForSmall} people on\n`);
  for (const [path, { blocks, counted }] of large.counts)
    add(`blocks of ${path} : counted rows`, blocks / (blocksOfRequest + counted), 1, {
      detail: `${blocks}; ${counted} counted`,
    });
  add('counts that differ from the database', large.wrong + base.wrong, 0);
  for (const [name, { found, expected, perRarest }] of Object.entries(large.searches)) {
    add(`${name}: found of all`, found / expected, 1, { atLeast: true, detail: `${found}; ${expected}` });
    addSame(`${name}: blocks for each item of the rarest filter`, perRarest, base.searches[name].perRarest, levelMore);
  }
  add('records per CPU second, release of a held run : import', large.releaseRate / large.importRate, 1, {
    atLeast: true,
    detail: `${large.releaseRate.toFixed(0)}; ${large.importRate.toFixed(0)}`,
  });
  add(
    'seconds until no record waits for fuzzy matching : import',
    large.matching.seconds / large.matching.imported,
    1,
    {
      detail: `${large.matching.seconds.toFixed(0)} s; ${large.matching.waiting} waiting at the end`,
    },
  );
  add(
    'seconds until leavers with accounts are findings : pass and pause',
    large.findings.seconds / large.findings.allowed,
    1,
    {
      detail: `${large.findings.seconds.toFixed(0)} s; ${large.findings.allowed.toFixed(0)} s`,
    },
  );
  for (const [path, blocks] of large.lists) addSame(`blocks for each item of ${path}`, blocks, base.lists.get(path), 2);
  addSame('export: bytes for each person', large.exported.bytes, base.exported.bytes, 1.2);
  addSame('export: blocks for each person', large.exported.blocks, base.exported.blocks, 1.2);
  addSame('export: CPU ms for each person', large.exported.cpu, base.exported.cpu, 1.3);
  addSame('import: CPU ms for each person', 1_000 / large.importRate, 1_000 / base.importRate, 1.3);
  addSame('WAL bytes for each person of the imports', large.space.wal, base.space.wal, 1.2);
  addSame('disk bytes for each person of the imports', large.space.disk, base.space.disk, 1.2);
}

/** Creates a tenant of this size and returns its figures. */
async function measure(bench, name, size, { small = [], control } = {}) {
  const { services, admin, folder, receiver } = bench;
  const path = join(folder, name);
  const writing = [writeHr(path, size), writeAccounts(path, size), writeMachines(path, size), writeFew(path, 0)];
  await Promise.all(writing);
  const { id: tenant } = await services.operator('POST', '/tenants', { name });
  const connectors = {};
  for (const [each, body] of Object.entries(connectorsOf(name)))
    connectors[each] = (await services.operator('POST', `/tenants/${tenant}/connectors`, body)).id;
  const webhook = { callback_url: receiver.url, events: ['sync.*', 'finding.*'] };
  await services.operator('POST', `/tenants/${tenant}/webhooks`, webhook);
  const subject = { ...bench, name, path, size, tenant, id: decodeId('tenant', tenant), connectors };

  const space = await spaceOf(admin);
  progress(name, 'imports');
  const imported = await timed(subject, 'directory', () => services.sync(tenant, connectors.hr));
  const afterUsers = await matched(subject);
  // Without statistics of the connector of the accounts, as long as its first import is not analysed.
  await admin.query('analyze');
  await analysing(admin, false);
  const beside = small.length > 0 && size >= enoughForSmall;
  const figures = { importRate: size / imported.cpu };
  const accounts = services.sync(tenant, connectors.accounts);
  if (beside) figures.small = await besideImport(subject, accounts, small);
  const { seconds } = await accounts;
  const findingsFrom = performance.now();
  const afterAccounts = await matched(subject);
  figures.matching = {
    seconds: afterUsers.seconds + afterAccounts.seconds,
    imported: imported.seconds + seconds,
    waiting: `${afterUsers.waiting} and ${afterAccounts.waiting}`,
  };
  await services.sync(tenant, connectors.machines);
  await services.sync(tenant, connectors.few);
  await admin.query('checkpoint');
  const after = await spaceOf(admin);
  figures.space = { wal: (after.wal - space.wal) / size, disk: (after.disk - space.disk) / size };

  progress(name, 'findings');
  figures.findings = await findingsOpen(subject, findingsFrom);
  progress(name, 'look-ups');
  figures.lookUps = await lookUps(subject);
  progress(name, 'reads');
  Object.assign(figures, await counts(subject));
  figures.searches = await searches(subject);
  figures.lists = await findingLists(subject);
  figures.exported = await exported(subject);
  progress(name, 'rules');
  figures.rules = await rules(subject, control);
  progress(name, 'held run');
  figures.releaseRate = await releaseRate(subject);
  return { figures, subject };
}

function progress(name, part) {
  process.stdout.write(`${new Date().toISOString().slice(11, 19)} ${name}: ${part}\n`);
}

/** Returns the CPU seconds of a service and of PostgreSQL; the others mainly poll. */
async function used({ services, folder }, service) {
  const seconds = await servicesSeconds(services, folder);
  return seconds[[...services.children.keys()].indexOf(service)] + seconds.at(-1);
}

/** Returns the seconds and CPU seconds of `work`, and its result. */
async function timed(subject, service, work) {
  const [before, began] = [await used(subject, service), performance.now()];
  const result = await work();
  return { seconds: (performance.now() - began) / 1_000, cpu: (await used(subject, service)) - before, result };
}

async function spaceOf(admin) {
  const { rows } = await admin.query(
    `select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 as wal, pg_database_size(current_database())::float8 as disk`,
  );
  return rows[0];
}

async function analysing(admin, isOn) {
  await admin.query(`alter system set autovacuum_analyze_threshold = ${isOn ? 50 : 2_000_000_000}`);
  await admin.query('select pg_reload_conf()');
}

async function countOf({ admin, id }, from, where = 'true') {
  const { rows } = await admin.query(`select count(*)::int as count from ${from} where tenant_id = $1 and ${where}`, [
    id,
  ]);
  return rows[0].count;
}

/** Waits until no record waits for fuzzy matching; returns the seconds, and how many were waiting. */
async function matched(subject) {
  const began = performance.now();
  const waiting = await countOf(subject, 'match_queue');
  for (let left = waiting; left > 0; left = await countOf(subject, 'match_queue')) await pause(200);
  return { waiting, seconds: (performance.now() - began) / 1_000 };
}

async function smallTenant({ services, folder }, n) {
  const path = `small${n}.csv`;
  await writePeople(join(folder, path), smallPeople);
  const { id: tenant } = await services.operator('POST', '/tenants', { name: path });
  const config = { ...peopleConnector.config, path };
  const { id: connector } = await services.operator('POST', `/tenants/${tenant}/connectors`, {
    ...peopleConnector,
    config,
  });
  return () => services.sync(tenant, connector);
}

/** Imports small tenants, each after a pause as long as it took, until the import has ended. */
async function besideImport(subject, importing, small) {
  let runs = true;
  importing.then(
    () => (runs = false),
    () => (runs = false),
  );
  const applied = () => appliedRecords(subject);
  const totals = { with: { seconds: 0, records: 0 }, without: { seconds: 0, records: 0 } };
  const during = async (total, work, others) => {
    const [before, began] = [await applied(), performance.now()];
    await work();
    // The last moments of the import have less work than processes.
    if (!runs) return;
    total.seconds += (performance.now() - began) / 1_000;
    total.records += (await applied()) - before + others;
  };
  const times = [];
  await pause(3_000);
  for (const imports of small.slice(alone)) {
    await during(
      totals.with,
      async () => {
        const { seconds } = await imports();
        if (runs) times.push(seconds);
      },
      smallPeople,
    );
    if (!runs) break;
    await during(totals.without, () => pause(1_000 * median(times)), 0);
  }
  await importing;
  const lonely = [];
  for (const imports of small.slice(0, alone)) lonely.push((await imports()).seconds);
  const rate = ({ records, seconds }) => records / seconds;
  return {
    beside: median(times),
    alone: median(lonely),
    count: times.length,
    together: rate(totals.with),
    without: rate(totals.without),
  };
}

async function appliedRecords({ admin, id }) {
  const { rows } = await admin.query(
    `select coalesce(sum(records_applied), 0)::int as applied from sync_jobs where tenant_id = $1`,
    [id],
  );
  return rows[0].applied;
}

/** Waits until all leavers with accounts are findings, at most twice as long as a pass and the pause before it. */
async function findingsOpen(subject, from) {
  const { admin, id, size } = subject;
  // No account is matched by the employee number 0.
  const expected = Math.ceil(size / leaverEvery) - 1;
  for (;;) {
    const open = await countOf(subject, 'findings', `kind = 'leaver_with_account' and state = 'open'`);
    const seconds = (performance.now() - from) / 1_000;
    const { rows } = await admin.query('select spent_ms::float8 as spent from finding_passes where tenant_id = $1', [
      id,
    ]);
    // The pass that finds them has a pause before it, nine times as long as the work of the one before.
    const allowed = (10 * (rows[0]?.spent ?? 0)) / 1_000 + dueInterval;
    if (open >= expected || seconds > 2 * allowed + dueInterval) return { seconds, allowed };
    await pause(500);
  }
}

/**
 * Returns the blocks for each record of comparing the accounts, and for each call of the look-up that differs most, in
 * runs that change some accounts, before and after PostgreSQL has analysed a table with this connector.
 */
async function lookUps(subject) {
  const { admin, blocks, services, tenant, connectors, path, size } = subject;
  const runs = [];
  for (const isAnalysed of [false, true]) {
    if (isAnalysed) await admin.query('analyze');
    await writeAccounts(path, size, (n) => !isAnalysed && n % changedEvery === 0);
    runs.push(await blocks.byStatement('directory', () => services.sync(tenant, connectors.accounts)));
  }
  await analysing(admin, true);
  return {
    compare: runs.map((each) => blocksOf(each, (text) => text.includes('with compared as materialized')) / size),
    worst: worstOf(runs, size),
  };
}

/** Returns the blocks for each call of the look-up by many keys that needs most more in the first run. */
function worstOf([first, second], size) {
  const worst = { ratio: 0, calls: [], text: '' };
  for (const [text, { calls, blocks }] of first) {
    const other = second.get(text);
    // Both runs have the same batches; other work of the directory has other numbers of calls.
    const isOfBatches = calls === other?.calls && calls >= size / recordsOfBatch;
    if (!isOfBatches || !lookUp.test(text) || blocks < size / changedEvery) continue;
    const ratio = blocks / other.blocks;
    if (ratio > worst.ratio) Object.assign(worst, { ratio, calls: [blocks / calls, other.blocks / calls], text });
  }
  if (worst.ratio === 0) throw new Error('no look-up was executed by both runs');
  return worst;
}

/** Returns the blocks of the numbers of the console, and how many of them differ from the database. */
async function counts(subject) {
  const { services, blocks, tenant } = subject;
  const found = new Map();
  const get = (path) => services.operator('GET', `/tenants/${tenant}${path}`);
  let wrong = 0;
  for (const path of [
    '/findings/counts',
    '/webhooks',
    '/activity',
    '/cases?status=open&limit=5',
    '/identities?limit=1',
    '/sync-jobs?status=quarantined&limit=5',
  ]) {
    let body;
    const read = await blocks.ofRequest(async () => {
      body = await get(path);
    });
    found.set(path, { blocks: read, counted: countedRows(path, body) });
    if (path === '/findings/counts')
      for (const { kind, count, exact } of body.data)
        if (exact && count !== (await countOf(subject, 'findings', `kind = '${kind}' and state = 'open'`))) wrong += 1;
    if (path.startsWith('/identities') && body.total !== (await countOf(subject, 'identities', `status <> 'deleted'`)))
      wrong += 1;
  }
  return { counts: found, wrong };
}

/** Returns how many rows had to be read for the counts. */
function countedRows(path, body) {
  if (path === '/findings/counts') return sum(body.data.map(({ count }) => count));
  if (path === '/webhooks') return sum(body.data.flatMap(({ pending, dead }) => [pending.count, dead.count]));
  // A binary search of the first event of each hour, with the blocks of an index and a row for each step.
  if (path === '/activity')
    return body.hours.length * Math.ceil(Math.log2(1 + sum(body.hours.map(({ events }) => events)))) * blocksOfLookUp;
  return path.startsWith('/cases') || path.startsWith('/sync-jobs') ? body.total : 0;
}

/** Reads all pages of filtered lists. */
async function searches(subject) {
  const { size, blocks, services, tenant } = subject;
  const { department, city, building, every, first } = common;
  // Of a cost center with all of its people.
  const n = size - 2 * ofCostCenter;
  const rare = { 'attributes.cost_center': `C${Math.floor(n / ofCostCenter)}` };
  const cases = {
    'a rare filter and a common one': {
      filters: { ...rare, 'attributes.city': `City ${n % 13}` },
      expected: countBelow(
        size,
        (each) => Math.floor(each / ofCostCenter) === Math.floor(n / ofCostCenter) && each % 13 === n % 13,
      ),
      rarest: ofCostCenter,
    },
    'a name and a common filter': {
      filters: { q: `First${n}`, department: `Department ${n % 41}` },
      expected: 1,
      rarest: 1,
    },
    'three common filters': {
      filters: { department, 'attributes.city': city, 'attributes.building': building },
      expected: countBelow(size, (each) => each % every === first),
      rarest: size / 41,
    },
  };
  const figures = {};
  for (const [name, { filters, expected, rarest }] of Object.entries(cases)) {
    let found;
    const read = await blocks.ofRequest(async () => {
      found = 0;
      for (let cursor = ''; cursor !== undefined; ) {
        const query = new URLSearchParams({ ...filters, limit: '200', cursor });
        const page = await services.operator('GET', `/tenants/${tenant}/users?${query}`);
        found += page.data.length;
        cursor = page.next_cursor;
      }
    });
    figures[name] = { found, expected, perRarest: read / rarest };
  }
  return figures;
}

function countBelow(size, isCounted) {
  let count = 0;
  for (let n = 0; n < size; n += 1) if (isCounted(n)) count += 1;
  return count;
}

/** Returns the blocks for each item of the first page of findings without a kind. */
async function findingLists({ blocks, services, tenant }) {
  const lists = new Map();
  for (const path of ['/findings?limit=50', '/findings?limit=50&state=open']) {
    const get = () => services.operator('GET', `/tenants/${tenant}${path}`);
    let items = 0;
    const read = await blocks.ofRequest(async () => {
      items = (await get()).data.length;
    });
    lists.set(path, read / items);
  }
  return lists;
}

/** Returns the bytes, the blocks of the gateway and the CPU milliseconds of an export for each person. */
async function exported(subject) {
  const { services, blocks, tenant, size } = subject;
  let bytes = 0;
  let statements;
  const { cpu } = await timed(subject, 'gateway', async () => {
    statements = await blocks.byStatement('gateway', async () => {
      const headers = { authorization: `Bearer ${services.adminToken}` };
      const { body } = await fetch(`${services.base}/admin/v1/tenants/${tenant}/export`, { headers });
      for await (const chunk of body) bytes += chunk.length;
    });
  });
  return { bytes: bytes / size, blocks: blocksOf(statements) / size, cpu: (1_000 * cpu) / size };
}

/** Previews and sets the matching rules, with small runs and erasures in this tenant and in another meanwhile. */
async function rules(subject, control) {
  const { services, tenant, size } = subject;
  const path = `/tenants/${tenant}/matching-rules`;
  const current = await services.operator('GET', path);
  const { certain, weak, keys, several_employments } = current.rules ?? current;
  const changed = {
    certain,
    weak,
    keys,
    several_employments,
    stop_values: [{ field: 'email', values: ['nobody@example.org'] }],
  };
  const figures = {};
  const subjects = control ? [subject, control] : [subject];
  const before = await deadRows(subject);
  for (let nth = 0; nth < calmRounds; nth += 1) await roundOf(...subjects);
  let dead = await deadRows(subject);
  const ofRound = (dead - before) / calmRounds;
  for (const [act, method, to] of [
    ['preview', 'POST', `${path}/preview`],
    ['set', 'PUT', path],
  ]) {
    const began = performance.now();
    const { operation_id: id } = await services.operator(method, to, changed);
    // A change of rules is first computed like a preview, and refused if too many records change meanwhile.
    if (act === 'set') await operationEnd(subject, id, ['queued']);
    const rounds = [];
    let runs = true;
    const done = operationEnd(subject, id).finally(() => {
      runs = false;
    });
    while (runs && rounds.length < mostRounds) rounds.push(await roundOf(...subjects));
    const { status, result } = await done;
    if (status !== 'done') throw new Error(`the ${act} of rules ended as ${status}: ${JSON.stringify(result)}`);
    const seconds = (performance.now() - began) / 1_000;
    const left = (await deadRows(subject)) - dead;
    const [waits, others] = subjects.map((_, nth) => ({
      batch: rounds.map((each) => each[nth].batch),
      erasure: rounds.map((each) => each[nth].erasure),
    }));
    figures[act] = { waits, others, seconds, dead: (left - ofRound * rounds.length) / size };
    dead += left;
  }
  return figures;
}

/** Runs a small change and an erasure in both tenants at the same time, so that they have the same load; returns their seconds. */
function roundOf(...subjects) {
  return Promise.all(
    subjects.map(async (subject) => {
      const { services, tenant, connectors, path } = subject;
      subject.round = (subject.round ?? 0) + 1;
      await writeFew(path, subject.round);
      const { seconds: batch } = await services.sync(tenant, connectors.few);
      return { batch, erasure: await eraseSeconds(subject, nextErased(subject)) };
    }),
  );
}

/** Returns the number of a person who has not left. */
function nextErased(subject) {
  let number = (subject.erased ?? 10) + 1;
  while (number % leaverEvery === 0 || number % deletedEvery === 0) number += 1;
  subject.erased = number;
  return number;
}

async function eraseSeconds(subject, number) {
  const { services, tenant } = subject;
  const { data } = await services.operator('GET', `/tenants/${tenant}/identities?employee_number=${number}`);
  const began = performance.now();
  const { operation_id: id } = await services.operator('POST', `/tenants/${tenant}/identities/${data[0].id}/erase`, {});
  await operationEnd(subject, id);
  return (performance.now() - began) / 1_000;
}

/** Waits until an operation has another status than these. */
async function operationEnd({ services, tenant }, id, statuses = ['queued', 'running']) {
  for (;;) {
    const operation = await services.operator('GET', `/tenants/${tenant}/operations/${id}`);
    if (!statuses.includes(operation.status)) return operation;
    await pause(50);
  }
}

/** Returns how many dead rows all statements so far have left, vacuumed or not. */
async function deadRows({ admin }) {
  // Connections report their counts after some seconds without work.
  await pause(12_000);
  const { rows } = await admin.query('select sum(n_tup_upd + n_tup_del)::float8 as dead from pg_stat_user_tables');
  return rows[0].dead;
}

/** Releases a run that deletes a third of the people. Returns its deletions for each CPU second. */
async function releaseRate(subject) {
  const { services, tenant, connectors, path, size } = subject;
  await writeHr(path, size, (n) => n % deletedEvery !== 0);
  const jobs = `/tenants/${tenant}/sync-jobs`;
  const { job_id: id } = await services.operator('POST', jobs, { connector_id: connectors.hr });
  const { job } = await services.jobEnd(tenant, id);
  if (job.status !== 'quarantined') throw new Error(`the run that deletes a third was not held: ${job.status}`);
  const { cpu, result } = await timed(subject, 'directory', async () => {
    await services.operator('POST', `${jobs}/${id}/release`, { reason: 'bench' });
    return services.jobEnd(tenant, id, { statuses: ['queued', 'running', 'quarantined'] });
  });
  if (result.job.status !== 'completed') throw new Error(`the released run ended as ${result.job.status}`);
  return result.job.records_deleted / cpu;
}
