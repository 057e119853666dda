// `npm run test:compose`: the stack of docker-compose.yml as a developer starts it. Builds it, syncs people through it, kills each
// container in the middle of the work, runs several of each service, and looks that nothing is lost and nothing done twice. All of it
// is taken down in the end. Needs Docker with Compose 2.26 or newer; takes about five minutes.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from './client.mjs';
import { Ledger } from './ledger.mjs';
import { People } from './people.mjs';
import { Stack } from './stack.mjs';

const services = ['gateway', 'directory', 'sync-worker', 'webhook-dispatcher'];
const busyDeliveries = `select count(*) > 1000 and count(*) filter (where lease_until > now()) > 0
  from webhook_deliveries where status = 'pending'`;
const started = Date.now();

function say(text) {
  process.stdout.write(`${((Date.now() - started) / 1_000).toFixed(1).padStart(6)} s  ${text}\n`);
}

async function timed(what, work) {
  const from = Date.now();
  const result = await work();
  say(`${what} (${((Date.now() - from) / 1_000).toFixed(1)} s)`);
  return result;
}

const stack = await Stack.create();
let removing;
const remove = () => {
  removing ??= stack.remove();
  return removing;
};
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void remove().finally(() => process.exit(1)));

try {
  await run();
  say('everything is as it must be');
} catch (error) {
  process.exitCode = 1;
  say(`FAILED: ${error.stack}`);
  process.stdout.write(`${await stack.compose('ps', '-a').catch(String)}\n`);
  process.stdout.write(`${await stack.compose('logs', '--tail', '20').catch(String)}\n`);
} finally {
  await timed('taken down, volumes too', remove);
}

async function run() {
  await timed('images built', () => stack.build());
  await tellSizes();
  await timed('up and healthy', () => stack.up());
  await isContained();

  const world = await firstPass();
  await hasOwnLogins();
  for (const victim of [...services, 'postgres', 'rabbitmq']) await killDuringSync(world, victim);

  const scale = { gateway: 2, directory: 3, 'sync-worker': 2, 'webhook-dispatcher': 3 };
  await timed(`scaled to ${JSON.stringify(scale)}`, () => stack.up(scale));
  await manyAtOnce(world);
  await killOneOfEach(world, scale);
  await stopGently(world);
  await nothingGivenUp();
}

async function tellSizes() {
  for (const image of [...services, 'migrate', 'cli', 'proxy']) {
    const [{ Size }] = JSON.parse(await stack.docker('image', 'inspect', `idsync/${image}:test`));
    say(`idsync/${image}: ${Math.round(Size / 1e6)} MB`);
  }
}

/** No rights, nothing to write to, and nothing in it that does not belong there. */
async function isContained() {
  for (const service of services) {
    const found = await stack.inside(
      service,
      'sh',
      '-c',
      'id -u; touch /app/x 2>&1; grep -E "CapEff|NoNewPrivs" /proc/self/status; ls -d /app/node_modules/*embedded* /app/node_modules/typescript 2>&1 || true',
    );
    assert.match(found, /^10001\n.*Read-only file system\nCapEff:\s0+\nNoNewPrivs:\s1\n/, `${service}: ${found}`);
    assert.equal(found.match(/No such file/g)?.length, 2, `${service}: ${found}`);
  }
  say('contained: user 10001, read-only, no capabilities');
}

/** Each service is known to PostgreSQL by its own login. */
async function hasOwnLogins() {
  const logins = await stack.sql(
    "select string_agg(distinct usename || '=' || application_name, ' ' order by usename || '=' || application_name) from pg_stat_activity where usename like 'idsync%'",
  );
  assert.equal(
    logins,
    ['directory', 'gateway', 'sync_worker', 'webhook_dispatcher'].map((s) => `idsync_${s}=idsync_${s}`).join(' '),
  );
  say('each service has its own login');
}

/** A tenant, its connectors and a webhook; everybody arrives, and every event at the receiver. */
async function firstPass() {
  const people = new People(stack.folder, 2_000);
  await people.change({});
  const operator = new Client(stack.url, { authorization: `Bearer ${stack.secrets.ADMIN_TOKEN}` });
  const tenant = await operator.post('/admin/v1/tenants', { name: 'Compose' });
  const at = `/admin/v1/tenants/${tenant.id}`;
  const { key } = await operator.post(`${at}/api-keys`, { name: 'test' });
  const client = new Client(stack.url, { 'x-api-key': key });
  const { signing_secret: secret } = await client.post('/v1/webhooks', {
    callback_url: 'http://recorder:4000/',
    events: ['*'],
  });
  const ledger = new Ledger({ client, recorderUrl: stack.recorderUrl, secret });
  const connectors = [];
  for (const body of people.connectors()) connectors.push((await operator.post(`${at}/connectors`, body)).id);
  const world = { people, client, ledger, connectors };

  const jobs = await timed('first sync', () => syncAll(world));
  assert.deepEqual(
    jobs.map((job) => job.status),
    ['completed', 'completed'],
  );
  await settled(world, 'after the first sync', { repeats: 0 });

  const { default: ldap } = await import('../../docker/ldap/connector.json', { with: { type: 'json' } });
  const body = { ...ldap, secrets: { bind_password: stack.secrets.LDAP_PASSWORD } };
  const directory = await operator.post(`${at}/connectors`, body);
  const job = await client.jobEnd(await trigger(world, directory.id));
  const { status, records_applied } = await operator.get(`${at}/sync-jobs/${job.job_id}`);
  assert.deepEqual([status, records_applied], ['completed', 13]);
  say('the LDAP server of --profile sources was read: 13 accounts');
  await settled(world, 'after LDAP', { repeats: 0 });
  return world;
}

async function trigger({ client }, connectorId) {
  const body = { connector_id: connectorId, idempotency_key: randomUUID() };
  return (await client.post('/v1/sync/trigger', body)).job_id;
}

async function syncAll(world) {
  const ids = await Promise.all(world.connectors.map((connector) => trigger(world, connector)));
  return Promise.all(ids.map((id) => world.client.jobEnd(id)));
}

/** The directory has everybody once; the receiver has every event; `repeats` more deliveries than events at the most, if told. */
async function settled(world, when, { repeats = Number.POSITIVE_INFINITY } = {}) {
  const { people, client, ledger } = world;
  const before = ledger.repeats;
  const { events } = await ledger.settle();
  const mails = [];
  let total = 0;
  for (let offset = 0; offset === 0 || offset < total; offset += 200) {
    const page = await client.get(`/v1/users?limit=200&offset=${offset}`);
    total = page.total;
    mails.push(...page.data.map((user) => user.email));
  }
  assert.deepEqual(mails.sort(), people.mails().sort(), 'the users are not those of the file');
  const identities = await client.get('/v1/identities?limit=1');
  assert.equal(identities.total, people.count, 'the identities are not the people');
  const more = ledger.repeats - before;
  assert.ok(more <= repeats, `${more} deliveries came twice`);
  say(`${when}: ${total} users, ${identities.total} identities, ${events} events delivered, ${more} of them again`);
}

async function killDuringSync(world, victim) {
  await world.people.change({ joining: 25, changing: 1_000 });
  const ids = await Promise.all(world.connectors.map((connector) => trigger(world, connector)));
  await underWay(world, ids[0], victim);
  await stack.kill(victim);
  const from = Date.now();
  const jobs = await Promise.all(ids.map((id) => world.client.jobEnd(id)));
  assert.deepEqual(
    jobs.map((job) => job.status),
    ['completed', 'completed'],
    JSON.stringify(jobs),
  );
  say(`killed ${victim}: the jobs completed ${((Date.now() - from) / 1_000).toFixed(1)} s later`);
  await isBack(victim);
  await settled(world, `after the kill of ${victim}`);
}

/** Until the job runs; for the dispatcher, until it has a thousand deliveries before it and is at it. */
async function underWay({ client }, jobId, victim) {
  const look =
    victim === 'webhook-dispatcher'
      ? async () => (await stack.sql(busyDeliveries)) === 't'
      : async () => (await client.get(`/v1/sync/jobs/${jobId}`)).status !== 'queued';
  for (const end = Date.now() + 60_000; !(await look()); await pause(20)) {
    assert.ok(Date.now() < end, `nothing was under way for ${victim} to die of`);
  }
}

/** Started again by its policy, not by us. */
async function isBack(service) {
  for (let look = 0; look < 300; look += 1, await pause(200)) {
    const containers = await stack.containers(service);
    const back = containers.every(({ State }) => State.Running && (State.Health?.Status ?? 'healthy') === 'healthy');
    if (back && containers.some(({ RestartCount }) => RestartCount > 0)) return;
  }
  throw new Error(`${service} was not started again`);
}

/** Several jobs beside each other, several of each service, nobody dies: everything exactly once. */
async function manyAtOnce(world) {
  for (let round = 1; round <= 2; round += 1) {
    await world.people.change({ joining: 25, changing: 1_000 });
    const jobs = await timed(`scaled, sync ${round}`, () => syncAll(world));
    assert.deepEqual(
      jobs.map((job) => job.status),
      ['completed', 'completed'],
    );
    await settled(world, `scaled, after sync ${round}`, { repeats: 0 });
  }
}

async function killOneOfEach(world, scale) {
  await world.people.change({ joining: 25, changing: 1_000 });
  const ids = await Promise.all(world.connectors.map((connector) => trigger(world, connector)));
  await underWay(world, ids[0]);
  await Promise.all(Object.keys(scale).map((service) => stack.kill(service, scale[service])));
  const jobs = await Promise.all(ids.map((id) => world.client.jobEnd(id)));
  assert.deepEqual(
    jobs.map((job) => job.status),
    ['completed', 'completed'],
    JSON.stringify(jobs),
  );
  say('killed one of each: the jobs completed');
  for (const service of services) await isBack(service);
  await settled(world, 'scaled, after the kill of one of each');
}

/** SIGTERM in the middle of the work: each ends with 0 before it would be killed, and the work goes on afterwards. */
async function stopGently(world) {
  await world.people.change({ joining: 25, changing: 1_000 });
  const ids = await Promise.all(world.connectors.map((connector) => trigger(world, connector)));
  await underWay(world, ids[0]);
  await timed('stopped in the middle of the work', () => stack.compose('stop', ...services));
  const ends = (await stack.containers(...services)).map(({ Name, State }) => [Name, State.ExitCode]);
  assert.deepEqual(
    ends.filter(([, code]) => code !== 0),
    [],
    'ended with another code than 0',
  );
  await timed('started again', () => stack.compose('start', ...services));
  const jobs = await Promise.all(ids.map((id) => world.client.jobEnd(id)));
  assert.deepEqual(
    jobs.map((job) => job.status),
    ['completed', 'completed'],
    JSON.stringify(jobs),
  );
  say('the jobs completed');
  await settled(world, 'after the stop', { repeats: 0 });
}

async function nothingGivenUp() {
  const queues = await stack.inside(
    'rabbitmq',
    'rabbitmqctl',
    '-q',
    '--no-table-headers',
    'list_queues',
    'name',
    'messages',
  );
  const dead = queues.split('\n').filter((line) => /\.dead\s+[1-9]/.test(line));
  assert.deepEqual(dead, [], 'messages were given up');
  const twice = await stack.sql(
    "select count(*) from (select 1 from webhook_attempts where outcome = 'delivered' group by delivery_id having count(*) > 1) as twice",
  );
  assert.equal(twice, '0', 'deliveries succeeded twice');
  const unknown = await stack.sql("select count(*) from webhook_attempts where outcome = 'unknown'");
  say(`no message was given up, no delivery succeeded twice; ${unknown} attempts were cut off by a kill`);
}
