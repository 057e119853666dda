import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { FakeService } from '../test/fake-service.js';

let service: FakeService;

beforeEach(async () => {
  service = await FakeService.start();
});

afterEach(() => service.stop());

const idsync = (...argumentsList: string[]) => service.idsync(argumentsList);
const reply = (call: string, ...data: object[]) => {
  service.replies[`GET /tenants/ten_1/${call}`] = [[200, { data, total: data.length, limit: 50, offset: 0 }]];
};

const ann = {
  id: 'idn_1',
  display_name: 'Ann Lee',
  status: 'active',
  attributes: [
    { field_name: 'email', field_value: 'ann@x.org' },
    { field_name: 'email', field_value: 'al@x.org' },
  ],
};

describe('the lists of the directory', () => {
  it('find identities by a text', async () => {
    reply('identities?q=ann+lee&limit=50&offset=0', ann);
    const { code, out } = await idsync('find', 'ann', 'lee');
    expect({ code, line: out.split('\n')[1]?.split(/\s{2,}/) }).toEqual({
      code: 0,
      line: ['idn_1', 'Ann Lee', 'ann@x.org', '-', 'active'],
    });
  });

  it('list identities with a value', async () => {
    reply('identities?email=ann%40x.org&status=active&limit=5&offset=0', ann);
    const { out } = await idsync('identities', 'list', '--email', 'ann@x.org', '--status', 'active', '--limit', '5');
    expect(out).toContain('Ann Lee');
  });

  it('list accounts that are linked to no identity', async () => {
    reply('accounts?matched=false&limit=50&offset=0', { id: 'acc_1', identifier: 'bray', status: 'active' });
    expect((await idsync('accounts', 'list', '--unmatched')).out).toContain('bray');
  });

  it('list machine identities by owner and risk', async () => {
    reply('machine-identities?owned_by=idn_1&min_risk=50&limit=50&offset=0', { id: 'mid_1', display_name: 'Bot' });
    const { out } = await idsync('machines', 'list', '--owner', 'idn_1', '--min-risk', '50');
    expect(out).toContain('Bot');
  });
});
