import { type Connector, SourceError } from '@idsync/connectors';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SyncFixture } from '../test/sync-fixture.js';
import { claimJob } from './claim-job.js';
import { RunControl } from './run-control.js';
import { runJob } from './run-job.js';

let fixture: SyncFixture;

beforeAll(async () => {
  fixture = await SyncFixture.create();
});

afterAll(() => fixture?.close());

const word = 'w0rd-of-the-source';

/** Returns one record error, and then fails or ends. */
function source(end?: Error): Connector {
  const errors = [{ line: 1, external_id: 'r1', message: 'hire_date is not a date', said: word }];
  return {
    async *read() {
      yield { records: [], errors, cursor: { at: 1 }, last: end === undefined };
      if (end) throw end;
    },
  };
}

async function run(connector: Connector): Promise<string> {
  const job = await fixture.queueAlone();
  const context = fixture.context(connector);
  const claimed = await claimJob(context, job);
  if (!claimed) throw new Error('the job was not claimed');
  await runJob(context, claimed, new RunControl());
  return job.id;
}

const kept = async (table: string, column: string, jobId: string) =>
  fixture.rows.rows(`select source_message from ${table} where ${column} = $1`, [jobId]);

describe('the message of a source about its failure', () => {
  it('is stored separately from the public error, and is in no event and no outbox message', async () => {
    const failed = new SourceError('GET https://a.example/users answered 403', { code: 'forbidden', said: word });
    const jobId = await run(source(failed));
    const columns = 'status, error_message, error_code, source_message';
    expect(await fixture.rows.rows(`select ${columns} from sync_jobs where id = $1`, [jobId])).toEqual([
      { status: 'failed', error_message: failed.message, error_code: 'forbidden', source_message: word },
    ]);
    const events = await fixture.events(jobId);
    expect(events.at(-1)).toMatchObject({
      type: 'sync.job.failed',
      details: { error: failed.message, error_code: 'forbidden' },
    });
    expect(JSON.stringify(events)).not.toContain(word);
    expect(JSON.stringify(await fixture.rows.rows('select message from outbox'))).not.toContain(word);
  });

  it('is stored with the error of the record, and is not in the error message', async () => {
    const jobId = await run(source(new SourceError('it broke off', { code: 'unreachable' })));
    for (const table of ['sync_record_errors', 'failing_records']) {
      expect(await kept(table, 'job_id', jobId)).toEqual([{ source_message: word }]);
    }
    expect(await fixture.recordErrors(jobId)).toEqual([{ line: 1, message: 'hire_date is not a date' }]);
    expect(await kept('sync_jobs', 'id', jobId)).toEqual([{ source_message: null }]);
  });
});
