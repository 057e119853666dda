// SQL by hand: parts of a result, which can have thousands of items.
import { newUuid, type OperationInput, type OperationType } from '@idsync/contracts';
import { texts, uuids } from '../../arrays.js';
import { enqueue } from '../../bus/outbox.js';
import type { Transaction } from '../../database.js';
import { OperationEntity } from '../../entities/matching.entities.js';
import { insertRow } from '../../rows.js';
import { noteDue } from '../../settings/tenant-settings.js';
import { useIndexScans } from '../../transaction-settings.js';
import { type BoundedTotal, countUpToMaximum, type Page, type Rows } from '../page.js';

export type OperationRow = Omit<OperationEntity, 'undo' | 'progress'> & {
  progress: { done: number; total: number } | null;
};

/** After this time the directory publishes the message of a queued operation again. */
const unansweredSeconds = 15 * 60;

/** Stores an operation and notifies the directory, in one transaction. */
export async function requestOperation<T extends OperationType>(
  tx: Transaction,
  type: T,
  input: OperationInput<T>,
): Promise<OperationRow> {
  const operation = await insertRow(tx, OperationEntity, { id: newUuid(), tenantId: tx.tenantId, type, input });
  await noteDue(tx, unansweredSeconds);
  await enqueue(tx, {
    type: 'directory.operation.requested',
    tenantId: tx.tenantId,
    data: { operation_id: operation.id },
  });
  return operation;
}

/** Maximum number of items of each list of a result; `findOperationItems` has all. */
const listedItems = 200;

const shown = `id, tenant_id as "tenantId", type, input, status, created_at as "createdAt", ended_at as "endedAt",
  reverted_by as "revertedBy", announced_at as "announcedAt",
  case when progress is not null then jsonb_build_object('done', progress -> 'done', 'total', progress -> 'total') end as progress,
  result || (select coalesce(jsonb_object_agg(key, jsonb_path_query_array(value, '$[0 to ${listedItems - 1}]')), '{}')
               from jsonb_each(result) where jsonb_typeof(value) = 'array') as result`;

export async function findOperation(tx: Transaction, id: string): Promise<OperationRow | undefined> {
  return tx.row<OperationRow>(`select ${shown} from operations where tenant_id = $1 and id = $2`, [tx.tenantId, id]);
}

/** Returns the id of an operation of the type that the directory has not run yet. */
export async function findQueuedOperation(tx: Transaction, type: OperationType): Promise<string | undefined> {
  const [row] = await tx.query<{ id: string }>(
    `select id from operations where tenant_id = $1 and status = 'queued' and type = $2 limit 1`,
    [tx.tenantId, type],
  );
  return row?.id;
}

/** Lists operations, newest first. */
export async function listOperations(tx: Transaction, page: Page): Promise<{ rows: OperationRow[] } & BoundedTotal> {
  await useIndexScans(tx);
  const found = 'from operations where tenant_id = $1 order by id desc';
  const rows = await tx.query<OperationRow>(`select ${shown} ${found} limit $2 offset $3`, [
    tx.tenantId,
    page.limit,
    page.offset,
  ]);
  return { rows, ...(await countUpToMaximum(tx, found, [tx.tenantId])) };
}

/** Reads a page of one list of a result; undefined if the operation does not exist. */
export async function findOperationItems(
  tx: Transaction,
  id: string,
  list: string,
  { limit, offset }: Page,
): Promise<Rows<Record<string, unknown>> | undefined> {
  return tx.row<Rows<Record<string, unknown>>>(
    `select coalesce(jsonb_array_length(result -> $3), 0) as total,
            coalesce(jsonb_path_query_array(result -> $3, '$[$first to $last]', $4), '[]') as rows
       from operations where tenant_id = $1 and id = $2`,
    [tx.tenantId, id, list, JSON.stringify({ first: offset, last: offset + limit - 1 })],
  );
}

/** The values that name an identity or a record, at the time of the read. */
export interface Names {
  /** Display names by identity id. */
  identities: ReadonlyMap<string, string>;
  /** First values of the fields by record id. */
  records: ReadonlyMap<string, Readonly<Record<string, string>>>;
}

/** Reads the names of identities by their ids, of a merged one that of the survivor. */
export async function findIdentityNames(
  tx: Transaction,
  ids: readonly (string | null | undefined)[],
): Promise<Map<string, string>> {
  const rows = await tx.query<{ id: string; name: string | null }>(
    `select n.id, i.name from unnest($2::uuid[]) as n (id)
      cross join lateral (
        select display_name as name from identities
         where tenant_id = $1
           and id = (select coalesce((select into_id from identity_redirects where tenant_id = $1 and id = n.id), n.id))
         limit 1) i`,
    [tx.tenantId, uuids([...new Set(ids.filter((id) => id != null))])],
  );
  return new Map(rows.flatMap(({ id, name }) => (name === null ? [] : [[id, name]])));
}

/** Reads the names of identities, and these fields of records. */
export async function findNames(
  tx: Transaction,
  wanted: { identityIds: readonly string[]; recordIds: readonly string[]; fields: readonly string[] },
): Promise<Names> {
  const identities = await findIdentityNames(tx, wanted.identityIds);
  const records = await tx.query<{ id: string; fields: Record<string, string> }>(
    `select r.id, (select coalesce(jsonb_object_agg(f.name, left(r.fields -> f.name ->> 0, 200)), '{}')
                     from unnest($3::text[]) as f (name) where r.fields -> f.name ->> 0 is not null) as fields
       from unnest($2::uuid[]) as n (id)
      cross join lateral (select id, fields from source_records where tenant_id = $1 and id = n.id limit 1) r`,
    [tx.tenantId, uuids([...new Set(wanted.recordIds)]), texts([...new Set(wanted.fields)])],
  );
  return { identities, records: new Map(records.map(({ id, fields }) => [id, fields])) };
}
