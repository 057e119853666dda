// SQL by hand: writes in bulk, benchmarked.
import { arraysOf, texts, times, uuids } from '../arrays.js';
import type { Transaction } from '../database.js';
import { insertGroups } from './groups.js';
import { type ListedRecord, listTermsOf } from './list-terms.js';
import { searchTermsOf } from './search-terms.js';

/**
 * A table of terms, and the column of `source_records` of the same name, which holds the terms of a record as lines; null or
 * empty for none. Folded values contain no line breaks.
 */
type TermTable = 'search_terms' | 'list_terms';

interface TermRecord extends ListedRecord {
  id: string;
  createdAt: Date;
  updatedAt: Date;
}

interface Row {
  id: string;
  createdAt: Date;
  term: string;
}

interface StoredTerms {
  id: string;
  createdAt: Date;
  was: string | null;
}

/** Rows of `list_terms` have the time by which lists are ordered. */
const timeIn: Record<TermTable, string> = { search_terms: '', list_terms: 'created_at, ' };

export function joinedSearchTerms(records: readonly Pick<TermRecord, 'fields'>[]): string[] {
  return records.map(({ fields }) => searchTermsOf(fields).join('\n'));
}

export function joinedListTerms(records: readonly ListedRecord[]): (string | null)[] {
  return records.map((record) => listTermsOf(record).join('\n') || null);
}

/**
 * Inserts the terms of the new records that the CTE `inserted` returns, with the tenant as `$1`. Rows in the order of the
 * index touch each of its pages once. No other transaction has these records, so no row can conflict.
 */
export function insertTermsOfInserted(table: TermTable): string {
  return `insert into ${table} (tenant_id, term, ${timeIn[table]}record_id)
    select $1, string_to_table(${table}, E'\\n') collate "C" as term, ${timeIn[table]}id
      from inserted where ${table} is not null order by term returning 1`;
}

/** Replaces the terms of stored records. Call it before the column changes; a record with the same terms is not written. */
export async function updateTerms(
  tx: Transaction,
  table: TermTable,
  records: readonly TermRecord[],
  joined: readonly (string | null)[],
): Promise<void> {
  const now = new Map(records.map(({ id }, nth) => [id, joined[nth] ?? null]));
  const changed = await tx.query<StoredTerms>(
    `select r.id, r.created_at as "createdAt", r.${table} as was
       from unnest($2::uuid[], $3::text[]) as n (id, terms)
      cross join lateral (select id, created_at, ${table} from source_records
                           where tenant_id = $1 and id = n.id limit 1) r
      where r.${table} is distinct from n.terms`,
    [tx.tenantId, uuids([...now.keys()]), texts([...now.values()])],
  );
  if (changed.length === 0) return;
  if (table === 'list_terms') {
    const ids = new Set(changed.map(({ id }) => id));
    const regrouped = records.filter(({ id }) => ids.has(id));
    await insertGroups(tx, regrouped);
  }
  const pairs = changed.map((record) => ({
    record,
    was: linesOf(record.was),
    terms: linesOf(now.get(record.id)),
  }));
  const gone = pairs.flatMap(({ record, was, terms }) => rowsOf(record, without(was, terms)));
  const added = pairs.flatMap(({ record, was, terms }) => rowsOf(record, without(terms, was)));
  await deleteRows(tx, table, tx.tenantId, gone);
  await insertRows(tx, table, tx.tenantId, added);
}

/** Updates the list terms and their column of records whose terms have another form. */
export async function renewListTerms(tx: Transaction, records: readonly TermRecord[]): Promise<void> {
  const joined = joinedListTerms(records);
  await updateTerms(tx, 'list_terms', records, joined);
  await tx.query(
    `update source_records r set list_terms = n.terms from unnest($2::uuid[], $3::text[]) as n (id, terms)
      where r.tenant_id = $1 and r.id = n.id and r.list_terms is distinct from n.terms`,
    [tx.tenantId, uuids(records.map(({ id }) => id)), texts(joined)],
  );
}

/** Deletes the terms of records that will be deleted. */
export async function deleteTerms(tx: Transaction, table: TermTable, recordIds: readonly string[]): Promise<void> {
  const records = await tx.query<StoredTerms>(
    `select id, created_at as "createdAt", ${table} as was
       from source_records where tenant_id = $1 and id = any($2) and ${table} is not null`,
    [tx.tenantId, recordIds],
  );
  const rows = records.flatMap((record) => rowsOf(record, linesOf(record.was)));
  await deleteRows(tx, table, tx.tenantId, rows);
}

const givenRows = 'unnest($2::text[], $3::timestamptz[], $4::uuid[]) as n (term, created_at, id)';

async function insertRows(tx: Transaction, table: TermTable, tenantId: string, rows: readonly Row[]): Promise<void> {
  if (rows.length === 0) return;
  // Rows in the order of the index touch each of its pages once.
  const sorted = [...rows].sort((a, b) => (a.term < b.term ? -1 : 1));
  await tx.query(
    `insert into ${table} (tenant_id, term, ${timeIn[table]}record_id)
     select $1, term, ${timeIn[table]}id from ${givenRows} on conflict do nothing`,
    [tenantId, ...arraysOf(sorted, { term: texts, createdAt: times, id: uuids })],
  );
}

async function deleteRows(tx: Transaction, table: TermTable, tenantId: string, rows: readonly Row[]): Promise<void> {
  if (rows.length === 0) return;
  const ofTime = table === 'list_terms' ? 'and t.created_at = n.created_at' : '';
  await tx.query(
    `delete from ${table} t using ${givenRows}
      where t.tenant_id = $1 and t.term = n.term ${ofTime} and t.record_id = n.id`,
    [tenantId, ...arraysOf(rows, { term: texts, createdAt: times, id: uuids })],
  );
}

function rowsOf({ id, createdAt }: StoredTerms, terms: readonly string[]): Row[] {
  return terms.map((term) => ({ id, createdAt, term }));
}

function without(terms: readonly string[], others: readonly string[]): string[] {
  return terms.filter((term) => !others.includes(term));
}

function linesOf(text: string | null | undefined): string[] {
  return text ? text.split('\n') : [];
}
