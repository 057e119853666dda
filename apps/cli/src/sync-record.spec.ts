import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { FakeService } from '../test/fake-service.js';

let service: FakeService;

beforeEach(async () => {
  service = await FakeService.start();
});

afterEach(() => service.stop());

const dn = 'CN=Ren/A,DC=x';
const path = `/tenants/ten_1/connectors/con_hr/records/${encodeURIComponent(dn)}/sync`;
const syncRecord = (status: number, job: object) => {
  service.replies[`POST ${path}`] = [[status, { job_id: 'job_1', external_id: dn, errors: [], ...job }]];
  return service.idsync(['connectors', 'sync-record', 'con_hr', dn]);
};

describe('idsync connectors sync-record', () => {
  it('reports the outcome of the record in one line', async () => {
    const updated = await syncRecord(200, {
      status: 'completed',
      outcome: 'updated',
      record_id: 'usr_1',
      identity_id: 'idn_1',
    });
    expect(updated).toMatchObject({ code: 0, out: `${dn}: updated (idn_1, job_1)\n` });
    const unknown = await syncRecord(200, { status: 'completed', outcome: 'absent' });
    expect(unknown).toMatchObject({ code: 0, out: `${dn}: not in the source and not in the directory (job_1)\n` });
    const gone = await syncRecord(200, { status: 'completed', outcome: 'absent', record_id: 'usr_1' });
    expect(gone.out).toBe(`${dn}: not in the source, already deleted (job_1)\n`);
    const errors = [{ external_id: dn, message: 'email is longer than 16 KiB' }];
    const refused = await syncRecord(200, { status: 'completed_with_errors', outcome: 'refused', errors });
    expect(refused).toMatchObject({ code: 3, out: `${dn}: refused: email is longer than 16 KiB (job_1)\n` });
  });

  it('shows the job when the source failed or the job takes longer', async () => {
    const failed = await syncRecord(200, { status: 'failed', error_message: 'connection refused' });
    expect(failed.code).toBe(1);
    expect(failed.out).toContain('connection refused');
    expect(await syncRecord(202, { status: 'running' })).toMatchObject({ code: 1 });
  });

  it('rejects an external id that addresses another path', async () => {
    const { code, err } = await service.idsync(['connectors', 'sync-record', 'con_hr', '..']);
    expect(code).not.toBe(0);
    expect(err).toContain('".." cannot be requested');
    expect(service.requests).toEqual([]);
  });
});
