// SQL by hand: copies in slices of an index, and a lock.
import type { Transaction } from '../database.js';
import { useIndexScans } from '../transaction-settings.js';

/** Rows per statement, so that no statement takes long. */
const sliceSize = 20_000;

/** Tables whose rows a change of the directory reads, with the columns of their key after the tenant. */
const read = {
  source_records: 'id',
  identities: 'id',
  identity_redirects: 'id',
  review_cases: 'id',
  match_queue: 'record_id',
  machine_references: 'record_id, role',
  matching_rules: 'tenant_id',
  lifecycle_policies: 'tenant_id',
  attribute_priorities: 'field, connector_id',
  connectors: 'id',
  event_sequences: 'tenant_id',
  correlation_keys: 'kind, value',
  contested_keys: 'kind, value, record_id',
  waiting_records: 'kind, value, record_id',
};
/** Tables whose rows have no effect on links, statuses or cases. Their copies are empty. */
const writtenOnly = [
  'weak_keys',
  'search_terms',
  'list_terms',
  'groups',
  'former_references',
  'identity_versions',
  'record_versions',
  'directory_counters',
  'list_positions',
  'events',
];

/**
 * Hides the tables of the directory behind temporary copies until the end of the transaction, which must see one snapshot.
 * Then it can compute what a change would do, and writes only to the copies; PostgreSQL refuses any other write.
 */
export async function copyDirectory(tx: Transaction): Promise<void> {
  await tx.query('select create_copies($1)', [[...Object.keys(read), ...writtenOnly]]);
  await tx.query('set transaction read only');
  await useIndexScans(tx);
  for (const [table, key] of Object.entries(read)) await copyTable(tx, table, key.split(', '));
}

/** Without its schema, the name of a table is that of its copy. */
async function copyTable(tx: Transaction, table: string, key: readonly string[]): Promise<void> {
  const after = `and (${key}) > (${key.map((_, nth) => `$${nth + 2}`)})`;
  const newest = `select ${key} from ${table} where tenant_id = $1 order by ${key.map((each) => `${each} desc`)} limit 1`;
  for (let last: unknown[] = [], copied = ''; ; copied = String(last)) {
    await tx.query(
      `insert into ${table} select * from public.${table}
        where tenant_id = $1 ${last.length > 0 ? after : ''} order by ${key} limit ${sliceSize}`,
      [tx.tenantId, ...last],
    );
    last = Object.values((await tx.row<object>(newest, [tx.tenantId])) ?? {});
    if (String(last) === copied) return;
  }
}

/** Returns false if another transaction tries this operation. */
export async function tryLockTrial(tx: Transaction, operationId: string): Promise<boolean> {
  return tx.any('select where pg_try_advisory_xact_lock(hashtextextended($1, 0))', [`trial ${operationId}`]);
}
