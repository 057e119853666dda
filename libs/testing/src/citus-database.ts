import { randomBytes } from 'node:crypto';
import { databaseUrl, migrate } from '@idsync/database/schema';
import pg from 'pg';

interface Options {
  /** Few in tests: each of 70 tables has this many parts. */
  shards?: number;
  /** Whether a commit survives a kill of its node. */
  flushes?: boolean;
}

/**
 * Creates a migrated and distributed database on the nodes of a Citus cluster. `addresses` lead to each node as a
 * superuser, to the coordinator first.
 */
export async function createCitusDatabase(
  addresses: readonly string[],
  { shards = 4, flushes = false }: Options = {},
): Promise<{ url: string; drop: () => Promise<void> }> {
  const name = `idsync_test_${randomBytes(6).toString('hex')}`;
  const [server, ...workers] = addresses;
  if (!server || workers.length === 0) throw new Error('a Citus cluster needs a coordinator and workers');
  const url = databaseUrl(server, name);
  const { hostname, port } = new URL(url);
  await createWithCitus(url);
  await on(url, [
    `alter database ${name} set citus.shard_count = ${shards}`,
    `alter database ${name} set synchronous_commit = ${flushes ? 'on' : 'off'}`,
    `select citus_set_coordinator_host('${hostname}', ${port})`,
  ]);
  for (const worker of workers) await addCitusNode(url, worker, flushes);
  await migrate(url, undefined, { distributes: true });
  const drop = async () => {
    for (const address of addresses) {
      await on(databaseUrl(address, 'postgres'), [notPropagated, `drop database ${name} with (force)`]);
    }
  };
  return { url, drop };
}

/** Adds a node to the cluster of a database, which is created there. */
export async function addCitusNode(url: string, address: string, flushes = true): Promise<void> {
  const name = new URL(url).pathname.slice(1);
  const { hostname, port } = new URL(address);
  await createWithCitus(databaseUrl(address, name));
  await on(databaseUrl(address, name), [`alter database ${name} set synchronous_commit = ${flushes ? 'on' : 'off'}`]);
  await on(url, [`select citus_add_node('${hostname}', ${port})`]);
}

/** Returns the addresses of all nodes that the coordinator knows, its own first. */
export async function citusNodes(server: string): Promise<string[]> {
  const nodes = await on<{ hostname: string; port: string }>(server, [
    'select nodename as hostname, nodeport::text as port from pg_dist_node where isactive order by groupid',
  ]);
  return nodes.map((node) => Object.assign(new URL(server), node).href);
}

const notPropagated = 'set citus.enable_create_database_propagation = off';

async function createWithCitus(url: string): Promise<void> {
  await on(databaseUrl(url, 'postgres'), [notPropagated, `create database ${new URL(url).pathname.slice(1)}`]);
  await on(url, ['create extension citus']);
}

/** Returns the rows of the last statement. */
async function on<Row extends object>(url: string, statements: readonly string[]): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    let rows: Row[] = [];
    for (const statement of statements) rows = (await client.query<Row>(statement)).rows;
    return rows;
  } finally {
    await client.end();
  }
}
