import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import canonicalize from 'canonicalize';
import { FakeService } from '../test/fake-service.js';

let service: FakeService;
let replies: FakeService['replies'];

beforeEach(async () => {
  service = await FakeService.start();
  replies = service.replies;
});

afterEach(() => service.stop());

const idsync = (...words: string[]) => service.idsync(words);
const calls = () => service.requests.map(({ call, body }) => (body === undefined ? [call] : [call, body]));

const at = '2026-01-31T12:00:00.000Z';
const hash = 'a'.repeat(64);
const entry = {
  id: 'aud_1',
  tenant_id: 'ten_1',
  sequence: 1,
  at,
  actor: { kind: 'service_token', id: 'svt_1', name: 'eva', role: 'operator' },
  address: '203.0.113.7',
  action: 'releaseSyncJob',
  outcome: 'accepted',
  resource: 'job_1',
  reason: 'checked',
  previous_hash: '0'.repeat(64),
};

function chained(count: number) {
  let previous = entry.previous_hash;
  return Array.from({ length: count }, (_, nth) => {
    const next = { ...entry, sequence: nth + 1, previous_hash: previous };
    previous = createHash('sha256')
      .update(canonicalize(next) ?? '')
      .digest('hex');
    return { ...next, hash: previous };
  });
}

describe('audit entries', () => {
  it('distinguish a request that waits for approval from the approval that performs it', async () => {
    const shared = { ...entry, outcome: 'accepted', resource: 'job_1' };
    const requested = {
      ...shared,
      action: 'releaseSyncJob',
      after: { approval_id: 'apr_1', waits_for_approval_until: at },
    };
    const approved = {
      ...shared,
      action: 'approveApproval',
      after: { approval_id: 'apr_1', action: 'releaseSyncJob' },
    };
    replies['GET /tenants/ten_1/audit'] = [[200, { data: [approved, requested] }]];
    const { out } = await idsync('audit', 'list');
    expect(out).toMatch(/approveApproval releaseSyncJob +accepted/);
    expect(out).toMatch(/releaseSyncJob +waits for apr_1/);
  });

  it('are listed with actor, address, action and reason, by filters', async () => {
    replies['GET /tenants/ten_1/audit'] = [[200, { data: [{ ...entry, hash }], limit: 50 }]];
    const { out } = await idsync('audit', 'list', '--resource', 'job_1', '--actor', 'eva');
    expect(out).toMatch(/eva +operator +203\.0\.113\.7 +releaseSyncJob +accepted +job_1 +checked/);
    expect(calls()).toEqual([['GET /tenants/ten_1/audit?limit=50&actor=eva&resource=job_1']]);
  });

  it('are listed across tenants', async () => {
    replies['GET /audit'] = [[200, { data: [{ ...entry, outcome: 'refused', status: 403, hash }], limit: 50 }]];
    const { out } = await idsync('audit', 'list', '--all-tenants');
    expect(out).toContain('refused 403');
  });

  it('are listed for programs', async () => {
    replies['GET /tenants/ten_1/audit'] = [[200, { data: [{ ...entry, hash }], limit: 50, next_cursor: 'MQ' }]];
    const list = (format: string) => idsync('audit', 'list', '--limit', '1', '--output', format);
    expect(JSON.parse((await list('json')).out)).toEqual({ data: [{ ...entry, hash }], next_cursor: 'MQ' });
    expect(JSON.parse((await list('jsonl')).out)).toEqual({ ...entry, hash });
    expect(await list('csv')).toMatchObject({
      out: `at,actor,role,from,action,outcome,resource,reason\n${at},eva,operator,203.0.113.7,releaseSyncJob,accepted,job_1,checked\n`,
      err: '',
    });
  });

  it('are exported as JSON lines, over all pages', async () => {
    const entries = chained(2);
    replies['GET /tenants/ten_1/audit'] = [
      [200, { data: entries.slice(0, 1), limit: 200, next_cursor: 'MQ' }],
      [200, { data: entries.slice(1), limit: 200 }],
    ];
    const { out } = await idsync('audit', 'export', '--since', at);
    expect(
      out
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual(entries);
    expect(calls().at(-1)?.[0]).toContain('order=asc&limit=200&cursor=MQ');
  });

  it('are exported in no other format', async () => {
    expect(await idsync('audit', 'export', '--output', 'csv')).toMatchObject({
      code: 2,
      err: expect.stringContaining('an export has the format jsonl, got "csv"'),
    });
    expect(calls()).toEqual([]);
  });
});

describe('audit verify', () => {
  const path = 'GET /tenants/ten_1/audit/verification';

  it('reads the chain to its end and prints its head', async () => {
    replies[path] = [
      [200, { verified: 5, problems: [], next_after: 5 }],
      [200, { verified: 2, problems: [], head: { sequence: 7, hash, at } }],
    ];
    const { code, out } = await idsync('audit', 'verify', '--known', `3:${hash}`);
    expect(code).toBe(0);
    expect(out).toBe(`7 entries verified, no problem\nhead 7:${hash} at ${at}\n`);
    expect(calls().at(-1)?.[0]).toBe(`${path}?after=5&known=3%3A${hash}`);
  });

  it('prints the problems and exits with 1', async () => {
    replies['GET /audit/verification'] = [[200, { verified: 2, problems: [{ sequence: 2, problem: 'missing' }] }]];
    const { code, out } = await idsync('audit', 'verify', '--installation');
    expect(code).toBe(1);
    expect(out).toMatch(/2 +missing/);
  });

  it('verifies an export without the service', async () => {
    const write = (entries: object[]) =>
      writeFile(join(service.cwd, 'audit.jsonl'), entries.map((each) => `${JSON.stringify(each)}\n`).join(''));
    const entries = chained(4);
    await write(entries);
    const whole = await idsync('audit', 'verify', '--file', 'audit.jsonl');
    expect(whole).toMatchObject({ code: 0, out: expect.stringContaining('4 entries verified, no problem') });
    await write(entries.toSpliced(2, 1));
    expect((await idsync('audit', 'verify', '--file', 'audit.jsonl')).out).toMatch(/3 +missing/);
    await write(entries.with(1, { ...entries[1], reason: 'other' } as never));
    expect((await idsync('audit', 'verify', '--file', 'audit.jsonl')).out).toMatch(/2 +changed/);
    await write([...entries.slice(0, 1), ...chained(1).map((each) => rehash({ ...each, sequence: 2 }))]);
    expect((await idsync('audit', 'verify', '--file', 'audit.jsonl')).out).toMatch(/2 +unlinked/);
    await write([{ no: 'entry' }]);
    expect((await idsync('audit', 'verify', '--file', 'audit.jsonl')).err).toContain('line 1 is not an audit entry');
    expect((await idsync('audit', 'verify', '--file', 'absent.jsonl')).err).toContain('cannot read absent.jsonl');
    expect(calls()).toEqual([]);
  });

  function rehash({ hash: _, ...hashed }: Record<string, unknown>): object {
    return {
      ...hashed,
      hash: createHash('sha256')
        .update(canonicalize(hashed) ?? '')
        .digest('hex'),
    };
  }
});

describe('the settings for operators', () => {
  it('are shown and replaced', async () => {
    replies['GET /tenants/ten_1/operator-policy'] = [[200, { log_reads: false }]];
    replies['PUT /tenants/ten_1/operator-policy'] = [[200, { log_reads: true }]];
    expect((await idsync('audit', 'policy', 'show')).out).toMatch(/log_reads +false/);
    await writeFile(join(service.cwd, 'policy.json'), '{"log_reads":true}');
    expect((await idsync('audit', 'policy', 'set', '--file', 'policy.json')).out).toMatch(/log_reads +true/);
    expect(calls().at(-1)?.[1]).toEqual({ log_reads: true });
  });
});
