import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { FakeService } from '../test/fake-service.js';

const url = 'https://example.com/hook';
const path = '/tenants/ten_1/webhooks';
let service: FakeService;

beforeEach(async () => {
  service = await FakeService.start();
});

afterEach(() => service.stop());

const idsync = (...words: string[]) => service.idsync(['webhooks', ...words]);
const fileOf = async (content: object) => {
  await writeFile(join(service.cwd, 'settings.json'), JSON.stringify(content));
  return 'settings.json';
};
const sent = () => service.requests.map(({ call, body }) => [call, body]);

describe('idsync webhooks create', () => {
  it('sends the settings and prints the signing secret', async () => {
    service.replies[`POST ${path}`] = [[201, { id: 'whk_1', signing_secret: 'whsec_x' }]];
    const filter = { field: 'data.status', equals: 'active' };
    const words = ['--events', 'user.*, group.created', '--payload', 'thin', '--filter', await fileOf(filter)];
    const { code, out, err } = await idsync('create', url, ...words);
    expect([code, out, err]).toEqual([
      0,
      expect.stringContaining('whsec_x'),
      expect.stringContaining('not shown again'),
    ]);
    const body = { callback_url: url, events: ['user.*', 'group.created'], payload: 'thin', filter };
    expect(sent()).toEqual([[`POST ${path}`, body]]);
  });

  it('requires the events before it sends a request', async () => {
    const { code, err } = await idsync('create', url);
    expect([code, err, sent()]).toEqual([2, expect.stringContaining('--events'), []]);
  });
});

describe('idsync webhooks update', () => {
  it('sends only what is given, and removes a filter', async () => {
    service.replies[`PATCH ${path}/whk_1`] = [[200, { id: 'whk_1' }]];
    await idsync('update', 'whk_1', '--filter', 'none', '--headers', await fileOf({ 'x-team': 'a' }));
    await idsync('update', 'whk_1', '--deactivate');
    await idsync('update', 'whk_1', '--activate', '--callback-url', url);
    expect(sent().map(([, body]) => body)).toEqual([
      { filter: null, headers: { 'x-team': 'a' } },
      { active: false },
      { callback_url: url, active: true },
    ]);
  });

  it.each([[[]], [['--activate', '--deactivate']]])('refuses %j before it sends a request', async (words) => {
    expect((await idsync('update', 'whk_1', ...words)).code).toBe(2);
    expect(sent()).toEqual([]);
  });
});

describe('idsync webhooks delete', () => {
  it('asks with the address, and deletes after a yes', async () => {
    service.replies[`GET ${path}/whk_1`] = [[200, { callback_url: url }]];
    service.replies[`DELETE ${path}/whk_1`] = [[204]];
    const no = await service.idsync(['webhooks', 'delete', 'whk_1'], { typed: 'n\n' });
    expect([no.code, no.err]).toEqual([1, expect.stringContaining(url)]);
    await service.idsync(['webhooks', 'delete', 'whk_1'], { typed: 'y\n' });
    await idsync('delete', 'whk_1', '--yes');
    const calls = sent().map(([call]) => call);
    expect(calls.filter((call) => `${call}`.startsWith('DELETE'))).toHaveLength(2);
  });
});
