import {
  defaultMatchingRules,
  encodeId,
  type MatchingRules,
  type OperationInput,
  type OperationType,
  type RecordKind,
  type SourceRecord,
} from '@idsync/contracts';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { directoryFaults } from '../../test/directory-faults.js';
import { Harness, row } from '../../test/harness.js';
import { applyDue } from '../background/due-work.js';
import { applyBatch } from '../batch/apply-batch.js';

const runs = Number(process.env.IDSYNC_PROPERTY_RUNS ?? 15);

const directory = Harness.ofFile();

const one = (values: string[]) => fc.option(fc.constantFrom(...values), { nil: undefined });
const rowValues = fc.record({
  employee_number: one(['1', '2', '3']),
  email: one(['a@x.org', 'b@x.org', 'c@x.org', 'd@x.org']),
  user_principal_name: one(['p', 'q']),
  first_name: one(['Ann', 'Bob']),
  last_name: one(['Lee', 'Poe']),
  status: one(['active', 'inactive', 'deleted']),
});
type Row = typeof rowValues extends fc.Arbitrary<infer Value> ? Value : never;

const sources = [
  { kind: 'user', name: 'HR' },
  { kind: 'user', name: 'AD' },
  { kind: 'account', name: 'CRM' },
  { kind: 'machine_identity', name: 'Bots' },
] as const satisfies { kind: RecordKind; name: string }[];

const lists = fc.tuple(...sources.map(() => fc.array(rowValues, { maxLength: 4 })));

const statuses: Record<RecordKind, Record<string, string>> = {
  user: { active: 'active', inactive: 'inactive', deleted: 'deleted' },
  account: { active: 'active', inactive: 'disabled', deleted: 'deleted' },
  machine_identity: { active: 'active', inactive: 'disabled', deleted: 'decommissioned' },
};

function recordOf(source: number, row: Row, at: number): SourceRecord {
  const { kind = 'user', name } = sources[source] ?? {};
  const fields = Object.entries(row).flatMap(([field, value]) => {
    if (value === undefined) return [];
    return [[field, [field === 'status' ? (statuses[kind][value] ?? value) : value]]];
  });
  return { external_id: `${name}-${at}`, fields: Object.fromEntries(fields) };
}

/** A fixed time for each step, so that the result does not depend on the clock. */
const day = (number: number) => new Date(Date.UTC(2026, 0, number)).toISOString();

async function fill(rows: readonly Row[][]): Promise<string[]> {
  await directory.newTenant();
  const connectors: string[] = [];
  for (const [at, { kind, name }] of sources.entries()) {
    connectors.push(await directory.fixture.connector(directory.tenant, { records: kind, name, priority: 10 * at }));
  }
  for (const [at, connector] of connectors.entries()) await syncList(connector, at, rows[at] ?? [], 1);
  return connectors;
}

async function syncList(connector: string, source: number, rows: readonly Row[], on: number): Promise<string> {
  return directory.sync(
    connector,
    rows.map((row, at) => recordOf(source, row, at)),
    day(on),
  );
}

async function identityIds(): Promise<string[]> {
  const rows = await directory.fixture.rows<{ id: string }>(
    'select id from identities where tenant_id = $1 order by created_at, id',
    [directory.tenant],
  );
  return rows.map(({ id }) => id);
}

async function recordIdsOf(identity: string): Promise<string[]> {
  const rows = await directory.fixture.rows<{ id: string }>(
    'select id from source_records where identity_id = $1 order by id',
    [identity],
  );
  return rows.map(({ id }) => id);
}

async function linksBeside(recordIds: readonly string[]): Promise<object[]> {
  return directory.fixture.rows(
    'select id, identity_id from source_records where tenant_id = $1 and id <> all($2) order by id',
    [directory.tenant, recordIds],
  );
}

type Picture = Record<string, Record<string, unknown>[]>;

/** Identities, links and keys, without the times of the last rendering. */
async function picture(): Promise<Picture> {
  const untimed = `regexp_replace(document, '"(updated_at|last_synced_at)":"[^"]*"', '', 'g')`;
  const tables = {
    identities: `select id, display_name, status, created_at, ${untimed} as document from identities where tenant_id = $1`,
    links: `select id, identity_id, decided, linked_by, status, ${untimed} as document from source_records where tenant_id = $1`,
    keys: 'select kind, value, identity_id, shared from correlation_keys where tenant_id = $1',
    contests: 'select kind, value, record_id from contested_keys where tenant_id = $1',
    waiting: 'select kind, value, record_id from waiting_records where tenant_id = $1',
    redirects: 'select id, into_id from identity_redirects where tenant_id = $1',
    totals: 'select resource, status, count from directory_counters where tenant_id = $1 and count <> 0',
  };
  const entries = Object.entries(tables).map(async ([name, sql]) => {
    const rows = await directory.fixture.rows<Record<string, unknown>>(`select * from (${sql}) as t order by t::text`, [
      directory.tenant,
    ]);
    return [name, rows] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}

/** Picks two different items of a list, if it has two. */
const pairOf = <T>(items: readonly T[], [a, b]: readonly [number, number]): [T, T] | undefined => {
  const first = items[a % items.length];
  const others = items.filter((item) => item !== first);
  const second = others[b % others.length];
  return first === undefined || second === undefined ? undefined : [first, second];
};
const twoNumbers = fc.tuple(fc.nat(100), fc.nat(100));

describe('a merge', () => {
  it('followed by its revert leaves the directory unchanged', async () => {
    await fc.assert(
      fc.asyncProperty(lists, twoNumbers, async (rows, numbers) => {
        await fill(rows);
        const pair = pairOf(await identityIds(), numbers);
        fc.pre(pair !== undefined);
        const [into_id, from_id] = pair ?? ['', ''];
        const before = await picture();
        const merged = await directory.operate('identity.merge', { into_id, from_ids: [from_id] }, day(2));
        expect(merged.status).toBe('done');
        expect(await identityIds()).not.toContain(from_id);
        const reverted = await directory.operate('operation.revert', { operation_id: merged.id }, day(3));
        expect(reverted.status).toBe('done');
        expect(await picture()).toEqual(before);
      }),
      { numRuns: runs },
    );
  }, 600_000);

  it('of records that a later one joins anyway leaves them together when it is reverted, in the older identity', async () => {
    await directory.newTenant();
    const connectorOf = (name: string) => directory.fixture.connector(directory.tenant, { name });
    const [hr, ad, payroll] = [await connectorOf('HR'), await connectorOf('AD'), await connectorOf('Payroll')];
    await directory.sync(hr, [row('ann', { employee_number: '7' })], day(1));
    await directory.sync(ad, [row('ann-ad', { email: 'ann@x.org' })], day(1));
    const [older, other] = [await directory.identityOf('ann'), await directory.identityOf('ann-ad')];
    const merged = await directory.operate('identity.merge', { into_id: older, from_ids: [other] }, day(2));
    await directory.sync(payroll, [row('ann-2', { email: 'ann@x.org', employee_number: '7' })], day(3));
    const reverted = await directory.operate('operation.revert', { operation_id: merged.id }, day(4));
    expect(reverted.status).toBe('done');
    const ids = await Promise.all(['ann', 'ann-ad', 'ann-2'].map((id) => directory.identityOf(id)));
    expect(ids).toEqual([older, older, older]);
    const evidence = `select evidence ->> 'kind' as kind from source_records where tenant_id = $1 and external_id = 'ann-ad'`;
    expect(await directory.fixture.rows(evidence, [directory.tenant])).toEqual([{ kind: 'keys' }]);
    const redirects = 'select id, into_id from identity_redirects where tenant_id = $1';
    expect(await directory.fixture.rows(redirects, [directory.tenant])).toEqual([{ id: other, into_id: older }]);
    expect(await directoryFaults(directory.fixture, directory.tenant)).toEqual([]);
  });

  it('into an identity that is then merged itself is left by the revert of the second merge', async () => {
    await directory.newTenant();
    const hr = await directory.fixture.connector(directory.tenant, { name: 'HR' });
    await directory.sync(
      hr,
      ['a', 'b', 'c'].map((id) => row(id, { employee_number: id })),
      day(1),
    );
    const [a = '', b = '', c = ''] = await Promise.all(['a', 'b', 'c'].map((id) => directory.identityOf(id)));
    const redirects = async () =>
      directory.fixture.rows('select id, into_id from identity_redirects where tenant_id = $1 order by id', [
        directory.tenant,
      ]);
    await directory.operate('identity.merge', { into_id: b, from_ids: [a] }, day(2));
    const once = await redirects();
    expect(once).toEqual([{ id: a, into_id: b }]);
    const second = await directory.operate('identity.merge', { into_id: c, from_ids: [b] }, day(3));
    expect((await redirects()).map((each) => (each as { into_id: string }).into_id)).toEqual([c, c]);
    await directory.operate('operation.revert', { operation_id: second.id }, day(4));
    expect(await redirects()).toEqual(once);
  });

  it('gives a person back the identity from before a running job, when it is reverted', async () => {
    await directory.newTenant();
    const connectorOf = (name: string) => directory.fixture.connector(directory.tenant, { name });
    const [hr, payroll, okta] = [await connectorOf('HR'), await connectorOf('Payroll'), await connectorOf('Okta')];
    await directory.sync(okta, [row('okta', { email: 'ann@x.org' })], day(1));
    await directory.sync(hr, [row('hr', { display_name: 'Ann Lee', email: 'lee@x.org' })], day(1));
    await directory.sync(payroll, [row('payroll', { display_name: 'Bob Poe', email: 'lee@x.org' })], day(1));
    const identities = () => Promise.all(['okta', 'hr', 'payroll'].map((id) => directory.identityOf(id)));
    const before = await identities();
    const [, into_id = '', from_id = ''] = before;
    const merged = await directory.operate('identity.merge', { into_id, from_ids: [from_id] }, day(2));
    const job = await directory.fixture.job(directory.tenant, okta, 'running');
    const changed = [row('okta', { email: 'lee@x.org' })];
    const batch = await directory.fixture.batch(directory.tenant, okta, job, 0, changed);
    await applyBatch(directory.database, batch, { fixedTime: new Date(day(3)) });
    expect(new Set(await identities()).size).toBe(1);
    await directory.operate('operation.revert', { operation_id: merged.id }, day(4));
    expect(await identities()).toEqual(before);
  });

  it('followed by a split of the merged records leaves the directory unchanged except for a new identity id', async () => {
    await fc.assert(
      fc.asyncProperty(lists, twoNumbers, async (rows, numbers) => {
        await fill(rows);
        const pair = pairOf(await identityIds(), numbers);
        fc.pre(pair !== undefined);
        const [into_id, from_id] = pair ?? ['', ''];
        const before = await picture();
        const brought = await recordIdsOf(from_id);
        const both = [...brought, ...(await recordIdsOf(into_id))];
        const others = await linksBeside(both);
        await directory.operate('identity.merge', { into_id, from_ids: [from_id] }, day(2));
        // An account that only the merge linked stays linked after a split, unlike after a revert.
        fc.pre(JSON.stringify(await linksBeside(both)) === JSON.stringify(others));
        const split = await directory.operate('identity.split', { identity_id: into_id, record_ids: brought }, day(3));
        expect(split.status).toBe('done');
        const after = renamed(await picture(), split.result.new_identity_id, from_id);
        expect(withoutOperations(after, from_id)).toEqual(withoutOperations(before, from_id));
      }),
      { numRuns: runs },
    );
  }, 600_000);
});

/** Replaces an identity id in a picture. */
function renamed(shown: Picture, id: string, name: string): Picture {
  const text = JSON.stringify(shown)
    .replaceAll(id, name)
    .replaceAll(encodeId('identity', id), encodeId('identity', name));
  return JSON.parse(text) as Picture;
}

/** Removes the traces of operations: manual links, redirects and the creation time of the new identity. */
function withoutOperations({ redirects, identities = [], links = [], ...rest }: Picture, remade: string): object {
  const bare = identities.map((each) => {
    if (each.id !== remade) return each;
    return { ...each, created_at: '', document: String(each.document).replace(/"created_at":"[^"]*"/, '') };
  });
  const sorted = (rows: object[]) => rows.map((each) => JSON.stringify(each)).sort();
  return {
    ...Object.fromEntries(Object.entries(rest).map(([name, rows]) => [name, sorted(rows)])),
    identities: sorted(bare),
    links: sorted(links.map((each) => ({ ...each, decided: undefined, linked_by: undefined }))),
  };
}

describe('an operation about people', () => {
  it('reports whose access it has changed', async () => {
    await fill([[{ status: 'inactive' } as Row], [{ status: 'active' } as Row], [], []]);
    const [left, present] = [await directory.identityOf('HR-0'), await directory.identityOf('AD-0')];
    const merge = await directory.operate('identity.merge', { into_id: left, from_ids: [present] }, day(2));
    expect(merge).toMatchObject({
      status: 'done',
      result: {
        access_changes: [{ identity_id: encodeId('identity', present), from: 'active', to: 'inactive' }],
        access_changes_total: 1,
      },
    });
    const revert = await directory.operate('operation.revert', { operation_id: merge.id }, day(3));
    expect(revert.result).toMatchObject({ access_changes: [{ from: 'inactive', to: 'active' }] });
  });
});

describe('a manual split', () => {
  it('separates user, account and machine, whichever record leaves', async () => {
    const ann = { email: 'a@x.org', first_name: 'Ann' } as Row;
    for (const leaving of ['HR-0', 'CRM-0', 'Bots-0']) {
      await fill([[ann], [], [ann], [ann]]);
      const identity_id = await directory.identityOf('HR-0');
      const record_ids = [(await directory.record(leaving)).id];
      await directory.operate('identity.split', { identity_id, record_ids }, day(2));
      const staying = ['HR-0', 'CRM-0', 'Bots-0'].filter((name) => name !== leaving);
      expect(await directory.people()).toEqual([[leaving], staying.sort()].sort());
      for (const name of staying) expect(await directory.identityOf(name)).toBe(identity_id);
    }
  });
});

const steps = fc.array(
  fc.oneof(
    fc.record({ step: fc.constant('sync' as const), source: fc.nat(3), rows: fc.array(rowValues, { maxLength: 4 }) }),
    fc.record({
      step: fc.constantFrom(
        ...(['merge', 'split', 'resolve', 'revert', 'erase', 'undo', 'rules', 'rank', 'later'] as const),
      ),
      numbers: twoNumbers,
    }),
  ),
  { minLength: 1, maxLength: 8 },
);

const numbersOnly: MatchingRules = { ...defaultMatchingRules, certain: ['employee_number'], weak: [] };
const trusting: MatchingRules = {
  ...defaultMatchingRules,
  weak: defaultMatchingRules.weak.map((tier) => ({ ...tier, when_unique: 'link' })),
};

/** Runs random steps on consecutive days and records the jobs and operations that can be reverted. */
class Scenario {
  private today = 1;
  private readonly jobs: string[] = [];
  private readonly operations: string[] = [];

  constructor(private readonly connectors: readonly string[]) {}

  async run(step: typeof steps extends fc.Arbitrary<(infer Step)[]> ? Step : never): Promise<void> {
    this.today += 1;
    if (step.step === 'sync') {
      const connector = this.connectors[step.source] ?? '';
      this.jobs.push(await syncList(connector, step.source, step.rows, this.today));
      return;
    }
    const [a, b] = step.numbers;
    const any = <T>(items: readonly T[]): T | undefined => items[b % items.length];
    switch (step.step) {
      case 'merge': {
        const pair = pairOf(await identityIds(), [a, b]);
        if (pair) await this.operate('identity.merge', { into_id: pair[0], from_ids: [pair[1]] });
        break;
      }
      case 'split': {
        const [identity_id] = pairOf(await identityIds(), [a, b]) ?? [];
        const record_id = identity_id && any(await recordIdsOf(identity_id));
        if (record_id) await this.operate('identity.split', { identity_id, record_ids: [record_id] });
        break;
      }
      case 'resolve':
        await this.resolve(a, b);
        break;
      case 'revert': {
        const operation_id = any(this.operations);
        if (operation_id) await this.operate('operation.revert', { operation_id });
        break;
      }
      case 'erase': {
        const identity_id = any(await identityIds());
        if (identity_id) await this.operate('identity.erase', { identity_id });
        break;
      }
      case 'undo': {
        const job_id = any(this.jobs);
        if (job_id) await this.operate('job.undo', { job_id, preview: a % 3 === 0 });
        break;
      }
      case 'rules': {
        const rules = any([numbersOnly, trusting, defaultMatchingRules]) ?? defaultMatchingRules;
        await this.operate('rules.change', { rules, preview: a % 3 === 0 });
        break;
      }
      case 'rank': {
        const connector_id = any(this.connectors) ?? '';
        await this.operate('attributes.rank', { priorities: [{ field: '*', connector_id, priority: a }] });
        break;
      }
      case 'later':
        this.today += 31;
        await applyDue(directory.database, directory.tenant, new Date(day(this.today)));
    }
  }

  private async resolve(a: number, b: number): Promise<void> {
    const cases = await directory.fixture.rows<{ id: string; candidates: { identity_id: string }[] }>(
      `select id, candidates from review_cases where tenant_id = $1 and status = 'open' order by id`,
      [directory.tenant],
    );
    const open = cases[a % cases.length];
    if (!open) return;
    const identity_id = open.candidates[b % open.candidates.length]?.identity_id ?? '';
    const resolution = (['link', 'new', 'ignore'] as const)[b % 3] ?? 'ignore';
    const input = { case_id: open.id, resolution, ...(resolution === 'link' && { identity_id }) };
    await this.operate('case.resolve', input);
  }

  private async operate<T extends OperationType>(type: T, input: OperationInput<T>): Promise<void> {
    const { id } = await directory.operate(type, input, day(this.today));
    this.operations.push(id);
  }
}

describe('after random jobs, operations and time-based changes', () => {
  it('every document matches its rows and every total equals the count of its rows', async () => {
    await fc.assert(
      fc.asyncProperty(lists, steps, async (rows, taken) => {
        const scenario = new Scenario(await fill(rows));
        for (const step of taken) {
          await scenario.run(step);
          expect(await directoryFaults(directory.fixture, directory.tenant)).toEqual([]);
        }
      }),
      { numRuns: 2 * runs },
    );
  }, 600_000);
});
