import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { FakeService } from '../test/fake-service.js';

const hr = {
  id: 'con_hr',
  type: 'csv',
  name: 'HR',
  schedule: { every: '15m', full_every: 10, full_every_hours: 24, paused: false },
};
const path = '/tenants/ten_1/connectors/con_hr';

let service: FakeService;

beforeEach(async () => {
  service = await FakeService.start();
  service.replies[`GET ${path}`] = [[200, { ...hr, next_run_at: '2030-01-01T00:00:00.000Z' }]];
  service.replies[`PATCH ${path}`] = [[200, hr]];
});

afterEach(() => service.stop());

const schedule = (...options: string[]) => service.idsync(['connectors', 'schedule', 'con_hr', ...options]);
const sent = () => service.requests.find(({ call }) => call.startsWith('PATCH'))?.body;

describe('idsync connectors schedule', () => {
  it('shows the current schedule', async () => {
    const { code, out } = await schedule();
    expect(code).toBe(0);
    expect(out).toContain('every             15m');
    expect(out).toContain('next_run_at       2030-01-01T00:00:00.000Z');
  });

  it('sets, pauses and deletes a schedule', async () => {
    await schedule(
      '--cron',
      '0 3 * * *',
      '--time-zone',
      'Europe/Berlin',
      '--full-every',
      '7',
      '--full-every-hours',
      '12',
    );
    expect(sent()).toEqual({
      schedule: { cron: '0 3 * * *', time_zone: 'Europe/Berlin', full_every: 7, full_every_hours: 12 },
    });
    service.requests.length = 0;
    await schedule('--pause');
    expect(sent()).toEqual({ schedule: { every: '15m', full_every: 10, full_every_hours: 24, paused: true } });
    service.requests.length = 0;
    await schedule('--off');
    expect(sent()).toEqual({ schedule: null });
  });

  it('refuses to pause a connector without a schedule', async () => {
    service.replies[`GET ${path}`] = [[200, { ...hr, schedule: undefined }]];
    const { code, err } = await schedule('--pause');
    expect(code).not.toBe(0);
    expect(err).toContain('the connector has no schedule: pass --every or --cron');
  });
});
