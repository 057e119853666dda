import { DirectoryFixture, LatePort, PrivatePostgres, until } from '@idsync/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Database } from './database.js';

let primary: PrivatePostgres;
let replica: PrivatePostgres;
let fixture: DirectoryFixture;
let onReplica: DirectoryFixture;
let tenant: string;
let database: Database;
const problems: unknown[] = [];

beforeAll(async () => {
  primary = await PrivatePostgres.start();
  replica = await primary.replica();
  fixture = DirectoryFixture.connect(primary.url);
  onReplica = DirectoryFixture.connect(replica.url);
  database = await connect(replica.url);
});

beforeEach(async () => {
  tenant = await fixture.tenant();
});

afterAll(async () => {
  await database?.close();
  await onReplica?.close();
  await fixture?.close();
  await replica?.remove();
  await primary?.remove();
});

function connect(readUrl: string): Promise<Database> {
  return Database.connect({
    url: primary.url,
    service: 'gateway',
    readUrl,
    onReplicaChange: (problem) => problems.push(problem),
  });
}

const server = { name: 'server', text: 'select inet_server_port() as port', values: [] };
const portOf = (url: string) => Number(new URL(url).port);

/** The server that answers a read, and a transaction that reads. */
async function servers(from: Database): Promise<number[]> {
  const [read] = await from.read<{ port: number }>(tenant, server);
  const [row] = await from.readTransaction(tenant, (tx) => tx.query<{ port: number }>(server.text));
  return [read?.port ?? 0, row?.port ?? 0];
}

const usesReplica = (from = database, url = replica.url) =>
  until(async () => (await servers(from)).every((port) => port === portOf(url)));

const nameOf = { name: 'name-of', text: 'select name from tenants where id = $1' };
const rename = (name: string) => fixture.rows('update tenants set name = $2 where id = $1', [tenant, name]);
const isNamed = (name: string) => (row: unknown) => (row as { name: string }).name === name;
async function names(): Promise<string[]> {
  const [read] = await database.read<{ name: string }>(tenant, { ...nameOf, values: [tenant] });
  const [texts] = await database.readTexts(tenant, { ...nameOf, values: [tenant] });
  const [row] = await database.readTransaction(tenant, (tx) => tx.query<{ name: string }>(nameOf.text, [tenant]));
  return [read?.name ?? '', texts?.[0] ?? '', row?.name ?? ''];
}

describe('reads of a tenant', () => {
  it('run on the replica, and see each change that was committed before, by whichever process', async () => {
    await usesReplica();
    for (let change = 0; change < 200; change += 1) {
      await rename(`name ${change}`);
      expect(await names()).toEqual(Array(3).fill(`name ${change}`));
    }
    expect(await servers(database)).toEqual(Array(2).fill(portOf(replica.url)));
  });

  it('see only rows of their tenant there, and write nothing', async () => {
    await usesReplica();
    const other = await fixture.tenant();
    expect(await database.read(tenant, { ...nameOf, values: [other] })).toEqual([]);
    await usesReplica();
    const write = database.readTransaction(tenant, (tx) => tx.query('delete from webhooks'));
    await expect(write).rejects.toMatchObject({ code: '25006' });
  });

  it('fail as on the primary: their error is not repeated there, and costs no connection', async () => {
    await usesReplica();
    let runs = 0;
    const refused = database.readTransaction(tenant, async () => {
      runs += 1;
      throw new Error('not found');
    });
    await expect(refused).rejects.toThrow('not found');
    expect(runs).toBe(1);
    expect(await servers(database)).toEqual(Array(2).fill(portOf(replica.url)));
  });

  it('use the primary, within the bounded wait, while the replica lags, and the replica again afterwards', async () => {
    await usesReplica();
    await onReplica.rows('select pg_wal_replay_pause()');
    await rename('during the lag');
    expect(await names()).toEqual(Array(3).fill('during the lag'));
    expect(await servers(database)).toEqual(Array(2).fill(portOf(primary.url)));
    await onReplica.rows('select pg_wal_replay_resume()');
    await usesReplica();
    expect(await names()).toEqual(Array(3).fill('during the lag'));
  });

  it('use the primary if the replica cancels them, because they conflict with what it replays', async () => {
    await usesReplica();
    await onReplica.rows('alter system set max_standby_streaming_delay = 0');
    await onReplica.rows('select pg_reload_conf()');
    await rename('before the conflict');
    const ports: number[] = [];
    const found = await database.readTransaction(tenant, async (tx) => {
      const [row] = await tx.query<{ port: number }>(server.text);
      ports.push(row?.port ?? 0);
      await tx.query('select count(*) from tenants');
      if (ports.length === 1) {
        await rename('after the conflict');
        await fixture.rows('vacuum tenants');
        await rename('after the vacuum');
        await until(async () => (await onReplica.rows(nameOf.text, [tenant])).some(isNamed('after the vacuum')));
      }
      return tx.query<{ name: string }>(nameOf.text, [tenant]);
    });
    expect(ports).toEqual([portOf(replica.url), portOf(primary.url)]);
    expect(found).toEqual([{ name: 'after the vacuum' }]);
  });

  it('use the primary while the replica is down, and the replica again once it is up', async () => {
    await usesReplica();
    problems.length = 0;
    await replica.kill();
    await rename('while it is down');
    expect(await names()).toEqual(Array(3).fill('while it is down'));
    expect(await servers(database)).toEqual(Array(2).fill(portOf(primary.url)));
    expect(problems).toHaveLength(1);
    await replica.up();
    await usesReplica();
    expect(problems).toEqual([expect.any(Error), undefined]);
    expect(await names()).toEqual(Array(3).fill('while it is down'));
  });

  it('use the primary if the replica accepts connections and says nothing', async () => {
    const silent = await LatePort.reserve(replica.url);
    await silent.open();
    const late = await connect(silent.url);
    try {
      await usesReplica(late);
      silent.freeze();
      await rename('in silence');
      const [row] = await late.read<{ name: string }>(tenant, { ...nameOf, values: [tenant] });
      expect(row?.name).toBe('in silence');
      expect(await servers(late)).toEqual(Array(2).fill(portOf(primary.url)));
    } finally {
      await silent.close();
      await late.close();
    }
  });

  it('use the primary if the replica has been promoted, or is the primary itself', async () => {
    const wrong = await connect(primary.url);
    problems.length = 0;
    expect(await servers(wrong)).toEqual(Array(2).fill(portOf(primary.url)));
    expect(await servers(wrong)).toEqual(Array(2).fill(portOf(primary.url)));
    expect(problems).toEqual([new Error('DATABASE_READ_URL is no replica')]);
    await wrong.close();
    await usesReplica();
    await onReplica.rows('select pg_promote()');
    await rename('after the promotion');
    expect(await names()).toEqual(Array(3).fill('after the promotion'));
    expect(await servers(database)).toEqual(Array(2).fill(portOf(primary.url)));
  });
});
