// `npm run test:compose`: tests the stack of docker-compose.yml. Builds it, syncs people, uses the console in a browser,
// kills each container during work, scales every service up and down, recreates everything, and checks that nothing is
// lost or done twice. Removes everything at the end. Needs Docker with Compose 2.26 or newer; takes about ten minutes.
import assert from 'node:assert/strict';
import { isUsable } from './console.mjs';
import { isQuiet, observe, seesAll } from './observed.mjs';
import { say, timed } from './say.mjs';
import { Stack } from './stack.mjs';
import { until, World } from './world.mjs';

const services = ['gateway', 'directory', 'sync-worker', 'webhook-dispatcher'];
const workers = services.slice(1);
const many = { gateway: 2, directory: 3, 'sync-worker': 3, 'webhook-dispatcher': 3 };
const one = { gateway: 1, directory: 1, 'sync-worker': 1, 'webhook-dispatcher': 1 };

const stack = await Stack.create();
let removing;
const remove = () => {
  removing ??= stack.remove();
  return removing;
};
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void remove().finally(() => process.exit(1)));

try {
  await run();
  say('all checks passed');
} catch (error) {
  process.exitCode = 1;
  say(`FAILED: ${error.stack}`);
  process.stdout.write(`${await stack.compose('ps', '-a').catch(String)}\n`);
  process.stdout.write(`${await stack.compose('logs', '--tail', '20').catch(String)}\n`);
} finally {
  await timed('removed with volumes', remove);
}

async function run() {
  await timed('images built', () => stack.build());
  await tellSizes();
  await timed('up and healthy', () => stack.up());
  await isContained();

  const world = await firstPass();
  await isUsable(world);
  await world.settled('after the run that the console started', { repeats: 0 });
  await hasOwnLogins();
  for (const victim of [...services, 'proxy', 'postgres', 'rabbitmq']) await killDuringSync(world, victim);
  await withoutBroker(world);

  await scaleWhileWorking(world, many);
  const observed = await timed('the observability profile started', () => observe(stack));
  await manyAtOnce(world);
  if (observed) await seesAll(stack, many);
  await killOneOfEach(world);
  await scaleWhileWorking(world, one);
  if (observed) await seesAll(stack, one);
  if (observed) await isQuiet(stack);
  await upAgain();
  await downAndUp(world);
  await nothingGivenUp();
}

async function tellSizes() {
  for (const image of [...services, 'migrate', 'cli', 'proxy']) {
    const [{ Size }] = JSON.parse(await stack.docker('image', 'inspect', `idsync/${image}:test`));
    say(`idsync/${image}: ${Math.round(Size / 1e6)} MB`);
  }
}

/** Checks that the containers have no privileges, no writable files, and no development packages. */
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

/** Checks that each service uses its own PostgreSQL login. */
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

/** Checks that all people are synced and all events delivered, then syncs accounts of the LDAP server. */
async function firstPass() {
  const world = await World.create(stack);
  await timed('first sync', async () => world.completed(await world.trigger(...world.connectors)));
  await world.settled('after the first sync', { repeats: 0 });

  const { default: ldap } = await import('../../docker/ldap/connector.json', { with: { type: 'json' } });
  const connector = await world.connect({ ...ldap, secrets: { bind_password: stack.secrets.LDAP_PASSWORD } });
  const [job] = await world.trigger(connector);
  await world.completed([job]);
  const { records_applied } = await world.operator.get(`${world.path}/sync-jobs/${job}`);
  assert.equal(records_applied, 13);
  say('the LDAP server of --profile sources was read: 13 accounts');
  await world.settled('after LDAP', { repeats: 0 });
  return world;
}

async function killDuringSync(world, victim) {
  const ofDeliveries = victim === 'webhook-dispatcher';
  if (ofDeliveries) await recorder('/hold');
  const jobs = await world.begin();
  // The dispatcher is killed while unanswered deliveries are in flight.
  if (ofDeliveries) await until(async () => (await recorder('/held')) > 0, 'no delivery was in flight');
  else await world.waitUntilRunning(jobs[0]);
  await stack.kill(victim);
  if (ofDeliveries) await recorder('/release');
  await timed(`killed ${victim}: the jobs completed`, () => world.completed(jobs));
  await isBack(victim);
  const again = await world.settled(`after the kill of ${victim}`, resultUnknown(victim) ? {} : { repeats: 0 });
  if (ofDeliveries) assert.ok(again > 0, 'interrupted deliveries were not repeated');
}

/** Deliveries in flight when one of these dies are repeated with the same id, because their result is unknown. */
function resultUnknown(victim) {
  return ['webhook-dispatcher', 'postgres'].includes(victim);
}

async function recorder(path) {
  return (await fetch(`${stack.recorderUrl}${path}`)).json();
}

/** Waits for the restart by the container's restart policy. */
async function isBack(service) {
  await until(
    async () => {
      const containers = await stack.containers(service);
      const back = containers.every(({ State }) => State.Running && (State.Health?.Status ?? 'healthy') === 'healthy');
      return back && containers.some(({ RestartCount }) => RestartCount > 0);
    },
    `${service} was not restarted`,
    { seconds: 90 },
  );
}

/**
 * Without the broker, the gateway accepts requests, the workers report unhealthy, and nothing is restarted. Afterwards
 * all work is done.
 */
async function withoutBroker(world) {
  const restarts = async () => (await stack.containers(...services)).map(({ RestartCount }) => RestartCount);
  const before = await restarts();
  const are =
    (status, ...names) =>
    async () =>
      (await stack.health(...names)).every((each) => each === status);
  await stack.compose('stop', 'rabbitmq');
  const jobs = await world.begin();
  await timed('without the broker: the workers are unhealthy', () =>
    until(are('unhealthy', ...workers), 'the workers did not become unhealthy', { seconds: 120 }),
  );
  assert.deepEqual(await stack.health('gateway', 'proxy'), ['healthy', 'healthy']);
  assert.equal((await world.client.get('/v1/identities?limit=1')).total, world.people.count - 25);
  await stack.compose('start', 'rabbitmq');
  await timed('after the broker outage: all are healthy', () =>
    until(are('healthy', ...services), 'the workers did not become healthy', { seconds: 120 }),
  );
  assert.deepEqual(await restarts(), before, 'services were restarted during the broker outage');
  await world.completed(jobs);
  await world.settled('after a broker outage', { repeats: 0 });
}

/** Runs several jobs concurrently on several replicas without a kill: everything happens exactly once. */
async function manyAtOnce(world) {
  for (let round = 1; round <= 2; round += 1) {
    await timed(`scaled, sync ${round}`, async () => world.completed(await world.begin()));
    await world.settled(`scaled, after sync ${round}`, { repeats: 0 });
  }
}

async function killOneOfEach(world) {
  const jobs = await world.begin();
  await world.waitUntilRunning(jobs[0]);
  await Promise.all(services.map((service) => stack.kill(service, many[service])));
  await timed('killed one of each: the jobs completed', () => world.completed(jobs));
  for (const service of services) await isBack(service);
  await world.settled('scaled, after the kill of one of each');
}

/**
 * Scales up, then down to one replica each while syncs run: work in progress is finished by its replica or by another
 * one.
 */
async function scaleWhileWorking(world, scale) {
  let scaled = false;
  const scaling = stack.up(scale).finally(() => {
    scaled = true;
  });
  let syncs = 0;
  await timed(`${JSON.stringify(scale)} while syncs run`, async () => {
    for (; !scaled; syncs += 1) await world.completed(await world.begin());
    await scaling;
  });
  await world.settled(`scaled during ${syncs} syncs`, { repeats: 0 });
}

/** Checks that an unchanged stack is not recreated. */
async function upAgain() {
  const made = async () => (await stack.containers(...services)).map(({ Id, State }) => [Id, State.StartedAt]);
  const before = await made();
  await timed('up again', () => stack.up());
  assert.deepEqual(await made(), before, 'containers were recreated');
}

/**
 * Sends SIGTERM during work: each service exits with 0 before it would be killed. All containers and networks are
 * removed, the volumes stay, and new containers continue the work.
 */
async function downAndUp(world) {
  const jobs = await world.begin();
  await world.waitUntilRunning(jobs[0]);
  await timed('stopped during work', () => stack.compose('stop', ...services));
  const ends = (await stack.containers(...services)).map(({ Name, State }) => [Name, State.ExitCode]);
  assert.deepEqual(
    ends.filter(([, code]) => code !== 0),
    [],
    'exit code is not 0',
  );
  const left = await stack.sql("select count(*) from sync_jobs where status in ('queued', 'running')");
  say(`${left} of ${jobs.length} jobs are unfinished`);
  await world.ledger.listen();
  await timed('down', () => stack.compose('--profile', '*', 'down'));
  world.ledger.recorderIsNew();
  await timed('up again, scaled', () => stack.up(many));
  await timed('the jobs completed', () => world.completed(jobs));
  await world.settled('after down and up', { repeats: 0 });
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
  assert.deepEqual(dead, [], 'messages were dead-lettered');
  const twice = await stack.sql(
    "select count(*) from (select 1 from webhook_attempts where outcome = 'delivered' group by delivery_id having count(*) > 1) as twice",
  );
  assert.equal(twice, '0', 'deliveries succeeded twice');
  const unknown = await stack.sql("select count(*) from webhook_attempts where outcome = 'unknown'");
  say(`no message was dead-lettered, no delivery succeeded twice; ${unknown} attempts were interrupted by a kill`);
}
