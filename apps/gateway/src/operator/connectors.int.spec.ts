import { createTestDatabase, DirectoryFixture, type TestDatabase } from '@idsync/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Gateway, startGateway } from '../start.js';

const adminToken = 'the-operators-token-of-this-test';
const people = {
  type: 'csv',
  name: 'HR',
  records: 'user',
  config: { path: 'hr.csv', external_id: 'id', fields: { email: 'mail' } },
};

let database: TestDatabase;
let gateway: Gateway;
let fixture: DirectoryFixture;
let tenant: string;

beforeAll(async () => {
  database = await createTestDatabase();
  fixture = DirectoryFixture.connect(database.url);
  gateway = await startGateway({
    databaseUrl: database.url,
    host: '127.0.0.1',
    port: 0,
    adminToken,
    encryptionKeys: [Buffer.alloc(32, 1)],
    allowedCidrs: ['10.9.0.0/16'],
    logLevel: 'fatal',
  });
  tenant = `/tenants/${(await operator('POST', '/tenants', { name: 'Test' })).body.id}`;
});

afterAll(async () => {
  await gateway?.close();
  await fixture?.close();
  await database?.drop();
});

async function operator(method: string, path: string, body?: object) {
  const answer = await fetch(`${gateway.url}/admin/v1${path}`, {
    method,
    headers: { 'content-type': 'application/json', authorization: `Bearer ${adminToken}` },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}

describe('a connector', () => {
  it('stays of its type, and its records what they are: their ids are already known outside', async () => {
    const { body } = await operator('POST', `${tenant}/connectors`, people);
    const path = `${tenant}/connectors/${body.id}`;
    expect(await operator('PATCH', path, { type: 'ldif' })).toEqual({
      status: 400,
      body: { error: 'type is csv and cannot be changed' },
    });
    expect(await operator('PATCH', path, { records: 'account' })).toEqual({
      status: 400,
      body: { error: 'records is user and cannot be changed' },
    });
    expect((await operator('PATCH', path, { ...people, name: 'Staff' })).body).toMatchObject({ name: 'Staff' });
  });
});

describe('a job', () => {
  it('tells how many batches there are only if its source was read to its end', async () => {
    const { body } = await operator('POST', `${tenant}/connectors`, { ...people, name: 'Other' });
    const { body: job } = await operator('POST', `${tenant}/sync-jobs`, { connector_id: body.id });
    const path = `${tenant}/sync-jobs/${job.job_id}`;
    const become = (status: string, error: string | null) =>
      fixture.rows('update sync_jobs set status = $1, error_message = $2, batches_total = 3', [status, error]);
    await become('running', null);
    expect((await operator('GET', path)).body).toMatchObject({ batches_total: 3 });
    for (const status of ['running', 'failed']) {
      await become(status, 'cut off in line 5002');
      expect((await operator('GET', path)).body).not.toHaveProperty('batches_total');
    }
    await become('completed_with_errors', '1 record was left out');
    expect((await operator('GET', path)).body).toMatchObject({ batches_total: 3 });
  });
});
