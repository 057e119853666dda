// SQL by hand: progress that only increases, with the database clock.
import type { RecordKind } from '@idsync/contracts';
import { uuids } from '../arrays.js';
import type { Transaction } from '../database.js';

/** Progress of rendering a tenant's documents again. */
export interface DocumentRendering {
  /** The kind of records that is being rendered. */
  kind: RecordKind;
  /** The last record that was rendered. */
  afterId: string | null;
}

/**
 * Returns true if the tenant's documents have this version; otherwise schedules their rendering. It begins after a
 * delay, so that processes of the previous version have stopped. A tenant without a row has documents of version 1.
 */
export async function scheduleDocumentRendering(
  tx: Transaction,
  tenantId: string,
  version: number,
  delaySeconds: number,
): Promise<boolean> {
  const [found] = await tx.query<{ version: number; completed: boolean }>(
    'select version, completed_at is not null as completed from document_renderings where tenant_id = $1',
    [tenantId],
  );
  const current = found ?? { version: 1, completed: true };
  if (current.version === version) return current.completed;
  await tx.query(
    `insert into document_renderings as r (tenant_id, version, begin_at, total)
     select id, $2, now() + make_interval(secs => $3), (select count(*) from source_records where tenant_id = $1)
       from tenants where id = $1
     on conflict (tenant_id) do update
        set version = excluded.version, begin_at = excluded.begin_at, kind = 'user', after_id = null, completed_at = null,
            total = excluded.total, done = 0
      where r.version <> excluded.version`,
    [tenantId, version, delaySeconds],
  );
  return false;
}

/**
 * Locks a scheduled rendering. Returns undefined before its start, while another process has the lock, and after its
 * completion.
 */
export async function lockDocumentRendering(
  tx: Transaction,
  tenantId: string,
  version: number,
): Promise<DocumentRendering | undefined> {
  const [row] = await tx.query<DocumentRendering>(
    `select kind, after_id as "afterId" from document_renderings
      where tenant_id = $1 and version = $2 and begin_at <= now() and completed_at is null for update skip locked`,
    [tenantId, version],
  );
  return row;
}

/** Saves the progress of a locked rendering, and the number of records that were rendered; undefined completes it. */
export async function saveDocumentRendering(
  tx: Transaction,
  tenantId: string,
  rendering: DocumentRendering | undefined,
  rendered: number,
): Promise<void> {
  await tx.query(
    `update document_renderings
        set kind = coalesce($2, kind), after_id = $3, completed_at = case when $2::text is null then now() end,
            done = done + $4
      where tenant_id = $1`,
    [tenantId, rendering?.kind ?? null, rendering?.afterId ?? null, rendered],
  );
}

/** Returns the ids of these records and of all records of their identities. */
export async function findRecordsOfSameIdentities(tx: Transaction, ids: readonly string[]): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(
    `with named as materialized (
       select r.id, r.identity_id from unnest($1::uuid[]) as n (id)
        cross join lateral (select id, identity_id from source_records where id = n.id limit 1) r)
     select id from named
     union select r.id from (select distinct identity_id from named where identity_id is not null) i
      cross join lateral (select id from source_records where identity_id = i.identity_id offset 0) r`,
    [uuids(ids)],
  );
  return rows.map(({ id }) => id);
}

/** Returns the number of records of all tenants whose documents remain to be rendered. */
export async function countUnrendered(tx: Transaction): Promise<number> {
  const [row] = await tx.query<{ count: number }>(
    `select coalesce(sum(greatest(total - done, 0)), 0)::bigint as count from document_renderings where completed_at is null`,
  );
  return row?.count ?? 0;
}
