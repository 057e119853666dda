import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { FakeService } from '../test/fake-service.js';

let service: FakeService;
let replies: FakeService['replies'];

beforeEach(async () => {
  service = await FakeService.start();
  replies = service.replies;
});

afterEach(() => service.stop());

const idsync = (...words: string[]) => service.idsync(words);
const at = '2026-11-24T12:00:00.000Z';
const system = {
  versions: { idsync: '1.2.3', node: '24.1.0', schema: 'A1', schema_state: 'current', postgresql: '17.2' },
  broker: { kind: 'rabbitmq', connected: false },
  processes: [
    {
      ...{ service: 'directory', version: '1.2.2', host: 'pod-1', started_at: at, seen_at: at, responding: false },
      ...{ broker_connected: true, outbox_messages: 3, outbox_lag_seconds: 2.4 },
    },
  ],
  queues: [{ name: 'directory.batches', service: 'directory', consumers: 2, dead_letters: 4 }],
  fan_out: { tenants: 1, events: 7 },
};
const letter = {
  ...{ id: 'dlt_1', queue: 'directory.batches', message_id: 'm', type: 'sync.batch.ready', tenant_id: 'ten_1' },
  ...{ reason: 'no record', attempts: 10, dead_at: at, can_requeue: true },
};

describe('the state of the installation', () => {
  it('is shown with processes, and with queues that the broker does not count', async () => {
    replies['GET /system'] = [[200, system]];
    const { out } = await idsync('system', 'show');
    expect(out).toMatch(/broker:? +rabbitmq \(not connected\)/);
    expect(out).toMatch(/directory +1\.2\.2 +pod-1 +\S+ +\S+ \(silent\) +connected +3 +2 s/);
    expect(out).toMatch(/directory\.batches +unknown +- +2 +4/);
  });

  it('is printed for programs as it is', async () => {
    replies['GET /system'] = [[200, system]];
    expect(JSON.parse((await idsync('system', 'show', '--json')).out)).toEqual(system);
  });
});

describe('dead letters', () => {
  it('are listed by queue', async () => {
    replies['GET /system/dead-letters?limit=50&queue=directory.batches'] = [[200, { data: [letter], limit: 50 }]];
    const { out } = await idsync('dead-letters', 'list', '--queue', 'directory.batches');
    expect(out).toMatch(/dlt_1 +directory\.batches +sync\.batch\.ready +ten_1 +10 +\S+ +no record/);
  });

  it('are shown with their message', async () => {
    replies['GET /system/dead-letters/dlt_1'] = [[200, { ...letter, message: { data: { seq: 1 } } }]];
    expect((await idsync('dead-letters', 'show', 'dlt_1')).out).toContain('{"seq":1}');
  });

  it('are sent again, or discarded with a reason', async () => {
    replies['POST /system/dead-letters/dlt_1/requeue'] = [[204]];
    replies['POST /system/dead-letters/dlt_1/discard'] = [[204]];
    expect((await idsync('dead-letters', 'requeue', 'dlt_1')).err).toContain('sent dlt_1 again');
    expect((await idsync('dead-letters', 'discard', 'dlt_1')).code).toBe(2);
    const { err } = await idsync('dead-letters', 'discard', 'dlt_1', '--reason', 'repeated');
    expect(err).toContain('discarded dlt_1');
    expect(service.requests.at(-1)).toMatchObject({ body: { reason: 'repeated' } });
  });
});
