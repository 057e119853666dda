import { randomBytes } from 'node:crypto';
import { encodeId, installationId } from '@idsync/contracts';
import { ServiceDatabase } from '@idsync/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { rowsFetched } from '../../../test/rows-fetched.js';
import type { Database, Transaction } from '../../database.js';
import { anchorChains, findInstallationHead } from './anchors.js';
import { appendAudit } from './append.js';
import { hashOf } from './chain.js';
import { type AuditFilter, listAudit, listAuditEverywhere } from './list.js';
import { verifyAudit } from './verify.js';

type Keys = [Buffer, ...Buffer[]];

let own: ServiceDatabase;
let tenant: string;
let keys: Keys;

const act = { actor: { kind: 'service_token' as const, name: 'eva' }, outcome: 'accepted' as const };

beforeAll(async () => {
  own = await ServiceDatabase.start('gateway');
});

afterAll(() => own?.close());

beforeEach(async () => {
  tenant = await own.fixture.tenant();
  keys = [randomBytes(32)];
});

/** The type of the sources, where the fixture has the one of the build. */
const database = () => own.database as unknown as Database;
const append = (action: string, more: object = {}, chain = tenant) =>
  own.database.transaction(chain, (tx) => appendAudit(tx, chain, { ...act, action, ...more }, keys));
const verify = (options: Partial<Parameters<typeof verifyAudit>[3]> = {}) =>
  own.database.acrossTenants((tx) => verifyAudit(tx, tenant, keys, { after: 0, limit: 1_000, ...options }));
const list = (filter: AuditFilter & { after?: number; limit?: number; oldestFirst?: boolean }, examined?: number) =>
  own.database.readTransaction(tenant, (tx) => listAudit(tx, tenant, { limit: 50, ...filter }, examined));
/** Runs a statement as the owner of the database. */
const owner = (sql: string) => own.fixture.rows(sql.replaceAll('$tenant', `'${tenant}'`));

describe('an audit chain', () => {
  it('numbers its entries without gaps and in the order of their times, also under concurrency', async () => {
    await Promise.all(Array.from({ length: 20 }, (_, nth) => append(`act${nth}`)));
    const { rows } = await list({ oldestFirst: true });
    expect(rows.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 20 }, (_, nth) => nth + 1));
    const times = rows.map(({ at }) => at.getTime());
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(await verify()).toMatchObject({ verified: 20, problems: [], head: { sequence: 20 } });
  });

  it('hashes the text of each entry with the hash of the previous one', async () => {
    await append('first', { after: { z: 1, a: 'ü\0\ud800' } });
    await append('second');
    const { rows } = await list({ oldestFirst: true });
    const entries = rows.map(({ entry }) => JSON.parse(entry));
    expect(entries[0].previous_hash).toBe('0'.repeat(64));
    expect(entries[1].previous_hash).toBe(hashOf(rows[0]?.entry ?? '').toString('hex'));
    expect(entries[0]).toMatchObject({ tenant_id: encodeId('tenant', tenant), after: { z: 1, a: 'ü\0\ufffd' } });
    expect((await verify()).problems).toEqual([]);
  });

  it('has no entry of a transaction that is rolled back', async () => {
    await append('kept');
    const failed = own.database.transaction(tenant, async (tx) => {
      await appendAudit(tx, tenant, { ...act, action: 'undone' }, keys);
      throw new Error('the act failed');
    });
    await expect(failed).rejects.toThrow('the act failed');
    await append('next');
    expect((await list({ oldestFirst: true })).rows.map(({ sequence }) => sequence)).toEqual([1, 2]);
    expect((await verify()).problems).toEqual([]);
  });

  it('cannot be changed or shortened by the gateway', async () => {
    await append('act');
    for (const sql of [
      'update audit_entries set actor = actor',
      'delete from audit_entries',
      'truncate audit_entries',
    ]) {
      await expect(own.database.transaction(tenant, (tx) => tx.query(sql))).rejects.toThrow(/permission denied/);
    }
    await expect(own.database.transaction(tenant, (tx) => tx.query('delete from audit_heads'))).rejects.toThrow(
      /permission denied/,
    );
  });

  it('is continued by gateways with different encryption keys, and verified with both', async () => {
    const [old, next] = [randomBytes(32), randomBytes(32)];
    keys = [next];
    await append('by a new gateway');
    for (const nth of [1, 2]) {
      keys = [old];
      await append(`by an old gateway ${nth}`);
      keys = [next];
      await append(`by a new gateway ${nth}`);
    }
    keys = [next, old];
    expect(await verify()).toMatchObject({ verified: 6, problems: [] });
    expect((await list({ action: 'auditKeyAdded' })).rows).toHaveLength(1);
  });

  it('continues after its key was lost, with an entry that says so', async () => {
    await append('before');
    keys = [randomBytes(32)];
    await append('after');
    const { rows } = await list({ oldestFirst: true });
    expect(rows.map(({ entry }) => JSON.parse(entry).action)).toEqual(['before', 'auditKeyAdded', 'after']);
    expect((await verify()).problems).toEqual([{ sequence: 1, problem: 'unverifiable' }]);
  });
});

describe('the database owner', () => {
  beforeEach(async () => {
    for (let nth = 1; nth <= 5; nth += 1) await append(`act${nth}`, { resource: `job_${nth}` });
  });

  it.each([
    ['removes an entry', 'delete from audit_entries where tenant_id = $tenant and sequence = 3', [[3, 'missing']]],
    [
      'removes the newest entries',
      'delete from audit_entries where tenant_id = $tenant and sequence > 3',
      [
        [4, 'missing'],
        [5, 'missing'],
      ],
    ],
    [
      'changes a text',
      `update audit_entries set entry = replace(entry, 'eva', 'ann') where tenant_id = $tenant and sequence = 2`,
      [[2, 'changed']],
    ],
    [
      'changes a text and its hash',
      `update audit_entries set entry = replace(entry, 'eva', 'ann'), actor = 'ann',
              hash = sha256(convert_to(replace(entry, 'eva', 'ann'), 'UTF8')) where tenant_id = $tenant and sequence = 2`,
      [
        [2, 'changed'],
        [3, 'unlinked'],
      ],
    ],
    [
      'changes by whom an entry is found',
      `update audit_entries set actor = 'ann' where tenant_id = $tenant and sequence = 2`,
      [[2, 'changed']],
    ],
    [
      'removes the newest entries and sets the head back',
      `with gone as (delete from audit_entries where tenant_id = $tenant and sequence > 3)
       update audit_heads h set sequence = 3, hash = e.hash, mac = e.mac from audit_entries e
        where h.tenant_id = $tenant and e.tenant_id = $tenant and e.sequence = 3`,
      [[3, 'head']],
    ],
    ['removes the head', 'delete from audit_heads where tenant_id = $tenant', null],
  ] as const)('is detected: %s', async (_, sql, expected) => {
    await owner(sql);
    const { problems } = await verify();
    if (expected) expect(problems.map(({ sequence, problem }) => [sequence, problem])).toEqual(expected);
    else expect(problems).toContainEqual({ sequence: 5, problem: 'head' });
  });

  it('cannot restore an earlier state of the chain, because the chain of the installation or a known head contradicts it', async () => {
    const restore = async (state: { sequence: number; head: Record<string, unknown>[] }) => {
      const [head] = state.head;
      await owner(`delete from audit_entries where tenant_id = $tenant and sequence > ${state.sequence}`);
      await own.fixture.rows('update audit_heads set sequence = $2, hash = $3, mac = $4 where tenant_id = $1', [
        tenant,
        head?.sequence,
        head?.hash,
        head?.mac,
      ]);
    };
    const state = { sequence: 5, head: await owner('select * from audit_heads where tenant_id = $tenant') };
    await append('released');
    const known = (await verify()).head;
    await restore(state as never);
    expect((await verify()).problems).toEqual([]);
    const hash = known?.hash.toString('hex') ?? '';
    expect((await verify({ known: [{ sequence: 6, hash }] })).problems).toEqual([{ sequence: 6, problem: 'known' }]);

    await append('released again');
    await anchorChains(database(), keys, 100);
    await restore(state as never);
    expect((await verify()).problems).toEqual([{ sequence: 6, problem: 'anchor' }]);
  });
});

describe('anchoring', () => {
  it('mentions each chain that has grown, once', async () => {
    await append('act');
    const before = (await findInstallationHead(database()))?.sequence ?? 0;
    const waiting = await own.fixture.rows(
      'select from audit_heads where sequence > anchored_sequence and tenant_id <> $1',
      [installationId],
    );
    expect(await anchorChains(database(), keys, 1_000)).toBe(waiting.length);
    expect((await findInstallationHead(database()))?.sequence).toBeGreaterThan(before);
    expect(await anchorChains(database(), keys, 1_000)).toBe(0);
    expect((await verify()).problems).toEqual([]);
  });
});

describe('the entries of a chain', () => {
  it('are found by each filter and by all of them, newest first or oldest first, page by page', async () => {
    for (let nth = 1; nth <= 6; nth += 1) {
      await append(nth % 2 ? 'odd' : 'even', {
        actor: { kind: 'service_token', name: nth < 4 ? 'eva' : 'ann' },
        resource: `job_${nth % 3}`,
        request_id: `r${nth}`,
      });
    }
    const sequences = async (filter: AuditFilter & { oldestFirst?: boolean }, examined?: number) => {
      const found: number[] = [];
      for (let after: number | undefined, first = true; first || after !== undefined; first = false) {
        const page = await list({ ...filter, limit: 2, after }, examined);
        found.push(...page.rows.map(({ sequence }) => sequence));
        after = page.next;
      }
      return found;
    };
    for (const examined of [1, 3, 20_000]) {
      expect(await sequences({}, examined)).toEqual([6, 5, 4, 3, 2, 1]);
      expect(await sequences({ actor: 'eva', oldestFirst: true }, examined)).toEqual([1, 2, 3]);
      expect(await sequences({ actor: 'ann', action: 'odd' }, examined)).toEqual([5]);
      expect(await sequences({ resource: 'job_0' }, examined)).toEqual([6, 3]);
      expect(await sequences({ requestId: 'r4', actor: 'eva' }, examined)).toEqual([]);
    }
    const third = (await list({ requestId: 'r3' })).rows[0]?.at ?? new Date(0);
    const later = (await sequences({ since: third })).length;
    expect((await sequences({ until: third })).length).toBe(6 - later);
    expect(await sequences({ since: new Date('2999-01-01') })).toEqual([]);
    expect(await sequences({ until: new Date('2000-01-01') })).toEqual([]);
  });

  it('are listed across tenants, or for some of them', async () => {
    const everywhere = async (chains?: string[]) => {
      const found: string[] = [];
      for (let after: { createdAt: number; id: string } | undefined, first = true; first || after; first = false) {
        const page = await own.database.acrossTenants((tx) =>
          listAuditEverywhere(tx, { action: 'seen', limit: 1, after, chains }, 7),
        );
        found.push(...page.rows.map(({ tenantId }) => tenantId));
        after = page.next;
      }
      return found;
    };
    const other = await own.fixture.tenant();
    await append('seen');
    await append('seen', {}, other);
    await append('seen', {}, installationId);
    expect((await everywhere()).toSorted()).toEqual([tenant, other, installationId].toSorted());
    expect(await everywhere([other])).toEqual([other]);
    expect(await everywhere([])).toEqual([]);
  });

  it('cost a bounded number of rows among a hundred thousand that an analysis met half written, with any filter', async () => {
    await append('rare', { resource: 'job_rare', request_id: 'rare', actor: { kind: 'service_token', name: 'rare' } });
    await own.database.transaction(tenant, async (tx) => {
      const write = (first: number, last: number) =>
        tx.query(
          `insert into audit_entries (tenant_id, sequence, id, at, actor, action, resource, request_id, entry, hash, mac, key_id)
           select $1, n, gen_random_uuid(), now() + n * interval '1 ms', 'eva', 'act', 'job_' || n, 'r' || n, '{}', '', '', ''
             from generate_series($2::int, $3::int) n`,
          [tenant, first, last],
        );
      await write(2, 50_000);
      await own.fixture.rows('analyze audit_entries');
      await write(50_001, 100_000);
    });
    const filters: AuditFilter[] = [
      {},
      { actor: 'rare' },
      { action: 'rare' },
      { resource: 'job_rare' },
      { requestId: 'rare' },
      { since: new Date('2999-01-01') },
      { actor: 'eva', requestId: 'r70' },
    ];
    const cost = (tx: Transaction, work: () => Promise<unknown>) => fetchedBy(tx, 'audit_entries', work);
    for (const filter of filters) {
      const rows = await own.database.readTransaction(tenant, (tx) =>
        cost(tx, () => listAudit(tx, tenant, { limit: 50, ...filter })),
      );
      expect({ filter, few: rows < 500 }).toEqual({ filter, few: true });
    }
    const both = await own.database.readTransaction(tenant, (tx) =>
      cost(tx, () => listAudit(tx, tenant, { limit: 50, actor: 'eva', action: 'rare' })),
    );
    expect(both).toBeLessThan(45_000);
    const all = await own.database.acrossTenants((tx) =>
      cost(tx, () => listAuditEverywhere(tx, { limit: 50, action: 'rare' })),
    );
    expect(all).toBeLessThan(45_000);
  });
});

/** Rows of a table that the work fetches. */
async function fetchedBy(tx: Transaction, table: string, work: () => Promise<unknown>): Promise<number> {
  const before = await rowsFetched(tx, table);
  await work();
  return (await rowsFetched(tx, table)) - before;
}
