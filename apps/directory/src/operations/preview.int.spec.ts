import { defaultMatchingRules, newUuid, type OperationInput } from '@idsync/contracts';
import type { Transaction } from '@idsync/database';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Harness, row } from '../../test/harness.js';
import { runOperation } from './run-operation.js';
import { Trials } from './trials.js';

const directory = Harness.ofFile();
const numbersOnly = { ...defaultMatchingRules, certain: ['employee_number' as const] };
let hr: string;
let ad: string;

beforeEach(async () => {
  await directory.newTenant();
  hr = await directory.fixture.connector(directory.tenant, { priority: 10 });
  ad = await directory.fixture.connector(directory.tenant, { priority: 20 });
});

afterEach(() => {
  jest.restoreAllMocks();
});

async function insertPreview(type: 'rules.change' | 'job.undo', input: object) {
  const id = newUuid();
  await directory.fixture.rows('insert into operations (id, tenant_id, type, input) values ($1, $2, $3, $4)', [
    id,
    directory.tenant,
    type,
    JSON.stringify(input),
  ]);
  const outcome = async () =>
    (await directory.fixture.rows('select status, result from operations where id = $1', [id]))[0];
  return { message: { id: newUuid(), tenant_id: directory.tenant, data: { operation_id: id } }, outcome };
}

/** Holds the next trial when its work is done, before it ends. */
function holdTrial() {
  const { database } = directory;
  const trial = database.trial.bind(database);
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const reached = new Promise<Transaction>((resolve) => {
    jest.spyOn(database, 'trial').mockImplementationOnce((tenant, work) =>
      trial(tenant, async (tx) => {
        const result = await work(tx);
        resolve(tx);
        await released;
        return result;
      }),
    );
  });
  return { reached, release };
}

/** All versions of rows that exist, with the transactions that have locked, changed or deleted them. */
async function rowVersions(): Promise<unknown> {
  const tables = await directory.fixture.rows<{ name: string }>(
    `select table_name as name from information_schema.columns
      where table_schema = 'public' and column_name = 'tenant_id' order by 1`,
  );
  const found: Record<string, unknown> = {};
  for (const { name } of tables) {
    found[name] = await directory.fixture.rows(`select ctid, xmin, xmax from ${name} where tenant_id = $1 order by 1`, [
      directory.tenant,
    ]);
  }
  return found;
}

describe('a preview of rules', () => {
  beforeEach(async () => {
    await directory.sync(hr, [row('1', { employee_number: '7', email: 'a@x.org' }), row('2', { email: 'b@x.org' })]);
    await directory.sync(ad, [row('a', { employee_number: '7' }), row('b', { email: 'b@x.org' })]);
  });

  it('lets batches and operations of the tenant pass, and shows the state at its beginning', async () => {
    const { message, outcome } = await insertPreview('rules.change', { rules: numbersOnly, preview: true });
    const { reached, release } = holdTrial();
    const previewed = runOperation(directory.database, message);
    await reached;
    await directory.sync(ad, [row('b', { email: 'b@x.org', employee_number: '8' })]);
    const rank: OperationInput<'attributes.rank'> = { connector: { id: ad, priority: 5 } };
    expect(await directory.operate('attributes.rank', rank)).toMatchObject({ status: 'done' });
    release();
    await previewed;
    expect(await outcome()).toMatchObject({ status: 'done', result: { identities_parted: 1, identities_joined: 0 } });
  });

  it('writes and locks no row but its operation', async () => {
    const { message } = await insertPreview('rules.change', { rules: numbersOnly, preview: true });
    const before = await rowVersions();
    const { reached, release } = holdTrial();
    const previewed = runOperation(directory.database, message);
    const tx = await reached;
    expect(await tx.row('show transaction_read_only')).toEqual({ transaction_read_only: 'on' });
    await expect(tx.attempt(() => tx.query('delete from outbox'))).rejects.toThrow('read-only transaction');
    expect(await rowVersions()).toEqual(before);
    release();
    await previewed;
    expect(await rowVersions()).toEqual({ ...(before as object), operations: expect.anything() });
  });

  it('is computed once if its message is delivered twice at the same time', async () => {
    const { message, outcome } = await insertPreview('rules.change', { rules: numbersOnly, preview: true });
    const { reached, release } = holdTrial();
    const first = runOperation(directory.database, message);
    await reached;
    await runOperation(directory.database, { ...message, id: newUuid() });
    expect(await outcome()).toMatchObject({ status: 'queued' });
    release();
    await first;
    expect(await outcome()).toMatchObject({ status: 'done' });
  });
});

describe('a preview while another one of the process is computed', () => {
  it('comes again after it, and lets other operations pass', async () => {
    await directory.sync(hr, [row('1', { email: 'a@x.org' }), row('2', { email: 'b@x.org' })]);
    const [one, two] = [
      await insertPreview('rules.change', { rules: numbersOnly, preview: true }),
      await insertPreview('rules.change', { rules: numbersOnly, preview: true }),
    ];
    const trials = new Trials();
    const run = (message: (typeof one)['message']) => runOperation(directory.database, message, undefined, trials);
    const { reached, release } = holdTrial();
    const first = run(one.message);
    await reached;
    await run(two.message);
    expect(await two.outcome()).toMatchObject({ status: 'queued' });
    const merge = { into_id: await directory.identityOf('1'), from_ids: [await directory.identityOf('2')] };
    expect(await directory.operate('identity.merge', merge)).toMatchObject({ status: 'done' });
    release();
    await first;
    const published = await directory.fixture.rows(
      `select from outbox where type = 'directory.operation.requested'
          and message::jsonb #>> '{data,operation_id}' = $1`,
      [two.message.data.operation_id],
    );
    expect(published).toHaveLength(1);
    await run(two.message);
    expect(await two.outcome()).toMatchObject({ status: 'done' });
  });
});

describe('a preview of undoing a large job', () => {
  it('has the result of undoing it, and lets batches pass', async () => {
    const people = (title: string) =>
      Array.from({ length: 1_001 }, (_, at) => row(`${at}`, { employee_number: `E${at}`, job_title: title }));
    await directory.sync(hr, people('Clerk'));
    const job_id = await directory.sync(hr, people('Engineer'));
    const { message, outcome } = await insertPreview('job.undo', { job_id, preview: true });
    const { reached, release } = holdTrial();
    const previewed = runOperation(directory.database, message);
    await reached;
    await directory.sync(ad, [row('a', { employee_number: 'E1' })]);
    release();
    await previewed;
    const preview = await outcome();
    expect(preview).toMatchObject({ status: 'done', result: { records_restored: 1_001 } });
    const { status, result } = await directory.operate('job.undo', { job_id, preview: false });
    expect({ status, result }).toEqual(preview);
  });
});
