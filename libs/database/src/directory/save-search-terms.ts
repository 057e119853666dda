// SQL by hand: writes in bulk, benchmarked.
import { texts, uuids } from '../arrays.js';
import type { Transaction } from '../database.js';
import { searchTermsOf } from './search-terms.js';

interface Searchable {
  id: string;
  fields: Readonly<Record<string, readonly string[]>>;
}

/** Terms of records as the column `search_terms` holds them. Folded values contain no line breaks. */
export function joinedTerms(records: readonly Pick<Searchable, 'fields'>[]): string[] {
  return records.map(({ fields }) => searchTermsOf(fields).join('\n'));
}

/**
 * Inserts the terms of the new records that the CTE `inserted` returns, with the tenant as `$1`. Rows in the order of the
 * index touch each of its pages once. No other transaction has these records, so no row can conflict.
 */
export const insertTermsOfInserted = `insert into search_terms (tenant_id, term, record_id)
  select $1, string_to_table(search_terms, E'\\n') collate "C" as term, id from inserted order by term`;

/** Replaces the terms of stored records. Call it before the column changes; a record with the same terms is not written. */
export async function updateSearchTerms(
  tx: Transaction,
  records: readonly Searchable[],
  joined: readonly string[],
): Promise<void> {
  const now = new Map(records.map(({ id }, nth) => [id, joined[nth] ?? '']));
  const changed = await tx.query<{ tenantId: string; id: string; was: string }>(
    `select r.tenant_id as "tenantId", r.id, r.search_terms as was from unnest($1::uuid[], $2::text[]) as n (id, terms)
      cross join lateral (select tenant_id, id, search_terms from source_records where id = n.id limit 1) r
      where r.search_terms <> n.terms`,
    [uuids([...now.keys()]), texts([...now.values()])],
  );
  const [first] = changed;
  if (!first) return;
  const pairs = changed.map(({ id, was }) => ({ id, was: linesOf(was), terms: linesOf(now.get(id)) }));
  await deletePairs(
    tx,
    first.tenantId,
    pairs.flatMap(({ id, was, terms }) => was.filter((term) => !terms.includes(term)).map((term) => ({ id, term }))),
  );
  await insertPairs(
    tx,
    first.tenantId,
    pairs.flatMap(({ id, was, terms }) => terms.filter((term) => !was.includes(term)).map((term) => ({ id, term }))),
  );
}

/** Deletes the terms of records that will be deleted. */
export async function deleteSearchTerms(tx: Transaction, recordIds: readonly string[]): Promise<void> {
  const rows = await tx.query<{ tenantId: string; id: string; was: string }>(
    'select tenant_id as "tenantId", id, search_terms as was from source_records where id = any($1)',
    [recordIds],
  );
  const pairs = rows.flatMap(({ id, was }) => linesOf(was).map((term) => ({ id, term })));
  if (rows[0]) await deletePairs(tx, rows[0].tenantId, pairs);
}

interface Pair {
  id: string;
  term: string;
}

async function insertPairs(tx: Transaction, tenantId: string, pairs: readonly Pair[]): Promise<void> {
  if (pairs.length === 0) return;
  // Rows in the order of the index touch each of its pages once.
  const sorted = [...pairs].sort((a, b) => (a.term < b.term ? -1 : 1));
  await tx.query(
    `insert into search_terms (tenant_id, term, record_id) select $1, * from unnest($2::text[], $3::uuid[])
     on conflict do nothing`,
    [tenantId, texts(sorted.map(({ term }) => term)), uuids(sorted.map(({ id }) => id))],
  );
}

async function deletePairs(tx: Transaction, tenantId: string, pairs: readonly Pair[]): Promise<void> {
  if (pairs.length === 0) return;
  await tx.query(
    `delete from search_terms t using unnest($2::text[], $3::uuid[]) as n (term, id)
      where t.tenant_id = $1 and t.term = n.term and t.record_id = n.id`,
    [tenantId, texts(pairs.map(({ term }) => term)), uuids(pairs.map(({ id }) => id))],
  );
}

function linesOf(text: string | undefined): string[] {
  return text ? text.split('\n') : [];
}
