// SQL by hand: writes in bulk, measured with the import.
import { texts, times, uuids } from '../arrays.js';
import type { Transaction } from '../database.js';
import { groupsOf, groupTerm, type ListedRecord, listTermsOf, type NamedGroup } from './list-terms.js';

interface Filterable extends ListedRecord {
  id: string;
  createdAt: Date;
  updatedAt: Date;
}

interface Row {
  id: string;
  createdAt: Date;
  term: string;
}

/** Terms of records as the column `list_terms` holds them; null for none. Folded values contain no line breaks. */
export function joinedListTerms(records: readonly Filterable[]): (string | null)[] {
  return records.map((record) => listTermsOf(record).join('\n') || null);
}

/**
 * Inserts the terms of the new records that the CTE `inserted` returns, with the tenant as `$1`. Rows in the order of the
 * index touch each of its pages once.
 */
export const insertListTermsOfInserted = `insert into list_terms (tenant_id, term, created_at, record_id)
  select $1, string_to_table(list_terms, E'\\n') collate "C" as term, created_at, id
    from inserted where list_terms is not null order by term`;

/** Replaces the terms of stored records. Call it before the column changes; a record with the same terms is not written. */
export async function updateListTerms(
  tx: Transaction,
  records: readonly Filterable[],
  joined: readonly (string | null)[],
): Promise<void> {
  const now = new Map(records.map(({ id }, nth) => [id, joined[nth] ?? null]));
  const changed = await tx.query<{ tenantId: string; id: string; createdAt: Date; was: string | null }>(
    `select r.tenant_id as "tenantId", r.id, r.created_at as "createdAt", r.list_terms as was
       from unnest($1::uuid[], $2::text[]) as n (id, terms)
      cross join lateral (select tenant_id, id, created_at, list_terms from source_records where id = n.id limit 1) r
      where r.list_terms is distinct from n.terms`,
    [uuids([...now.keys()]), texts([...now.values()])],
  );
  const [first] = changed;
  if (!first) return;
  const ids = new Set(changed.map(({ id }) => id));
  await insertGroups(
    tx,
    first.tenantId,
    records.filter(({ id }) => ids.has(id)),
  );
  const rows = (pick: (was: string[], terms: string[]) => string[]): Row[] =>
    changed.flatMap(({ id, createdAt, was }) =>
      pick(linesOf(was), linesOf(now.get(id))).map((term) => ({ id, createdAt, term })),
    );
  await deleteRows(
    tx,
    first.tenantId,
    rows((was, terms) => was.filter((term) => !terms.includes(term))),
  );
  await insertRows(
    tx,
    first.tenantId,
    rows((was, terms) => terms.filter((term) => !was.includes(term))),
  );
}

/** Updates the terms and the column of records whose terms have another form. */
export async function renewListTerms(tx: Transaction, records: readonly Filterable[]): Promise<void> {
  const joined = joinedListTerms(records);
  await updateListTerms(tx, records, joined);
  await tx.query(
    `update source_records r set list_terms = n.terms from unnest($1::uuid[], $2::text[]) as n (id, terms)
      where r.id = n.id and r.list_terms is distinct from n.terms`,
    [uuids(records.map(({ id }) => id)), texts(joined)],
  );
}

/** Deletes the terms of records that will be deleted. */
export async function deleteListTerms(tx: Transaction, recordIds: readonly string[]): Promise<void> {
  const rows = await tx.query<{ tenantId: string; id: string; createdAt: Date; was: string | null }>(
    `select tenant_id as "tenantId", id, created_at as "createdAt", list_terms as was
       from source_records where id = any($1) and list_terms is not null`,
    [recordIds],
  );
  if (!rows[0]) return;
  await deleteRows(
    tx,
    rows[0].tenantId,
    rows.flatMap(({ id, createdAt, was }) => linesOf(was).map((term) => ({ id, createdAt, term }))),
  );
}

/** Adds the groups of records that have none of this name yet. Groups are never deleted; those without members are hidden. */
export async function insertGroups(tx: Transaction, tenantId: string, records: readonly Filterable[]): Promise<void> {
  const found = new Map<string, NamedGroup & { at: Date }>();
  for (const record of records) {
    for (const group of groupsOf(record)) {
      if (!found.has(group.id)) found.set(group.id, { ...group, at: record.updatedAt });
    }
  }
  if (found.size === 0) return;
  // Concurrent transactions insert in the same order, so they do not deadlock.
  const groups = [...found.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
  await tx.query(
    `insert into groups (id, tenant_id, connector_id, name, term, created_at)
     select n.id, $1, n.connector_id, n.name, n.term, n.at
       from unnest($2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::timestamptz[]) as n (id, connector_id, name, term, at)
       left join lateral (select true as is_known from groups where id = n.id limit 1) as known on true
      where is_known is null on conflict do nothing`,
    [
      tenantId,
      uuids(groups.map(({ id }) => id)),
      uuids(groups.map(({ connectorId }) => connectorId)),
      texts(groups.map(({ name }) => name)),
      texts(groups.map(({ id }) => groupTerm(id))),
      times(groups.map(({ at }) => at)),
    ],
  );
}

async function insertRows(tx: Transaction, tenantId: string, rows: readonly Row[]): Promise<void> {
  if (rows.length === 0) return;
  // Rows in the order of the index touch each of its pages once.
  const sorted = [...rows].sort((a, b) => (a.term < b.term ? -1 : 1));
  await tx.query(
    `insert into list_terms (tenant_id, term, created_at, record_id)
     select $1, * from unnest($2::text[], $3::timestamptz[], $4::uuid[]) on conflict do nothing`,
    [tenantId, ...columnsOf(sorted)],
  );
}

async function deleteRows(tx: Transaction, tenantId: string, rows: readonly Row[]): Promise<void> {
  if (rows.length === 0) return;
  await tx.query(
    `delete from list_terms t using unnest($2::text[], $3::timestamptz[], $4::uuid[]) as n (term, created_at, id)
      where t.tenant_id = $1 and t.term = n.term and t.created_at = n.created_at and t.record_id = n.id`,
    [tenantId, ...columnsOf(rows)],
  );
}

function columnsOf(rows: readonly Row[]): Buffer[] {
  return [
    texts(rows.map(({ term }) => term)),
    times(rows.map(({ createdAt }) => createdAt)),
    uuids(rows.map(({ id }) => id)),
  ];
}

function linesOf(text: string | null | undefined): string[] {
  return text ? text.split('\n') : [];
}
