import { documentVersion } from '@idsync/contracts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { directoryFaults } from '../test/directory-faults.js';
import { Harness, row } from '../test/harness.js';
import { proposeMatches } from './propose-matches.js';
import { type RerenderOptions, rerenderDocuments } from './rerender-documents.js';

let directory: Harness;
let hr: string;

/** All documents of a tenant that clients can read. */
interface Shown {
  documents: unknown[];
  events: unknown[];
  versions: unknown[];
}

beforeAll(async () => {
  directory = await Harness.create();
});

beforeEach(async () => {
  await directory.newTenant();
  hr = await directory.fixture.connector(directory.tenant, { priority: 10 });
  const apps = await directory.fixture.connector(directory.tenant, { priority: 20, records: 'account' });
  const bots = await directory.fixture.connector(directory.tenant, { priority: 30, records: 'machine_identity' });
  const people = ['1', '2', '3', '4', '5'].map((id) => row(id, { email: `p${id}@x.org`, first_name: `P${id}` }));
  await directory.sync(hr, people);
  await directory.sync(apps, [row('a', { email: 'p1@x.org' }), row('b', { email: 'nobody@x.org' })]);
  await directory.sync(bots, [row('bot', { owned_by: 'p2@x.org', display_name: 'Build Bot' })]);
});

afterAll(() => directory?.close());

/** The progress of the rendering: of how many records, and how many are done. */
async function progress() {
  const [row] = await directory.fixture.rows(
    'select total::int, done::int from document_renderings where tenant_id = $1',
    [directory.tenant],
  );
  return row;
}

const soon = () => new Date(Date.now() + 60_000);
const rerender = (options: Partial<RerenderOptions>) =>
  rerenderDocuments(directory.database, directory.tenant, { until: soon(), delaySeconds: 0, ...options });

async function shown(): Promise<Shown> {
  const of = (sql: string) => directory.fixture.rows(sql, [directory.tenant]);
  return {
    documents: await of(
      `select id, document, updated_at from source_records where tenant_id = $1
       union all select id, document, updated_at from identities where tenant_id = $1 order by id`,
    ),
    events: await of('select id from events where tenant_id = $1'),
    versions: await of('select id from identity_versions where tenant_id = $1'),
  };
}

/** Replaces the documents by those of another version. */
async function writeOldDocuments(): Promise<void> {
  for (const table of ['source_records', 'identities']) {
    await directory.fixture.rows(`update ${table} set document = '{"old":true}' where tenant_id = $1`, [
      directory.tenant,
    ]);
  }
}

async function countOld(): Promise<number> {
  const { documents } = await shown();
  return documents.filter((each) => (each as { document: string }).document === '{"old":true}').length;
}

describe('documents of another version', () => {
  it('are rendered again without an event, a history entry or a new update time', async () => {
    const before = await shown();
    await writeOldDocuments();
    expect(await rerender({ version: 2 })).toBe(8);
    expect(await shown()).toEqual(before);
    expect(await directoryFaults(directory.fixture, directory.tenant)).toEqual([]);
  });

  it('have their records compared by the lookup keys of this version', async () => {
    const ad = await directory.fixture.connector(directory.tenant, { priority: 40 });
    await directory.sync(ad, [row('j', { first_name: 'Juergen', last_name: 'Gross' })]);
    await directory.sync(hr, [row('6', { first_name: 'Jürgen', last_name: 'Groß' })]);
    await directory.fixture.rows('delete from review_cases where tenant_id = $1', [directory.tenant]);
    await directory.fixture.rows(`update weak_keys set value = 'old ' || record_id || value where tenant_id = $1`, [
      directory.tenant,
    ]);
    await rerender({ version: 2, chunkSize: 2 });
    await proposeMatches(directory.database, { tenant_id: directory.tenant });
    const cases = 'select r.external_id from review_cases c join source_records r on r.id = c.record_id';
    expect(await directory.fixture.rows(`${cases} where c.tenant_id = $1`, [directory.tenant])).toEqual([
      { external_id: 'j' },
    ]);
    const machines = `select from weak_keys w join source_records r on r.id = w.record_id
      where r.tenant_id = $1 and r.kind = 'machine_identity'`;
    expect(await directory.fixture.rows(machines, [directory.tenant])).toEqual([]);
    const old = `select from weak_keys where tenant_id = $1 and value like 'old %'`;
    expect(await directory.fixture.rows(old, [directory.tenant])).toEqual([]);
  });

  it('are rendered once', async () => {
    await rerender({ version: 2 });
    await writeOldDocuments();
    expect(await rerender({ version: 2 })).toBe(0);
  });

  it('continue after the last chunk when a process is killed', async () => {
    const before = await shown();
    await writeOldDocuments();
    const all = await countOld();
    const failing = directory.database.transaction.bind(directory.database);
    let chunks = 0;
    directory.database.transaction = (async (tenantId, work) => {
      chunks += 1;
      if (chunks > 4) throw new Error('killed');
      return failing(tenantId, work);
    }) as typeof failing;
    await expect(rerender({ version: 2, chunkSize: 1 })).rejects.toThrow('killed');
    directory.database.transaction = failing;
    const left = await countOld();
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThan(all);
    expect(await rerender({ version: 2, chunkSize: 1 })).toBe(5);
    expect(await shown()).toEqual(before);
  });

  it('wait until processes of the previous version have stopped', async () => {
    await writeOldDocuments();
    const old = await countOld();
    expect(await rerender({ version: 2, delaySeconds: 3_600 })).toBe(0);
    expect(await countOld()).toBe(old);
  });

  it('wait longer while processes of two versions run concurrently', async () => {
    await writeOldDocuments();
    const old = await countOld();
    await rerender({ version: 2, delaySeconds: 3_600 });
    await rerender({ version: 1, delaySeconds: 3_600 });
    expect(await rerender({ version: 2, delaySeconds: 3_600 })).toBe(0);
    expect(await countOld()).toBe(old);
  });

  it('are rendered in the previous shape when a version is rolled back', async () => {
    const before = await shown();
    await rerender({ version: 2 });
    await writeOldDocuments();
    expect(await rerender({ version: 1 })).toBe(8);
    expect(await shown()).toEqual(before);
  });

  it('are rendered by one process at a time', async () => {
    await writeOldDocuments();
    await rerender({ version: 2, until: new Date(0) });
    await directory.database.transaction(directory.tenant, async (tx) => {
      await tx.query('select from document_renderings where tenant_id = $1 for update', [directory.tenant]);
      expect(await rerender({ version: 2 })).toBe(0);
    });
    expect(await rerender({ version: 2 })).toBe(8);
  });
});

describe('documents of the current version', () => {
  it('are not read', async () => {
    await rerender({ version: documentVersion });
    await writeOldDocuments();
    expect(await rerender({ version: documentVersion })).toBe(0);
  });
});

describe('the progress of rendering', () => {
  it('counts the records of the tenant, and begins again with another version', async () => {
    await rerender({ version: 5, delaySeconds: 60 });
    expect(await progress()).toEqual({ total: 8, done: 0 });
    await directory.fixture.rows('update document_renderings set begin_at = now() where tenant_id = $1', [
      directory.tenant,
    ]);
    await rerender({ version: 5, chunkSize: 2 });
    expect(await progress()).toEqual({ total: 8, done: 8 });
    await rerender({ version: 6, delaySeconds: 60 });
    expect(await progress()).toEqual({ total: 8, done: 0 });
  });
});
