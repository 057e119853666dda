import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { LargeTenant, people } from './support/plans/large-tenant.js';
import type { Statement } from './support/plans/plan-tap.js';

/**
 * The most rows that one step of a plan may read. Passes over all people, filtered pages of events and counts of
 * changes read parts of at most 5000 rows.
 */
const maxRows = 5_100;

/**
 * Documented limits of other reads: of counts, also of the members of listed groups, of the statistics of a webhook with
 * its attempts in progress, of a list of deliveries, and of what compares all records of a source at the end of a run.
 */
const otherLimits: readonly [RegExp, number][] = [
  [/^select count\(\*\) from \(select from \w+ where .* limit 10001\)/, 10_001],
  [/^select kind, \(select count\(\*\) from \( select from findings/, 10_001],
  [/^select total, page\.\* from \( select count\(\*\) as total from \( select from groups/, 50_200],
  [/^select w\.id, w\.callback_url/, 10_001],
  [/^with hours as .* newest as materialized \( select duration_ms from webhook_attempts/, 11_000],
  [/^with examined as materialized .* from webhook_deliveries/, 20_000],
  [/^select count\(\*\)::int as count from source_records where .* and not \(last_job_id = \$2/, 2 * people],
  [/^with repeated as materialized \( select id, .* from \(?(select seq, .* from )?seen_records/, 2 * people],
  [/^with missing as materialized .* from seen_records/, 2 * people],
  [/^with entry as materialized .* from sync_jobs j join sync_plan_entries e/, 2 * people],
];

/** A look-up in an index of three levels reads four blocks; an offset, and entries of deleted rows, add some. */
const maxBlocks = 100;

/** Indexes of queues, which have the entries of all rows that were deleted or delivered since the last vacuum. */
const queues = /^(match_queue|webhook_deliveries_(first|retry|retry_sequence)$)/;

let tenant: LargeTenant;

beforeAll(async () => {
  expect(maxRows).toBeLessThan(people / 2);
  tenant = await LargeTenant.start();
});

afterAll(() => tenant?.stop());

const limitOf = (text: string) => otherLimits.find(([statement]) => statement.test(text))?.[1] ?? maxRows;

/** Names each statement that reads more rows of the tenant than allowed, or more of an index than it needs. */
function tooMuch(statements: readonly Statement[], large: ReadonlySet<string>, blocksAllowed = maxBlocks): string[] {
  const found = new Map<string, string>();
  for (const { text, rows, by, blocks, index, sequential } of statements) {
    const scanned = sequential.filter((table) => large.has(table));
    if (scanned.length > 0) found.set(text, `sequential scan of ${scanned}: ${text}`);
    else if (rows > limitOf(text)) found.set(text, `${rows} rows by ${by}: ${text}`);
    else if (blocks > blocksAllowed && !queues.test(index))
      found.set(text, `${Math.round(blocks)} blocks of ${index}: ${text}`);
  }
  return [...found.values()];
}

describe('a statement of a service in a tenant with many people reads a bounded number of rows and blocks by index', () => {
  const plans = [
    ['with one plan for all values', { plansForValues: false }],
    ['with a plan for each value', { plansForValues: true }],
  ] as const;
  const check = async (options: { plansForValues: boolean }, blocksAllowed?: number) => {
    const statements = await tenant.work(options);
    expect(tooMuch(statements, await tenant.largeTables(), blocksAllowed)).toEqual([]);
    return statements;
  };

  it.each(plans)('of tables that were never analysed, %s', async (_, options) => {
    // Without a vacuum, the index of a queue has the entries of all deleted rows.
    const statements = await check(options, Number.POSITIVE_INFINITY);
    const work = [
      ...[/from identities where tenant_id/, /from list_positions/, /from search_terms/, /insert into source_records/],
      ...[/insert into events/, /insert into webhook_deliveries/, /insert into webhook_attempts/, /seen_records/],
      ...[/insert into former_references/, /from former_references where tenant_id/],
      ...[/update sync_jobs/, /insert into scim_resources/, /delete from record_versions/, /match_queue/],
      ...[/select sequence, id, type, .* from events where tenant_id = \$1 and sequence between \$2 and \$3/],
    ];
    expect(work.filter((each) => !statements.some(({ text }) => each.test(text)))).toEqual([]);
  });

  it.each(plans)('of tables that were analysed, %s', async (_, options) => {
    // Also vacuums, as autovacuum does: a queue full of dead rows has the statistics of an empty one.
    await tenant.fixture.rows('vacuum analyze');
    await check(options);
  });
});
