import { encodeId, newUuid } from '@idsync/contracts';
import { ServiceDatabase } from '@idsync/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { dropConstraints, findTables, insertion, type Table } from '../../../test/tables-of-tenants.js';
import { exportTenant } from './export-tenant.js';
import { exportedKinds } from './exported-kinds.js';

/** Tables that an export leaves out. */
const leftOut = {
  secrets: [
    ...['audit_heads', 'audit_keys', 'connector_secrets', 'suppression_hashes', 'suppression_keys'],
    ...['portal_links', 'webhook_headers', 'webhook_secrets'],
  ],
  'of the installation': ['logout_tokens', 'operator_sessions', 'service_tokens'],
  'computed from the records': [
    ...['contested_keys', 'correlation_keys', 'directory_counters', 'list_positions', 'list_terms'],
    ...[
      'former_references',
      'machine_references',
      'match_queue',
      'search_terms',
      'waiting_records',
      'weak_keys',
      'scim_members',
    ],
  ],
  'progress of work': [
    ...['batches_begun', 'connector_probes', 'connector_states', 'fan_out_positions'],
    ...['due_tenants', 'finding_passes'],
    ...['idempotency_keys', 'scim_positions', 'seen_records', 'sync_batches', 'sync_plan_entries', 'sync_plans'],
    ...['sync_record_errors', 'tenant_deletions', 'webhook_endpoints', 'webhook_replays'],
  ],
  'sent to webhooks': ['event_payloads', 'webhook_attempts', 'webhook_deliveries', 'webhook_hours'],
  'in the first line': ['event_sequences', 'tenants'],
};

let own: ServiceDatabase;
let tables: Table[];
const [mine, theirs] = [newUuid(), newUuid()];

beforeAll(async () => {
  own = await ServiceDatabase.start('gateway');
  const { fixture } = own;
  await dropConstraints(fixture);
  tables = await findTables(fixture);
  for (const table of tables) for (const tenant of [mine, theirs]) await fixture.rows(insertion(table, tenant));
  await fixture.rows(
    `update source_records set kind = 'user', document = '{"name": "Å"}', external_id = 'of ' || tenant_id`,
  );
  await fixture.rows(`update identities set document = '{}'`);
  await fixture.rows(`update identity_versions set document = ''`);
  await fixture.rows(`update record_versions set document = '{}'`);
});

afterAll(() => own?.close());

// biome-ignore lint/suspicious/noExplicitAny: tests assert the shape of lines
type Line = any;

async function exported(tenantId: string, whileOpen = async () => {}): Promise<Line[]> {
  const lines: string[] = [];
  await own.database.snapshot(tenantId, (tx) =>
    exportTenant(tx, tenantId, async (line) => {
      if (lines.push(line) === 1) await whileOpen();
    }),
  );
  expect(lines.every((line) => line.indexOf('\n') === line.length - 1)).toBe(true);
  return lines.map((line) => JSON.parse(line));
}

describe('the export of a tenant', () => {
  it('has every table with tenants, or states why not', () => {
    const selects = Object.values(exportedKinds).flatMap(({ selects }) => selects);
    const selected = tables.map(({ name }) => name).filter((name) => selects.some((sql) => sql.includes(` ${name} `)));
    expect([...selected, ...Object.values(leftOut).flat()].sort()).toEqual(tables.map(({ name }) => name));
  });

  it('has one line for each row of the tenant, and none of another tenant', async () => {
    const lines = await exported(mine);
    const kinds = [
      'tenant',
      ...Object.keys(exportedKinds).filter((kind) => !['account', 'machine_identity'].includes(kind)),
    ];
    expect(lines.map(({ kind }) => kind)).toEqual([...kinds, 'end']);
    expect(lines[0]).toMatchObject({ id: encodeId('tenant', mine), uuid: mine, last_sequence: 1 });
    const user = lines.find(({ kind }) => kind === 'user');
    expect(user).toMatchObject({ document: { name: 'Å' }, external_id: `of ${mine}` });
    expect(user.id).toBe(encodeId('user', user.uuid));
    expect(user.connector_id).toMatch(/^con_/);
    expect(JSON.stringify(lines)).not.toContain(theirs);
  });

  it('ends with the number of lines of each kind', async () => {
    const lines = await exported(mine);
    const { lines: counts } = lines.at(-1);
    expect(Object.keys(counts)).toEqual(['tenant', ...Object.keys(exportedKinds)]);
    expect(Object.values<number>(counts).reduce((sum, count) => sum + count)).toBe(lines.length - 1);
  });

  it('shows one moment: changes after its beginning are not in it', async () => {
    const tenant = await own.fixture.tenant('Large');
    const add = () =>
      own.fixture.rows(
        `insert into webhooks (id, tenant_id, callback_url, events)
         select gen_random_uuid(), $1, 'https://a.b', '{*}' from generate_series(1, 120)`,
        [tenant],
      );
    await add();
    const during = await exported(tenant, async () => void (await add()));
    expect(during.at(-1).lines.webhook).toBe(120);
    expect((await exported(tenant)).at(-1).lines.webhook).toBe(240);
  });

  it.each(Object.entries(exportedKinds))('reads an index and no table of all tenants: %s', async (_, { selects }) => {
    for (const select of selects) {
      const plan = await own.database.transaction(mine, async (tx) => {
        await tx.query('set local enable_seqscan = off');
        return tx.query<{ 'QUERY PLAN': string }>(`explain ${select.replaceAll('$1', `'${mine}'::uuid`)}`);
      });
      expect(plan.map((line) => line['QUERY PLAN']).filter((line) => line.includes('Seq Scan'))).toEqual([]);
    }
  });
});
