import { type Connector, SourceError } from '@idsync/connectors';
import { newUuid, type ProbeKind } from '@idsync/contracts';
import { deleteOldProbes } from '@idsync/database/sync';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { SyncFixture } from '../test/sync-fixture.js';
import { runProbe } from './run-probe.js';

const fixture = SyncFixture.ofFile();
let tenant: string;
let connector: string;

beforeEach(async () => {
  tenant = await fixture.rows.tenant();
  connector = await fixture.rows.connector(tenant);
});

async function probe(kind: ProbeKind): Promise<string> {
  const id = newUuid();
  await fixture.rows.rows('insert into connector_probes (id, tenant_id, connector_id, kind) values ($1, $2, $3, $4)', [
    id,
    tenant,
    connector,
    kind,
  ]);
  return id;
}

async function answerOf(id: string, source: Connector, probeMs = 20_000): Promise<{ status: string; result: unknown }> {
  const message = { id: newUuid(), tenant_id: tenant, data: { probe_id: id } };
  await runProbe(fixture.context(source, { probeMs }), message);
  const [row] = await fixture.rows.rows<{ status: string; result: unknown }>(
    'select status, result from connector_probes where id = $1',
    [id],
  );
  return row ?? { status: 'gone', result: null };
}

const record = (n: number) => ({ external_id: `r${n}`, fields: { email: [`${n}@x.example`] } });

function source(pages: { records: number[]; errors?: string[] }[], after?: Error): Connector {
  return {
    async *read() {
      for (const { records, errors = [] } of pages) {
        yield {
          records: records.map(record),
          errors: errors.map((message, line) => ({ line, message })),
          cursor: {},
          last: false,
        };
      }
      if (after) throw after;
    },
  };
}

describe('a test of a connector', () => {
  it('returns the first mapped records and errors, and reads no further page', async () => {
    const pages = source(
      [{ records: [1, 2], errors: ['no id'] }, { records: [3, 4, 5, 6] }],
      new Error('read too far'),
    );
    expect(await answerOf(await probe('test'), pages)).toEqual({
      status: 'done',
      result: { records: [1, 2, 3, 4, 5].map(record), errors: [{ line: 0, message: 'no id' }] },
    });
    expect(await fixture.rows.rows('select from sync_jobs where tenant_id = $1', [tenant])).toEqual([]);
  });

  it('reports fields that no record has, and fields that cannot be used, and how the source is read', async () => {
    const fields = (hire_date: string[]) => ({ job_title: [], email: ['a@x.example'], hire_date });
    const problem = { field: 'last_name', message: 'last_name is not valid UTF-8', line: 3 };
    const described: Connector = {
      async *read() {
        const records = [
          { external_id: '1', fields: fields([]) },
          { external_id: '2', fields: fields([]), problems: [problem] },
        ];
        yield { records, errors: [], cursor: {}, last: true };
      },
      describe: async () => ({ encoding: 'utf-8', delimiter: ';', columns: ['id'], warnings: ['a warning'] }),
    };
    expect(await answerOf(await probe('test'), described)).toEqual({
      status: 'done',
      result: {
        source: { encoding: 'utf-8', delimiter: ';', columns: ['id'] },
        warnings: [
          'a warning',
          'none of the first 2 records has a value for job_title',
          'none of the first 2 records has a value for hire_date',
        ],
        records: [
          { external_id: '1', fields: fields([]) },
          { external_id: '2', fields: fields([]), kept: ['last_name'] },
        ],
        errors: [{ line: 3, external_id: '2', message: 'last_name is not valid UTF-8' }],
      },
    });
  });

  it('counts the records whose value its field does not allow, with an example', async () => {
    const said = (field: string, value: string) => ({ field, message: `${field} is not a date`, said: value });
    const described: Connector = {
      async *read() {
        const records = [1, 2, 3].map((n) => ({ ...record(n), problems: [said('hire_date', `3${n}.1.2026`)] }));
        const errors = Array.from({ length: 7 }, () => ({
          message: 'status is not one of active, disabled',
          said: 'Y',
        }));
        yield { records: [record(4), ...records], errors, cursor: {}, last: true };
      },
    };
    expect(await answerOf(await probe('test'), described)).toMatchObject({
      result: {
        warnings: [
          '7 of the first 11 records: status is not one of active, disabled, but for example "Y"',
          '3 of the first 11 records: hire_date is not a date, but for example "31.1.2026"',
        ],
      },
    });
  });

  it('counts the records with invisible characters, and shows them', async () => {
    const named = (last_name: string) => ({ external_id: last_name, fields: { last_name: [last_name] } });
    const described: Connector = {
      async *read() {
        yield { records: ['Lee', 'Li\u200b', '\u00a0Lo'].map(named), errors: [], cursor: {}, last: true };
      },
    };
    expect(await answerOf(await probe('test'), described)).toMatchObject({
      result: { warnings: ['2 of the first 3 records: last_name has invisible characters, for example "Li<U+200B>"'] },
    });
  });

  it('counts the external ids that are not in their normal form, and shows one', async () => {
    const spelled = (external_id: string, spelling?: string) => ({
      external_id,
      fields: {},
      ...(spelling && { spelling }),
    });
    const described: Connector = {
      async *read() {
        const records = [spelled('E1'), spelled('E2', 'E2\u200b'), spelled('E3', '\uff253')];
        yield { records, errors: [], cursor: {}, last: true };
      },
    };
    const { result } = (await answerOf(await probe('test'), described)) as { result: object };
    expect(result).toMatchObject({
      warnings: [
        '2 of the first 3 records: external_id has invisible or unusual characters, for example "E2<U+200B>" is read as "E2"',
      ],
      records: [{ external_id: 'E1' }, { external_id: 'E2' }, { external_id: 'E3' }],
    });
    expect(JSON.stringify(result)).not.toContain('spelling');
  });

  it('returns the reason of a source failure, and no details of internal errors', async () => {
    const refused = source([], new SourceError('the server refuses it', { code: 'auth_failed', said: 'wrong ***' }));
    expect(await answerOf(await probe('test'), refused)).toEqual({
      status: 'failed',
      result: { error: 'the server refuses it', error_code: 'auth_failed', source_message: 'wrong ***' },
    });
    const broken = source([], new Error('password hunter2'));
    expect(await answerOf(await probe('test'), broken)).toEqual({
      status: 'failed',
      result: { error: 'internal error; see the log of the worker' },
    });
  });

  it('times out if the source does not respond', async () => {
    const silent: Connector = {
      read: () => ({ [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}) }) }),
    };
    expect(await answerOf(await probe('test'), silent, 50)).toEqual({
      status: 'failed',
      result: { error: 'the source did not respond within 0.05 seconds', error_code: 'timed_out' },
    });
  });

  it('reports a connector that was deleted in the meantime, and stores one result', async () => {
    const id = await probe('test');
    await fixture.rows.rows('update connectors set deleted_at = now() where id = $1', [connector]);
    expect(await answerOf(id, source([]))).toMatchObject({ result: { error: 'the connector was deleted' } });
    await fixture.rows.rows('update connectors set deleted_at = null where id = $1', [connector]);
    expect(await answerOf(id, source([{ records: [1] }]))).toMatchObject({ status: 'failed' });
  });

  it('is deleted after an hour, because it contains personal data', async () => {
    const id = await probe('test');
    await fixture.rows.rows(`update connector_probes set created_at = now() - interval '61 minutes' where id = $1`, [
      id,
    ]);
    expect(await deleteOldProbes(fixture.database, 100)).toBe(1);
  });
});

describe('a discovery of a connector', () => {
  it('returns the fields of the source, or an error if the type cannot discover them', async () => {
    const discovering: Connector = {
      ...source([]),
      discover: async () => [{ name: 'mail', examples: ['a@x.example'] }],
    };
    expect(await answerOf(await probe('discover'), discovering)).toEqual({
      status: 'done',
      result: { fields: [{ name: 'mail', examples: ['a@x.example'] }] },
    });
    expect(await answerOf(await probe('discover'), source([]))).toMatchObject({ status: 'failed' });
  });
});
