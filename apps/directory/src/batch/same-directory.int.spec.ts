import { encodeId, newUuid, type RecordKind, type SourceRecord } from '@idsync/contracts';
import type { Database } from '@idsync/database';
import { type DirectoryFixture, ServiceDatabase } from '@idsync/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { applyPlanned } from '../../test/apply-planned.js';
import { directoryFaults } from '../../test/directory-faults.js';
import { applyBatch } from './apply-batch.js';

let own: ServiceDatabase;
let database: Database;
let fixture: DirectoryFixture;

beforeAll(async () => {
  own = await ServiceDatabase.start('directory');
  ({ database, fixture } = own);
});

afterAll(async () => {
  await own?.close();
});

/** Fixed, because the newer of two values of the same priority wins. */
const sameMoment = new Date('2026-01-01T00:00:00Z');

interface Source {
  records: RecordKind;
  rows: SourceRecord[];
  pageSize: number;
}

const one = (values: string[]) => fc.option(fc.constantFrom(...values), { nil: undefined });
const row = fc.record({
  employee_number: one(['1', '2', '3', '4']),
  email: one(['a@x.org', 'b@x.org', 'c@x.org', 'd@x.org']),
  user_principal_name: one(['p', 'q', 'r']),
  first_name: one(['Ann', 'Bob', 'Cy']),
  last_name: one(['Lee', 'Berg']),
  status: one(['active', 'disabled', 'inactive']),
});
/** References by number, email, login, external id of one or several sources, and without a match. */
const name = one(['1', '3', 'A@x.org', 'b@x.org', 'p', 'user-0', 'user-1', 'user-5', 'nobody']);
const machine = fc
  .tuple(row, fc.record({ owned_by: name, manager_id: name, technical_inheritor: name }))
  .map(([own, named]) => ({ ...own, ...named }));

function source(records: RecordKind, maxLength: number): fc.Arbitrary<Source> {
  return fc.record({
    records: fc.constant(records),
    rows: fc
      .array<Record<string, string | undefined>>(records === 'machine_identity' ? machine : row, { maxLength })
      .map((rows) => rows.map((each, at) => recordOf(records, each, at))),
    pageSize: fc.integer({ min: 1, max: 4 }),
  });
}

function recordOf(kind: RecordKind, row: Record<string, string | undefined>, at: number): SourceRecord {
  const listed = Object.entries(row).filter(([, value]) => value !== undefined);
  const statuses: Record<string, string> = kind === 'user' ? { disabled: 'suspended' } : { inactive: 'disabled' };
  const fieldValue = (field: string, value: string) => (field === 'status' ? (statuses[value] ?? value) : value);
  return {
    external_id: `${kind}-${at}`,
    fields: Object.fromEntries(listed.map(([field, value]) => [field, [fieldValue(field, String(value))]])),
  };
}

const sources = fc.tuple(
  source('user', 6),
  source('user', 6),
  source('user', 3),
  source('account', 5),
  source('machine_identity', 4),
);

/** Fills a new tenant with concurrent jobs; `order` has the sort keys of the batches. */
async function fill(sources: readonly Source[], order: readonly number[], pageSizes?: number): Promise<object> {
  const tenant = await fixture.tenant();
  const batches: { connector: string; job: string; seq: number; records: SourceRecord[] }[] = [];
  for (const [at, { records, rows, pageSize }] of sources.entries()) {
    const connector = await fixture.connector(tenant, { records, priority: at, name: `source ${at}` });
    const job = await fixture.job(tenant, connector, 'running');
    const size = pageSizes ?? pageSize;
    for (let from = 0, seq = 0; from < rows.length; from += size, seq += 1) {
      batches.push({ connector, job, seq, records: rows.slice(from, from + size) });
    }
  }
  const sorted = batches
    .map((batch, at) => ({ batch, place: order[at % Math.max(order.length, 1)] ?? at }))
    .sort((a, b) => a.place - b.place);
  for (const { batch } of sorted) {
    const message = await fixture.batch(tenant, batch.connector, batch.job, batch.seq, batch.records);
    await applyBatch(database, message, { fixedTime: sameMoment });
  }
  for (const job of new Set(batches.map((batch) => batch.job))) {
    // An operator has decided about changes that take access from people.
    await fixture.rows(`update sync_jobs set decision = '{"action": "released"}' where id = $1`, [job]);
    await applyPlanned({ database, fixture, tenant }, job, sameMoment);
  }
  expect(await directoryFaults(fixture, tenant)).toEqual([]);
  return picture(tenant);
}

/** Returns the directory of a new tenant after two runs of all sources, the second one with the records `next`. */
async function runTwice(sources: readonly Source[], next: readonly SourceRecord[][]): Promise<object> {
  const tenant = await fixture.tenant();
  const connectors: string[] = [];
  for (const [at, { records }] of sources.entries()) {
    connectors.push(await fixture.connector(tenant, { records, priority: at, name: `source ${at}` }));
  }
  for (const listed of [sources.map(({ rows }) => rows), next]) {
    for (const [at, connector] of connectors.entries()) {
      const job = await fixture.job(tenant, connector, 'running');
      await applyBatch(database, await fixture.batch(tenant, connector, job, 0, listed[at] ?? []), {
        fixedTime: sameMoment,
      });
      await applyPlanned({ database, fixture, tenant }, job, sameMoment);
      await fixture.rows(`update sync_jobs set status = 'completed' where id = $1`, [job]);
    }
  }
  expect(await directoryFaults(fixture, tenant)).toEqual([]);
  return picture(tenant);
}

/** Returns a tenant's directory without ids and times, which differ between runs. */
async function picture(tenant: string): Promise<object> {
  const records = await fixture.rows<{ identity: string | null; name: string; status: string }>(
    `select r.identity_id as identity, c.name || ' ' || r.external_id as name, r.status
       from source_records r join connectors c on c.id = r.connector_id where r.tenant_id = $1 order by 2`,
    [tenant],
  );
  const identities = await fixture.rows<{ id: string; document: string; status: string }>(
    'select id, document, status from identities where tenant_id = $1',
    [tenant],
  );
  const shown = identities.map(({ id, document, status }) => {
    const { display_name, attributes } = JSON.parse(document) as {
      display_name?: string;
      attributes: { field_name: string; field_value: string; priority: number }[];
    };
    return {
      display_name,
      status,
      records: records.filter(({ identity }) => identity === id).map(({ name, status }) => `${name} ${status}`),
      attributes: attributes.map(({ field_name, field_value, priority }) => `${field_name}=${field_value} ${priority}`),
    };
  });
  const machines = await fixture.rows<{ name: string; document: string }>(
    `select c.name || ' ' || r.external_id as name, r.document from source_records r join connectors c on c.id = r.connector_id
      where r.tenant_id = $1 and r.kind = 'machine_identity' order by 1`,
    [tenant],
  );
  const nameOf = (id: string | undefined) => {
    const known = records.filter(({ identity }) => identity && encodeId('identity', identity) === id);
    return known.length > 0 ? known.map((each) => each.name).join() : id;
  };
  return {
    machines: machines.map(({ name, document }) => {
      const { owned_by, manager_id, technical_inheritor, risk_score, risk_factors } = JSON.parse(document);
      return { name, people: [owned_by, manager_id, technical_inheritor].map(nameOf), risk_score, risk_factors };
    }),
    identities: shown.sort((a, b) => ((a.records[0] ?? '') < (b.records[0] ?? '') ? -1 : 1)),
    unmatched: records.filter(({ identity }) => identity === null).map(({ name }) => name),
  };
}

/** A machine that moves from a person with a contested number to a person that only its email matches. */
const contestedNumber: [Source, Source, Source, Source, Source] = [
  { records: 'user', rows: [], pageSize: 1 },
  { records: 'user', rows: [{ external_id: 'user-0', fields: { email: ['b@x.org'] } }], pageSize: 1 },
  {
    records: 'user',
    rows: ['Ann Lee', 'Karl Berg'].map((name, at) => ({
      external_id: `user-${at}`,
      fields: { employee_number: ['2'], display_name: [name] },
    })),
    pageSize: 1,
  },
  { records: 'account', rows: [], pageSize: 1 },
  {
    records: 'machine_identity',
    rows: [{ external_id: 'machine_identity-0', fields: { employee_number: ['2'], email: ['b@x.org'] } }],
    pageSize: 1,
  },
];

describe('the directory', () => {
  it('does not depend on the order of batches, the size of pages and the interleaving of sources', async () => {
    await fc.assert(
      fc.asyncProperty(
        sources,
        fc.array(fc.integer({ min: 0, max: 1_000 }), { minLength: 30, maxLength: 30 }),
        async (sources, order) => {
          expect(await fill(sources, order)).toEqual(await fill(sources, [], 100));
        },
      ),
      {
        numRuns: Number(process.env.IDSYNC_PROPERTY_RUNS ?? 20),
        examples: [[contestedNumber, [0, 0, 1]]],
      },
    );
  }, 600_000);

  it('is the same after a full run and after an incremental run', async () => {
    await fc.assert(
      fc.asyncProperty(sources, sources, fc.infiniteStream(fc.boolean()), async (first, second, coin) => {
        const next = first.map(({ rows }, at) =>
          rows.map((row, place) => (coin.next().value ? (second[at]?.rows[place] ?? row) : row)),
        );
        const changed = next.map((rows, at) => rows.filter((row, place) => row !== first[at]?.rows[place]));
        expect(await runTwice(first, changed)).toEqual(await runTwice(first, next));
      }),
      { numRuns: 10 },
    );
  }, 600_000);

  it('is not changed by redelivered messages', async () => {
    await fc.assert(
      fc.asyncProperty(sources, async (sources) => {
        const tenant = await fixture.tenant();
        const messages: Parameters<typeof applyBatch>[1][] = [];
        for (const [at, { records, rows }] of sources.entries()) {
          const connector = await fixture.connector(tenant, { records, priority: at, name: `source ${at}` });
          const message = await fixture.batch(
            tenant,
            connector,
            await fixture.job(tenant, connector, 'running'),
            0,
            rows,
          );
          messages.push(message);
          await applyBatch(database, message);
        }
        const before = await everything(tenant);
        for (const message of messages) await applyBatch(database, message);
        // A republished batch has another message id, so the record hashes must prevent changes.
        for (const message of messages) await applyBatch(database, { ...message, id: newUuid() });
        expect(await everything(tenant)).toEqual(before);
      }),
      { numRuns: 5 },
    );
  }, 600_000);
});

async function everything(tenant: string): Promise<unknown> {
  const tables = [
    'identities',
    'source_records',
    'correlation_keys',
    'contested_keys',
    'waiting_records',
    'machine_references',
    'former_references',
    'events',
  ];
  return Promise.all(
    tables.map((table) =>
      fixture.rows(`select t::text as row from ${table} t where tenant_id = $1 order by 1`, [tenant]),
    ),
  );
}
