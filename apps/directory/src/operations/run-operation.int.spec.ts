import { newUuid } from '@idsync/contracts';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Harness } from '../../test/harness.js';
import { giveUpOperation } from './run-operation.js';

let directory: Harness;

beforeAll(async () => {
  directory = await Harness.create();
  await directory.newTenant();
});

afterAll(() => directory?.close());

describe('an operation', () => {
  it('is refused after its message is dead-lettered, unless it is already done', async () => {
    const id = newUuid();
    const input = { job_id: newUuid(), preview: false };
    await directory.fixture.rows(
      `insert into operations (id, tenant_id, type, input) values ($1, $2, 'job.undo', $3)`,
      [id, directory.tenant, JSON.stringify(input)],
    );
    const message = { id: newUuid(), tenant_id: directory.tenant, data: { operation_id: id } };
    const status = () => directory.fixture.rows('select status, result from operations where id = $1', [id]);
    await giveUpOperation(directory.database, message);
    expect(await status()).toEqual([
      { status: 'refused', result: { error: expect.stringContaining('changed nothing') } },
    ]);
    await directory.fixture.rows(`update operations set status = 'done', result = '{}' where id = $1`, [id]);
    await giveUpOperation(directory.database, message);
    expect(await status()).toEqual([{ status: 'done', result: {} }]);
  });
});
