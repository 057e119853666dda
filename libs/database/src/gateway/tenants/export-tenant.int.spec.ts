import { encodeId, newUuid } from '@idsync/contracts';
import { ServiceDatabase } from '@idsync/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { dropConstraints, findTables, insertion, type Table } from '../../../test/tables-of-tenants.js';
import { useIndexOrder } from '../../transaction-settings.js';
import { exportTenant, readExportPosition } from './export-tenant.js';
import { exportedKinds, type KeyType, selectOf } from './exported-kinds.js';

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

/** Literals of the types of keys. */
const examples: Record<KeyType, string> = {
  uuid: `'${newUuid()}'`,
  text: `'a'`,
  bigint: '1',
  timestamptz: `'2025-01-01'`,
};

async function exported(tenantId: string, whileOpen = async () => {}, after = ''): Promise<Line[]> {
  const lines: string[] = [];
  await own.database.snapshot(tenantId, (tx) =>
    exportTenant(
      tx,
      async (line) => {
        if (lines.push(line) === 1) await whileOpen();
      },
      readExportPosition(after),
    ),
  );
  expect(lines.every((line) => line.indexOf('\n') === line.length - 1)).toBe(true);
  return lines.map((line) => JSON.parse(line));
}

describe('the export of a tenant', () => {
  it('has every table with tenants, or states why not', () => {
    const selected = [...new Set(Object.values(exportedKinds).map(({ table }) => table))];
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

  it('is continued after each position, with every line once', async () => {
    const tenant = await own.fixture.tenant('Cut');
    for (const name of ['identity_versions', 'scim_resources', 'failing_records', 'attribute_priorities']) {
      const table = tables.find((each) => each.name === name);
      if (table) await own.fixture.rows(insertion(table, tenant));
    }
    await own.fixture.rows(`update identity_versions set document = '' where tenant_id = $1`, [tenant]);
    await own.fixture.rows(
      `insert into identity_versions (tenant_id, identity_id, valid_until, document)
       select $1, md5((n / 7)::text)::uuid, '2025-01-01'::timestamptz + (n / 3) * interval '1 microsecond',
              to_json(repeat(md5(n::text), 100))::text
         from generate_series(1, 600) n`,
      [tenant],
    );
    await own.fixture.rows(
      `insert into events (tenant_id, sequence, id, type, occurred_at, details)
       select $1, n, gen_random_uuid(), 'user.created', now(), jsonb_build_object('text', repeat(md5(n::text), 100))
         from generate_series(2, 600) n`,
      [tenant],
    );
    const whole = await exported(tenant);
    const positions = whole.flatMap(({ position }, nth) => (position ? [{ position, nth }] : []));
    expect(new Set(positions.map(({ nth }) => whole[nth].kind))).toEqual(new Set(['identity_version', 'event']));
    for (const { position, nth } of positions) {
      const [first, ...rest] = await exported(tenant, undefined, position);
      expect(first).toMatchObject({ kind: 'continued', last_sequence: whole[0].last_sequence });
      const without = (lines: Line[]) => lines.map(({ position: _, ...line }) => line);
      const { lines, ...end } = whole.at(-1);
      expect(without(rest)).toEqual([
        ...without(whole.slice(nth + 1, -1)),
        { ...end, lines: { ...lines, continued: 1 } },
      ]);
    }
  });

  it.each([
    ['other text', 'x'],
    ['an unknown kind', '["toString",["a"],{}]'],
    ['a kind of one row', '["quotas",[],{}]'],
    ['too short a key', '["identity_version",["00000000-0000-7000-8000-000000000000"],{}]'],
    ['a key of another type', '["identity",["1"],{}]'],
    ['counts that are none', '["event",["1"],{"event":"x"}]'],
  ])('is not continued after %s', (_, text) => {
    expect(readExportPosition(Buffer.from(text).toString('base64url'))).toBeUndefined();
  });

  it.each(Object.entries(exportedKinds))('reads an index in its order: %s', async (_, kind) => {
    for (const isContinued of [false, true]) {
      const plan = await own.database.transaction(mine, async (tx) => {
        await useIndexOrder(tx);
        const values = [`'${mine}'`, ...Object.values(kind.key).map((type) => examples[type])];
        const select = selectOf(kind, isContinued).replaceAll(/\$(\d)/g, (_, nth) => values[nth - 1] ?? '');
        return tx.query<{ 'QUERY PLAN': string }>(`explain ${select}`);
      });
      expect(plan.map((line) => line['QUERY PLAN']).filter((line) => /Seq Scan|Sort/.test(line))).toEqual([]);
      if (Object.keys(kind.key).length === 0) break;
    }
  });
});
