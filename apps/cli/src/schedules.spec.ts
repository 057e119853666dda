import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { FakeService } from '../test/fake-service.js';

const hr = { id: 'con_hr', type: 'csv', name: 'HR', schedule: { every: '15m', full_every: 10, paused: false } };
const path = '/tenants/ten_1/connectors/con_hr';

let service: FakeService;

beforeEach(async () => {
  service = await FakeService.start();
  service.replies[`GET ${path}`] = [[200, { ...hr, next_run_at: '2030-01-01T00:00:00.000Z' }]];
  service.replies[`PATCH ${path}`] = [[200, hr]];
});

afterEach(() => service.stop());

const schedule = (...options: string[]) => service.idsync(['connectors', 'schedule', 'con_hr', ...options]);
const sent = () => service.asked.find(({ call }) => call.startsWith('PATCH'))?.body;

describe('idsync connectors schedule', () => {
  it('shows the schedule there is', async () => {
    const { code, out } = await schedule();
    expect(code).toBe(0);
    expect(out).toContain('every        15m');
    expect(out).toContain('next_run_at  2030-01-01T00:00:00.000Z');
  });

  it('sets one, pauses it, resumes it and takes it away', async () => {
    await schedule('--cron', '0 3 * * *', '--time-zone', 'Europe/Berlin', '--full-every', '7');
    expect(sent()).toEqual({ schedule: { cron: '0 3 * * *', time_zone: 'Europe/Berlin', full_every: 7 } });
    service.asked.length = 0;
    await schedule('--pause');
    expect(sent()).toEqual({ schedule: { every: '15m', full_every: 10, paused: true } });
    service.asked.length = 0;
    await schedule('--off');
    expect(sent()).toEqual({ schedule: null });
  });

  it('cannot pause what is not there', async () => {
    service.replies[`GET ${path}`] = [[200, { ...hr, schedule: undefined }]];
    const { code, err } = await schedule('--pause');
    expect(code).not.toBe(0);
    expect(err).toContain('the connector has no schedule; give --every or --cron');
  });
});
