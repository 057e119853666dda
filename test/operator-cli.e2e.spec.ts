import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { createTestDatabase, type TestDatabase } from '@idsync/testing';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { type Answer, Client, createConnector, createTenant, sync, type Tenant } from './support/client.js';
import { commandLine } from './support/command-line.js';
import { Services } from './support/services.js';

jest.setTimeout(120_000);

const people = `number,first,last,mail
1,John,Smith,john@x.org
2,Alice,Green,alice@x.org
3,Robert,Black,robert3@x.org
4,Robert,Black,robert4@x.org
`;
const logins = `login,first,last,mail
jsmith,Jon,Smith,john@x.org
rblack,Robert,Black,
`;

describe('the command line with running services', () => {
  let database: TestDatabase;
  let sources: string;
  let services: Services;
  let tenant: Tenant;
  let hr: string;

  beforeAll(async () => {
    database = await createTestDatabase();
    sources = await mkdtemp(join(tmpdir(), 'idsync-operator-'));
    await writeFile(join(sources, 'people.csv'), people);
    await writeFile(join(sources, 'logins.csv'), logins);
    services = await Services.start({ databaseUrl: database.url, sourcesDir: sources });
    tenant = await createTenant(Client.operator(services.url, services.adminToken), 'Operated');
    const fields = { first_name: 'first', last_name: 'last', email: 'mail' };
    hr = await createConnector(tenant, {
      type: 'csv',
      name: 'HR',
      priority: 10,
      config: { path: 'people.csv', external_id: 'number', fields },
    });
    const ad = await createConnector(tenant, {
      type: 'csv',
      name: 'AD',
      priority: 20,
      records: 'account',
      config: { path: 'logins.csv', external_id: 'login', fields: { ...fields, identifier: 'login' } },
    });
    for (const connector of [hr, ad]) expect(await sync(tenant, connector)).toMatchObject({ status: 'completed' });
  });

  afterAll(async () => {
    await services?.stop();
    await database?.drop();
    if (sources) await rm(sources, { recursive: true });
  });

  const { idsync, reply } = commandLine(() => ({ services, tenant, cwd: sources }));

  /** Identities by their external id in HR. */
  async function identities(): Promise<Record<string, Answer['body']>> {
    const { body } = await tenant.client.get('/v1/identities');
    return Object.fromEntries(body.data.map((each: Answer['body']) => [each.users[0]?.external_id, each]));
  }

  /** All events so far. */
  async function feed(): Promise<{ events: Answer['body'][]; position: number }> {
    const { body } = await tenant.client.get('/v1/events?after=0&limit=200');
    return { events: body.data, position: body.next_after };
  }

  const linesOf = (output: string) =>
    output
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));

  /** Polls, because cases are created after a job has ended. */
  async function openCase(): Promise<Answer['body']> {
    for (let attempt = 0; attempt < 100; attempt += 1) {
      const { data } = await reply('cases', 'list');
      if (data.length > 0) return data[0];
    }
    throw new Error('no review case was opened');
  }

  it('shows a review case, links its record and reverts the link', async () => {
    const found = await openCase();
    const shown = await idsync('cases', 'show', found.id);
    expect(shown.out).toMatch(/record external_id +rblack\n/);
    expect(shown.out.match(/idn_\w+ +Robert Black +1 +full_name is the same\n/g)).toHaveLength(2);

    const target = found.candidates[0].identity_id;
    const linked = await reply('cases', 'resolve', found.id, 'link', '--identity', target, '--reason', 'asked HR');
    expect(linked).toMatchObject({ type: 'case.resolve', status: 'done', reason: 'asked HR' });
    const identity = await idsync('identities', 'show', target);
    expect(identity.out).toMatch(/acc_\w+ +account +rblack/);

    expect(await reply('operations', 'revert', linked.operation_id)).toMatchObject({ status: 'done' });
    expect((await idsync('identities', 'show', target)).out).not.toContain('rblack');
    expect((await reply('operations', 'show', linked.operation_id)).reverted_by).toMatch(/^opn_/);
    expect(await idsync('operations', 'revert', linked.operation_id)).toEqual({
      code: 1,
      out: '',
      err: 'idsync: the operation has already been reverted\n',
    });
  });

  it('follows the event feed of the tenant, and shows the history of an identity', async () => {
    const { events, position } = await feed();
    const after = ['--after', String(position - 2), '--limit', '2', '--output', 'jsonl'];
    const tailed = await idsync('events', 'tail', ...after);
    expect(tailed).toMatchObject({ code: 0, err: '' });
    expect(linesOf(tailed.out)).toEqual(events.slice(-2));

    const { 1: smith } = await identities();
    const { data } = await reply('identities', 'history', smith.id, '--limit', '1');
    expect(data).toEqual([expect.objectContaining({ event_type: 'identity.created' })]);
  });

  it('forwards events to a local receiver, signed as webhooks are', async () => {
    const secret = `whsec_${randomBytes(32).toString('base64')}`;
    const received: unknown[] = [];
    const receiver = createServer(async (request, response) => {
      const headers = request.headers as Record<string, string>;
      received.push(new Webhook(secret).verify(await text(request), headers));
      response.writeHead(204).end();
    });
    receiver.listen(0, '127.0.0.1');
    await once(receiver, 'listening');
    try {
      const { events, position } = await feed();
      const address = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
      const after = ['--after', String(position - 2), '--limit', '2', '--output', 'jsonl'];
      const { out } = await idsync('webhooks', 'listen', '--forward-to', address, '--secret', secret, ...after);
      expect(linesOf(out)).toEqual([
        expect.objectContaining({ status: 204 }),
        expect.objectContaining({ status: 204 }),
      ]);
      expect(received).toEqual(events.slice(-2));
    } finally {
      receiver.close();
    }
  });

  it('merges, splits and explains identities', async () => {
    const { 1: smith, 2: green } = await identities();
    await reply('identities', 'merge', smith.id, green.id, '--reason', 'one person');
    expect(await reply('identities', 'show', green.id)).toMatchObject({ id: smith.id });
    const explained = await idsync('identities', 'explain', smith.id);
    expect(explained.out).toMatch(/email .*john@x\.org|email .*alice@x\.org/);
    expect(explained.out).toMatch(/usr_\w+ +user +HR +2 +active +operator +opn_/);
    const split = await reply('identities', 'split', smith.id, green.users[0].id);
    expect(split.result).toMatchObject({ identity_id: smith.id, new_identity_id: expect.stringMatching(/^idn_/) });
    const listed = await idsync('operations', 'list');
    expect(listed.out).toMatch(/identity\.split +done[\s\S]*identity\.merge +done +one person/);
  });

  it('changes the source precedence of a field', async () => {
    const { data: connectors } = await reply('connectors', 'list');
    const ad = connectors.find((each: Answer['body']) => each.name === 'AD');
    const priorities = [{ field: 'first_name', connector_id: ad.id, priority: 1 }];
    await writeFile(join(sources, 'priorities.json'), JSON.stringify({ priorities }));
    const { 1: smith } = await identities();
    expect((await idsync('identities', 'explain', smith.id)).out).toMatch(/first_name +John +HR +Jon \(AD\)/);
    await reply('priorities', 'set', '--file', 'priorities.json');
    expect((await idsync('priorities', 'show')).out).toMatch(/first_name +1 +con_\w+ +AD\n/);
    expect((await idsync('identities', 'explain', smith.id)).out).toMatch(/first_name +Jon +AD +John \(HR\)/);
  });

  it('previews matching rules before it sets them', async () => {
    await writeFile(join(sources, 'rules.json'), JSON.stringify({ certain: ['employee_number'], weak: [] }));
    const before = (await identities())[1].accounts.length;
    const preview = await reply('rules', 'preview', '--file', 'rules.json');
    expect(preview.result).toMatchObject({ records_moved: expect.any(Number) });
    expect((await identities())[1].accounts).toHaveLength(before);
    expect((await idsync('rules', 'show')).out).toMatch(/match keys +employee_number, email, user_principal_name/);
    await reply('rules', 'set', '--file', 'rules.json');
    expect((await idsync('rules', 'show')).out).toMatch(/match keys +employee_number\n/);
    await writeFile(join(sources, 'rules.json'), JSON.stringify({ certain: ['phone'], weak: [] }));
    const refused = await idsync('rules', 'set', '--file', 'rules.json');
    expect(refused).toMatchObject({
      code: 2,
      err: expect.stringMatching(/^idsync: certain\.0 must be employee_number, /),
    });
  });

  it('previews and undoes a job', async () => {
    await writeFile(join(sources, 'people.csv'), people.replace('2,Alice', '2,Alicia'));
    const { job_id: job } = await sync(tenant, hr);
    const preview = await idsync('jobs', 'undo', job, '--preview');
    expect(preview.out).toMatch(/records_restored +1\n/);
    expect(await idsync('jobs', 'undo', job)).toMatchObject({ code: 1, err: expect.stringContaining('--yes') });
    const undone = await reply('jobs', 'undo', job, '--yes', '--reason', 'wrong file');
    expect(undone.result).toMatchObject({ records_restored: 1, records_removed: 0 });
    expect((await identities())[2].users[0].first_name).toBe('Alice');
  });

  it('erases an identity only with --yes', async () => {
    const { 2: green } = await identities();
    expect(await idsync('identities', 'erase', green.id)).toEqual({
      code: 1,
      out: '',
      err: 'idsync: standard input is not a terminal: pass --yes to skip the confirmation\n',
    });
    const erased = await reply('identities', 'erase', green.id, '--yes', '--reason', 'request 17');
    expect(erased.result).toMatchObject({ identity_id: green.id, records_erased: 1 });
    expect(JSON.stringify(await reply('identities', 'show', green.id))).not.toContain('Alice');
    expect(await idsync('identities', 'show', 'idn_01h00000000000000000000000')).toEqual({
      code: 2,
      out: '',
      err: 'idsync: no identity "idn_01h00000000000000000000000"; "idsync identities list" shows the ids\n',
    });
  });

  it('syncs one record of a source', async () => {
    const known = await identities();
    await writeFile(
      join(sources, 'people.csv'),
      people.replace('4,Robert', '4,Robin').replace('3,Robert', '5,Eve,Gray,eve@x.org\n3,Robert'),
    );
    const updated = await idsync('connectors', 'sync-record', 'HR', '4');
    expect(updated).toMatchObject({ code: 0, err: '' });
    expect(updated.out).toMatch(new RegExp(`^4: updated \\(${known['4'].id}, job_\\w+\\)\n$`));
    expect((await tenant.client.get(`/v1/identities/${known['4'].id}`)).body.display_name).toBe('Robin Black');
    expect(await reply('connectors', 'sync-record', 'HR', '4')).toMatchObject({ outcome: 'unchanged', mode: 'record' });
    expect(await reply('connectors', 'sync-record', 'HR', '5')).toMatchObject({ outcome: 'created' });
    expect((await idsync('connectors', 'sync-record', 'HR', 'CN=no/body')).out).toContain(
      'not in the source and not in the directory',
    );
    await writeFile(join(sources, 'people.csv'), people);
    expect(await reply('connectors', 'sync-record', 'HR', '5')).toMatchObject({
      outcome: 'deleted',
      records_deleted: 1,
    });
    expect((await idsync('connectors', 'sync-record', 'HR', '5')).out).toContain('not in the source, already deleted');
    expect(await reply('connectors', 'get', 'HR')).toMatchObject({ health: 'ok', last_run: { mode: 'full' } });
  });
});
