import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { LargeTenant, people } from './support/plans/large-tenant.js';
import type { Statement } from './support/plans/plan-tap.js';

/**
 * The most rows that one step of a plan may read. Passes over all people, filtered pages of events and counts of
 * changes read parts of at most 5000 rows.
 */
const maxRows = 5_100;

/** Documented limits of other reads: of counts, of the statistics of a webhook, and of a list of deliveries. */
const otherLimits: readonly [RegExp, number][] = [
  [/^select count\(\*\) from \(select from \w+ where .* limit 10001\)/, 10_001],
  [/^select kind, \(select count\(\*\) from \( select from findings/, 10_001],
  [/^with hours as .* newest as materialized \( select duration_ms from webhook_attempts/, 10_000],
  [/^with examined as materialized .* from webhook_deliveries/, 20_000],
];

let tenant: LargeTenant;

beforeAll(async () => {
  expect(maxRows).toBeLessThan(people / 2);
  tenant = await LargeTenant.start();
});

afterAll(() => tenant?.stop());

const limitOf = (text: string) => otherLimits.find(([statement]) => statement.test(text))?.[1] ?? maxRows;

/** Names each statement that reads more rows of the tenant than allowed. */
function tooMuch(statements: readonly Statement[], large: ReadonlySet<string>): string[] {
  const found = new Map<string, string>();
  for (const { text, rows, by, sequential } of statements) {
    const scanned = sequential.filter((table) => large.has(table));
    if (scanned.length > 0) found.set(text, `sequential scan of ${scanned}: ${text}`);
    else if (rows > limitOf(text)) found.set(text, `${rows} rows by ${by}: ${text}`);
  }
  return [...found.values()];
}

describe('a statement of a service in a tenant with many people reads a bounded number of rows by index', () => {
  it('of tables that were never analysed', async () => {
    const statements = await tenant.work();
    const work = [
      ...[/from identities where tenant_id/, /from list_positions/, /from search_terms/, /insert into source_records/],
      ...[/insert into events/, /insert into webhook_deliveries/, /insert into webhook_attempts/, /seen_records/],
      ...[/insert into former_references/, /from former_references where tenant_id/],
      ...[/update sync_jobs/, /insert into scim_resources/, /delete from record_versions/, /match_queue/],
      ...[/select sequence, id, type, .* from events where tenant_id = \$1 and sequence between \$2 and \$3/],
    ];
    expect(work.filter((each) => !statements.some(({ text }) => each.test(text)))).toEqual([]);
    expect(tooMuch(statements, await tenant.largeTables())).toEqual([]);
  });

  it('of tables that were analysed', async () => {
    // Also vacuums, as autovacuum does: a queue full of dead rows has the statistics of an empty one.
    await tenant.fixture.rows('vacuum analyze');
    expect(tooMuch(await tenant.work(), await tenant.largeTables())).toEqual([]);
  });
});
