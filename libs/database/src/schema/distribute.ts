// SQL by hand: catalogues, and functions of Citus.
import type { QueryRunner } from 'typeorm';
import { serviceRoles } from '../roles.js';
import type { ReportProgress } from '../transaction-with-lock-retries.js';
import { ownership } from './ownership.js';

/**
 * Distributes the tables of tenants over the nodes of a Citus cluster, all rows of a tenant on one node. Tables without
 * tenants stay on the coordinator. Can be repeated: tables that are distributed stay as they are.
 */
export async function distribute(runner: QueryRunner, report: ReportProgress): Promise<void> {
  for (const table of await findOthersFirst(runner)) {
    report(`distributing ${table}`);
    const column = tenantColumnOf(table);
    if (column === undefined) {
      await runner.query('select citus_add_local_table_to_metadata($1::regclass)', [table]);
      continue;
    }
    const others = table === first ? '' : `, colocate_with => '${first}'`;
    await runner.query(`select create_distributed_table($1::regclass, $2${others})`, [table, column]);
  }
  for (const role of Object.values(serviceRoles)) await adaptRole(runner, role);
}

/** Throws an error if the database is no coordinator of a Citus cluster. */
export async function requireCitus(runner: QueryRunner): Promise<void> {
  if (await hasCitus(runner)) return;
  throw new Error('--distribute needs a coordinator of Citus: run `create extension citus` and add nodes first');
}

/** Whether tables are distributed already, so that new ones must be. */
export async function isDistributed(runner: QueryRunner): Promise<boolean> {
  if (!(await hasCitus(runner))) return false;
  const [found]: { exists: boolean }[] = await runner.query(
    'select exists (select from pg_dist_partition where logicalrelid = to_regclass($1)) as exists',
    [first],
  );
  return found?.exists ?? false;
}

/** Its shards decide where those of the other tables are. */
const first = 'tenants';
/** Known to Citus, so that a change of a tenant and its messages are one distributed transaction. */
const onCoordinator = ['outbox', 'inbox', 'bus_messages'];

async function hasCitus(runner: QueryRunner): Promise<boolean> {
  const [found]: { exists: boolean }[] = await runner.query(
    "select exists (select from pg_extension where extname = 'citus') as exists",
  );
  return found?.exists ?? false;
}

function tenantColumnOf(table: string): string | undefined {
  const { rows } = ownership[table] ?? {};
  return typeof rows === 'object' && 'tenantColumn' in rows ? rows.tenantColumn : undefined;
}

/** Returns the tables that Citus does not know yet; those that foreign keys refer to come first. */
async function findOthersFirst(runner: QueryRunner): Promise<string[]> {
  const rows: { name: string; refersTo: string[] }[] = await runner.query(
    `select relname as name, array(select distinct confrelid::regclass::text from pg_constraint
                                    where contype = 'f' and conrelid = c.oid and confrelid <> c.oid) as "refersTo"
       from pg_class c
      where relname = any($1) and relkind = 'r' and relnamespace = current_schema::regnamespace
        and not exists (select from pg_dist_partition where logicalrelid = c.oid)
      order by relname <> $2, relname`,
    [[...Object.keys(ownership).filter(tenantColumnOf), ...onCoordinator], first],
  );
  const refersTo = new Map(rows.map((row) => [row.name, row.refersTo]));
  const sorted = new Set<string>();
  const add = (name: string) => {
    if (sorted.has(name)) return;
    for (const other of refersTo.get(name) ?? []) if (refersTo.has(other)) add(other);
    sorted.add(name);
  };
  for (const { name } of rows) add(name);
  return [...sorted];
}

/**
 * The coordinator connects to the nodes by the role of the service. There, plans do not depend on values; connections of
 * services override that on the coordinator.
 */
async function adaptRole(runner: QueryRunner, role: string): Promise<void> {
  const [{ database } = { database: '' }]: { database: string }[] = await runner.query(
    'select quote_ident(current_database()) as database',
  );
  await runner.query(`alter role ${role} login`);
  // Citus takes the numbers of identity columns by the role that inserts.
  await runner.query(`grant usage on all sequences in schema public to ${role}`);
  await runner.query(`alter role ${role} in database ${database} set jit = off`);
  await runner.query(`alter role ${role} in database ${database} set plan_cache_mode = force_generic_plan`);
}
