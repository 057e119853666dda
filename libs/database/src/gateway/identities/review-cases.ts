// SQL by hand: a join with JSON, and a size-limited page.
import type { CaseStatus, RecordKind } from '@idsync/contracts';
import { uuids } from '../../arrays.js';
import type { Transaction } from '../../database.js';
import type { CaseCandidate } from '../../entities/matching.entities.js';
import { useIndexScans } from '../../transaction-settings.js';
import { type BoundedTotal, countUpToMaximum, isWithinPage, type Page } from '../page.js';

export interface CaseRow {
  id: string;
  status: CaseStatus;
  kind: 'contested' | 'weak';
  reason: string;
  recordId: string;
  recordKind: RecordKind;
  connectorId: string;
  externalId: string;
  /** Public document of the record. */
  document: string;
  identityId: string | null;
  candidates: (CaseCandidate & { display_name: string | null })[];
  openedAt: Date;
  closedAt: Date | null;
  operationId: string | null;
}

/** `$1` is the tenant. The JSON value is in a subquery, because row-level security treats the cast as leaky and would not use the index. */
const select = `
  select c.id, c.status, c.kind, c.reason, c.record_id as "recordId", r.kind as "recordKind", r.connector_id as "connectorId",
         r.external_id as "externalId", r.document, r.identity_id as "identityId", c.opened_at as "openedAt",
         c.closed_at as "closedAt", c.operation_id as "operationId",
         (select coalesce(jsonb_agg(candidate || jsonb_build_object('display_name', (
                   select display_name from identities
                    where tenant_id = $1 and id = (select (candidate ->> 'identity_id')::uuid)))
                  order by place), '[]')
            from jsonb_array_elements(c.candidates) with ordinality as each (candidate, place)) as candidates
    from review_cases c join source_records r on r.tenant_id = $1 and r.id = c.record_id`;

export async function findCase(tx: Transaction, id: string): Promise<CaseRow | undefined> {
  return tx.row<CaseRow>(`${select} where c.tenant_id = $1 and c.id = $2`, [tx.tenantId, id]);
}

type Fields = Readonly<Record<string, string[]>>;

/** Users of a candidate whose values are compared; more than one only if no single record was compared. */
const mostUsers = 20;

/**
 * Reads the present values of a case's record, and of each candidate: of the record that was compared, or of all users
 * of the identity: by an index lookup for each, which `offset 0` keeps apart from the order of the users.
 */
export async function findComparedFields(
  tx: Transaction,
  { recordId, candidates }: Pick<CaseRow, 'recordId' | 'candidates'>,
): Promise<{ own: Fields; others: Fields[][] }> {
  const rows = await tx.query<{ place: number; fields: Fields }>(
    `select n.place, r.fields from unnest($2::uuid[], $3::uuid[]) with ordinality as n (record_id, identity_id, place)
      cross join lateral (
        select fields from source_records where tenant_id = $1 and id = n.record_id
        union all
        (select fields from (select fields, kind, created_at from source_records
                              where tenant_id = $1 and identity_id = n.identity_id offset 0) u
          where kind = 'user' order by created_at limit ${mostUsers})) r`,
    [
      tx.tenantId,
      uuids([recordId, ...candidates.map(({ record_id }) => record_id ?? null)]),
      uuids([null, ...candidates.map(({ record_id, identity_id }) => (record_id ? null : identity_id))]),
    ],
  );
  const at = (place: number) => rows.filter((row) => Number(row.place) === place).map(({ fields }) => fields);
  return { own: at(1)[0] ?? {}, others: candidates.map((_, index) => at(index + 2)) };
}

/** Lists cases, oldest first, as operators work through them. */
export async function listCases(
  tx: Transaction,
  query: Page & { status: CaseStatus },
): Promise<{ rows: CaseRow[] } & BoundedTotal> {
  const rows = await tx.query<CaseRow>(
    `select * from (
       select *, ${isWithinPage('octet_length(document)', 'id')} as fits
         from (${select} where c.tenant_id = $1 and c.status = $2 order by c.id limit $3 offset $4) as page) as page
      where fits order by id`,
    [tx.tenantId, query.status, query.limit, query.offset],
  );
  await useIndexScans(tx);
  const found = 'from review_cases where tenant_id = $1 and status = $2 order by id';
  return { rows, ...(await countUpToMaximum(tx, found, [tx.tenantId, query.status])) };
}
