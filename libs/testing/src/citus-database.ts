import { randomBytes } from 'node:crypto';
import { databaseUrl, migrate } from '@idsync/database/schema';
import pg from 'pg';

interface Node {
  host: string;
  port: number;
}

/** Fewer than in production, where they are for later nodes: each of 70 tables has this many parts. */
const shards = 4;

/**
 * Creates a migrated and distributed database on the nodes of a Citus cluster. `server` is the address of a database of
 * the coordinator in which all nodes are known; its login must be a superuser on each node.
 */
export async function createCitusDatabase(server: string): Promise<{ url: string; drop: () => Promise<void> }> {
  const name = `idsync_test_${randomBytes(6).toString('hex')}`;
  const [own, ...workers] = await nodesOf(server);
  if (!own || workers.length === 0) throw new Error('CITUS_URL names no coordinator with workers');
  const addresses = [server, ...workers.map(({ host, port }) => at(server, host, port))];
  const url = databaseUrl(server, name);
  for (const address of addresses) {
    await on(databaseUrl(address, 'postgres'), [
      'set citus.enable_create_database_propagation = off',
      `create database ${name}`,
      `alter database ${name} set synchronous_commit = off`,
    ]);
    await on(databaseUrl(address, name), ['create extension citus']);
  }
  await on(url, [
    `alter database ${name} set citus.shard_count = ${shards}`,
    `select citus_set_coordinator_host('${own.host}', ${own.port})`,
    ...workers.map(({ host, port }) => `select citus_add_node('${host}', ${port})`),
  ]);
  await migrate(url, undefined, { distributes: true });
  const drop = async () => {
    for (const address of addresses) {
      await on(databaseUrl(address, 'postgres'), [
        'set citus.enable_create_database_propagation = off',
        `drop database ${name} with (force)`,
      ]);
    }
  };
  return { url, drop };
}

/** Returns the coordinator, then the workers. */
async function nodesOf(server: string): Promise<Node[]> {
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  try {
    const { rows } = await client.query<Node>(
      'select nodename as host, nodeport as port from pg_dist_node where isactive order by groupid',
    );
    return rows;
  } finally {
    await client.end();
  }
}

function at(server: string, host: string, port: number): string {
  return Object.assign(new URL(server), { hostname: host, port: String(port) }).href;
}

async function on(url: string, statements: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}
