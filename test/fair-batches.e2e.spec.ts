import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decodeId } from '@idsync/contracts';
import {
  type BrokerVhost,
  createTestDatabase,
  createVhost,
  DirectoryFixture,
  eachBus,
  type TestDatabase,
  until,
} from '@idsync/testing';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Client, createTenant, jobEnd, type Tenant } from './support/client.js';
import { connectPeople } from './support/people-file.js';
import { Services } from './support/services.js';

jest.setTimeout(420_000);

const pages = 20;
const smallJobs = 2;
/** A directory applies two batches at a time, and one waits; the batch of the small job may end after two more. */
const mostAhead = 5;

eachBus(describe)('small jobs of other tenants beside a large import, over %s,', (driver) => {
  let database: TestDatabase;
  let vhost: BrokerVhost | undefined;
  let sourcesDir: string;
  let services: Services;
  let admin: DirectoryFixture;

  beforeAll(async () => {
    database = await createTestDatabase();
    vhost = driver === 'amqp' ? await createVhost() : undefined;
    admin = DirectoryFixture.connect(database.url);
    // The order in which batches are written and counted, whatever the time.
    await admin.rows(
      'create table job_steps (id bigint generated always as identity, job_id uuid, written int, processed int)',
    );
    await admin.rows(`create function note_step() returns trigger language plpgsql security definer as $$ begin
      insert into public.job_steps (job_id, written, processed) values (new.id, new.batches_written, new.batches_processed);
      return null; end $$`);
    await admin.rows(`create trigger note_step after update of batches_written, batches_processed on sync_jobs
      for each row when (old.batches_written + old.batches_processed <> new.batches_written + new.batches_processed)
      execute function note_step()`);
    sourcesDir = await mkdtemp(join(tmpdir(), 'idsync-fair-'));
    services = await Services.start({ databaseUrl: database.url, amqpUrl: vhost?.url, sourcesDir });
  });

  afterAll(async () => {
    await services?.stop();
    await admin?.close();
    await vhost?.drop();
    await database?.drop();
    await rm(sourcesDir, { recursive: true, force: true });
  });

  const trigger = async (tenant: Tenant, connector: string): Promise<string> => {
    const { body } = await tenant.client.post('/v1/sync/trigger', { connector_id: connector });
    return body.job_id;
  };

  it('wait for a few of its batches, not for those that are read ahead', async () => {
    const operator = Client.operator(services.url, services.adminToken);
    const large = await createTenant(operator, 'Large');
    const import_ = await trigger(large, await connectPeople(large, sourcesDir, 'large', pages * 1_000));
    const importId = decodeId('job', import_);
    const processed = async () => {
      const [row] = await admin.rows<{ processed: number }>(
        'select batches_processed as processed from sync_jobs where id = $1',
        [importId],
      );
      return row?.processed ?? 0;
    };
    for (let nth = 0; nth < smallJobs; nth += 1) {
      const before = await processed();
      await until(async () => (await processed()) > before, 'a batch of the import', 60_000);
      const small = await createTenant(operator, `Small ${nth}`);
      const job = await trigger(small, await connectPeople(small, sourcesDir, `small${nth}`, 500));
      expect(await jobEnd(small, job)).toMatchObject({ status: 'completed', batches_total: 1 });
      const [ahead] = await admin.rows<{ count: number }>(
        `select count(distinct processed)::int as count from job_steps
          where job_id = $1 and processed > 0 and id between (select min(id) from job_steps where job_id = $2 and written = 1)
            and (select min(id) from job_steps where job_id = $2 and processed = 1)`,
        [importId, decodeId('job', job)],
      );
      if (nth === 0) expect(await processed()).toBeLessThan(pages);
      expect(ahead?.count).toBeLessThanOrEqual(mostAhead);
    }
    expect(await jobEnd(large, import_, 300_000)).toMatchObject({
      status: 'completed',
      batches_total: pages,
    });
  });
});
