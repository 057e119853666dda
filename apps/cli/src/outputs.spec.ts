import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { FakeService } from '../test/fake-service.js';
import { progressLine } from './follow.js';
import { csv } from './printer.js';
import { cut, fieldLines, table } from './table.js';

let service: FakeService;

beforeEach(async () => {
  service = await FakeService.start();
});

afterEach(() => service.stop());

describe('the outputs of a command', () => {
  beforeEach(() => {
    const tenant = { id: 'ten_1', name: 'Demo, Inc.', created_at: '2026-01-31T12:00:00.000Z' };
    service.replies['GET /tenants'] = [[200, { data: [tenant, { ...tenant, id: 'ten_2' }], total: 2 }]];
    const finding = { id: 'fnd_1', kind: 'unmatched_account', evidence: { since: 1 } };
    service.replies['GET /tenants/ten_1/findings/fnd_1'] = [[200, finding]];
  });

  const idsync = (...words: string[]) => service.idsync(words);

  describe('the output formats', () => {
    it('print a list as JSON lines', async () => {
      const { out } = await idsync('tenants', 'list', '--output', 'jsonl');
      expect(
        out
          .trimEnd()
          .split('\n')
          .map((line) => JSON.parse(line).id),
      ).toEqual(['ten_1', 'ten_2']);
    });

    it('print a list as CSV', async () => {
      expect((await idsync('tenants', 'list', '-o', 'csv')).out).toBe(
        'id,name,created,suspended\nten_1,"Demo, Inc.",2026-01-31T12:00:00.000Z,\nten_2,"Demo, Inc.",2026-01-31T12:00:00.000Z,\n',
      );
    });

    it('print one resource complete, on one line as JSON and on two as CSV', async () => {
      expect(JSON.parse((await idsync('findings', 'show', 'fnd_1', '--output', 'json')).out)).toHaveProperty(
        'evidence',
      );
      expect((await idsync('findings', 'show', 'fnd_1', '--output', 'jsonl')).out).toBe(
        '{"id":"fnd_1","kind":"unmatched_account","evidence":{"since":1}}\n',
      );
      expect((await idsync('findings', 'show', 'fnd_1', '--output', 'csv')).out).toBe(
        'id,kind,evidence\nfnd_1,unmatched_account,"{""since"":1}"\n',
      );
    });

    it('are named if another one is requested', async () => {
      const { code, err } = await idsync('tenants', 'list', '--output', 'xml');
      expect(code).toBe(2);
      expect(err).toContain("argument 'xml' is invalid. Allowed choices are table, json, jsonl, csv.");
    });
  });

  describe('something that does not exist', () => {
    const list = (call: string, ...data: object[]) => {
      service.replies[`GET /tenants/ten_1/${call}`] = [[200, { data, total: data.length }]];
    };

    beforeEach(() => {
      service.replies['GET /tenants/ten_1'] = [[200, { id: 'ten_1' }]];
    });

    it('is named with the API keys that exist', async () => {
      list('api-keys', { id: 'key_1', name: 'reporting' }, { id: 'key_2', name: 'ci' });
      expect(await idsync('keys', 'revoke', 'key_9')).toEqual({
        code: 2,
        out: '',
        err: 'idsync: no API key "key_9"; there are key_1 (reporting), key_2 (ci)\n',
      });
    });

    it('is named with the service tokens that exist', async () => {
      service.replies['GET /service-tokens'] = [[200, { data: [{ id: 'svt_1', name: 'ci' }], total: 1 }]];
      const revoke = () => idsync('service-tokens', 'revoke', 'svt_9');
      expect(await revoke()).toEqual({
        code: 2,
        out: '',
        err: 'idsync: no service token "svt_9"; there is svt_1 (ci)\n',
      });
      service.replies['GET /service-tokens'] = [[403, { error: 'the role is missing' }]];
      expect((await revoke()).err).toBe(
        'idsync: no service token "svt_9"; "idsync service-tokens list" shows the ids\n',
      );
    });

    it.each([
      ['audit', 'list', '--tenant', 'ten_9'],
      ['audit', 'export', '--tenant', 'ten_9'],
      ['audit', 'verify', '--tenant', 'ten_9'],
      ['audit', 'policy', 'show', '--tenant', 'ten_9'],
      ['tenants', 'export', 'ten_9', '--file', 'acme.jsonl'],
      ['tenants', 'delete', 'ten_9', '--dry-run'],
      ['tenants', 'deletion', 'ten_9'],
    ])('is named as the tenant of: %s %s %s %s', async (...words) => {
      expect(await idsync(...words)).toEqual({
        code: 2,
        out: '',
        err: 'idsync: no tenant "ten_9"; there are ten_1 (Demo, Inc.), ten_2 (Demo, Inc.)\n',
      });
    });

    it('is named as the operation of items', async () => {
      expect((await idsync('operations', 'items', 'opn_9')).err).toBe(
        'idsync: no operation "opn_9"; "idsync operations list" shows the ids\n',
      );
    });

    it('is named as the tenant, with those that exist', async () => {
      const expected = 'idsync: no tenant "ten_9"; there are ten_1 (Demo, Inc.), ten_2 (Demo, Inc.)\n';
      expect((await idsync('keys', 'list', '--tenant', 'ten_9')).err).toBe(expected);
      expect((await idsync('keys', 'revoke', 'key_1', '--tenant', 'ten_9')).err).toBe(expected);
    });

    it('is named with the command that lists many of its kind', async () => {
      expect((await idsync('identities', 'show', 'idn_9')).err).toBe(
        'idsync: no identity "idn_9"; "idsync identities list" shows the ids\n',
      );
    });

    it('is not named if the service has everything that the command names', async () => {
      service.replies['GET /tenants/ten_1/identities/idn_1'] = [[200, { id: 'idn_1' }]];
      service.replies['POST /tenants/ten_1/identities/idn_1/merge'] = [[404, { error: 'no identity idn_8' }]];
      expect((await idsync('identities', 'merge', 'idn_1', 'idn_8')).err).toBe('idsync: no identity idn_8\n');
    });

    it('is named as a connector, with up to ten that exist', async () => {
      const connectors = Array.from({ length: 12 }, (_, at) => ({ id: `con_${at}`, name: `C${at}` }));
      list('connectors', ...connectors);
      const named = (count: number) => connectors.slice(0, count).map(({ id, name }) => `${id} (${name})`);
      const there = `there are ${named(10).join(', ')}`;
      expect((await idsync('sync', 'CRM')).err).toBe(`idsync: no connector "CRM"; ${there} and 2 more\n`);
      // The service counts more than it lists.
      const page = { data: connectors.slice(0, 10), total: 11 };
      service.replies['GET /tenants/ten_1/connectors?limit=10'] = [[200, page]];
      const get = async () => (await idsync('connectors', 'get', 'con_99')).err;
      expect(await get()).toBe(`idsync: no connector "con_99"; ${there} and 1 more\n`);
      page.total = 10;
      expect(await get()).toBe(`idsync: no connector "con_99"; ${there}\n`);
      list('connectors');
      service.replies['GET /tenants/ten_1/connectors?limit=10'] = [[200, { data: [], total: 0 }]];
      expect(await get()).toBe('idsync: no connector "con_99"; there are none\n');
    });
  });

  describe('a tenant', () => {
    it('may be given by its name', async () => {
      service.replies['GET /tenants'] = [[200, { data: [{ id: 'ten_7', name: 'Acme Corp' }], total: 1 }]];
      service.replies['GET /tenants/ten_7/api-keys'] = [[200, { data: [], total: 0 }]];
      expect((await idsync('keys', 'list', '--tenant', 'Acme Corp')).out).toBe('none\n');
      expect(await idsync('keys', 'list', '--tenant', 'Acme')).toMatchObject({
        code: 2,
        err: 'idsync: no tenant "Acme"; there is ten_7 (Acme Corp)\n',
      });
    });

    it('is not chosen among several of one name', async () => {
      expect((await idsync('keys', 'list', '--tenant', 'Demo, Inc.')).err).toContain('several tenants are named');
    });
  });
});

describe('tables', () => {
  it('aligns columns and shows a dash for a missing value', () => {
    const rows = [
      ['con_1', 'Zoë 🎉', undefined],
      ['con_22', 'B', ['x', 'y']],
    ];
    expect(table(['id', 'name', 'tags'], rows)).toBe('ID      NAME    TAGS\ncon_1   Zoë 🎉  -\ncon_22  B       x, y\n');
  });

  it('shows "none" for an empty list', () => {
    expect(table(['id'], [])).toBe('none\n');
  });

  it('replaces terminal control characters in values', () => {
    expect(fieldLines({ name: 'a\u001b]0;b\u0007\nc\u202e' })).toBe('name  a\u{fffd}]0;b\u{fffd}\u{fffd}c\u{fffd}\n');
  });

  it.each([0x7f, 0x85, 0x9b, 0x202a, 0x202b, 0x202c, 0x202d, 0x202e, 0x2066, 0x2067, 0x2068, 0x2069])(
    'replaces the control character with the code %p, among them those that change the direction of text',
    (code) => {
      expect(table(['name'], [[`a${String.fromCodePoint(code)}b`]])).toBe('NAME\na\u{fffd}b\n');
    },
  );

  it('cuts the longest cells at the width of a terminal, but no id', () => {
    const id = 'idn_01kg9t8yr0e008000000000001';
    const row = [id, 'a name that is longer than its column', 'x'.repeat(40)];
    const lines = table(['id', 'name', 'text'], [row], { columns: 70, colours: false }).split('\n');
    expect(lines[1]).toBe(`${id}  a name that is lo…  ${'x'.repeat(17)}…`);
    expect(table(['id', 'name', 'text'], [row])).toContain(`longer than its column  ${'x'.repeat(40)}\n`);
  });

  it('lets lines wrap on a terminal that is too narrow for any table', () => {
    const row = ['con_1', 'one-two-three-four', 'five-six-seven-eight'];
    expect(table(['id', 'a', 'b'], [row], { columns: 11, colours: false })).toContain(
      'con_1  one-two-thr…  five-six-se…\n',
    );
  });

  const event = 'evt_01kg9t8yr0e008000000000001';
  const user = 'usr_01kg9t8yr0e008000000000002';
  const job = 'job_01kg9t8yr0e008000000000003';
  const history = () => {
    const row = ['2026-01-31T12:00:00.000Z', 'identity.status_changed', event, user, 'status: active → inactive', job];
    return ['time', 'event', 'id', 'subject', 'changes', 'cause'].map((heading, at) => ({ heading, cell: row[at] }));
  };
  const shownAt = (columns: number, parts = history()) =>
    table(
      parts.map(({ heading }) => heading),
      [parts.map(({ cell }) => cell)],
      { columns, colours: false },
    ).split('\n')[1];

  it('shortens the ids of other resources first, in their middle, then texts, and the id of the row last', () => {
    expect(shownAt(190)).toContain(`${event}  ${user}  status: active → inactive  ${job}`);
    expect(shownAt(120)).toBe(
      `2026-01-31T12:00:00Z  identity.status_changed  ${event}  usr_…000002  status: active…  job_…000003`,
    );
    expect(shownAt(100)).toBe(
      '2026-01-31T12:00:00Z  identity.status_changed  evt_…000001  usr_…000002  status: activ…  job_…000003',
    );
  });

  it('cuts the id of the row only if the row then fits', () => {
    expect(shownAt(117)).toBe(
      `2026-01-31T12:00:00Z  identity.status_changed  ${event}  usr_…000002  status: act…  job_…000003`,
    );
    expect(shownAt(98)).toBe(
      '2026-01-31T12:00:00Z  identity.status_changed  evt_…000001  usr_…000002  status: act…  job_…000003',
    );
    for (const columns of [97, 60]) expect(shownAt(columns)).toContain(event);
  });

  it('shortens ids and texts also if some rows have none, or only a word', () => {
    const rows = [
      [job, user, 'failed'],
      [job, undefined, 'the file ends within quotes'],
    ];
    const [, ...lines] = table(['id', 'subject', 'reason'], rows, { columns: 60, colours: false }).split('\n');
    expect(lines).toEqual([`${job}  usr_…000002  failed`, `${job}  -            the file ends…`, '']);
  });

  it('never cuts times and types: rows that cannot fit take several lines', () => {
    const line = shownAt(80) ?? '';
    expect(line).toContain(`2026-01-31T12:00:00Z  identity.status_changed  ${event}  `);
    expect(line.length).toBeGreaterThan(80);
    expect(line.length).toBeLessThanOrEqual(160);
  });

  it('leaves out columns without any value before it cuts others', () => {
    const parts = [
      { heading: 'id', cell: job },
      { heading: 'dry run', cell: undefined },
      { heading: 'reason', cell: 'the file ends within quotes' },
    ];
    expect(shownAt(60, parts)).toBe(`${job}  the file ends within quotes`);
    expect(shownAt(67, parts)).toBe(`${job}  the file ends within quotes`);
    expect(shownAt(68, parts)).toBe(`${job}  -        the file ends within quotes`);
  });

  it('keeps columns with a value in some rows', () => {
    const rows = [
      [job, undefined, 'the file ends within quotes'],
      [job, 'yes', 'the file ends within quotes'],
    ];
    const [, ...lines] = table(['id', 'dry run', 'reason'], rows, { columns: 60, colours: false }).split('\n');
    expect(lines).toEqual([`${job}  -        the file ends with…`, `${job}  yes      the file ends with…`, '']);
  });

  it.each([
    ['日本語', 4, '日…'],
    ['a\u0301bc', 3, 'a\u0301bc'],
    ['a\u200bbc', 3, 'a\u200bbc'],
    ['abcd', 3, 'ab…'],
  ])('cuts %s to %i columns', (text, columns, shown) => {
    expect(cut(text, columns)).toBe(shown);
  });

  it('shows times on a terminal without milliseconds', () => {
    const rows = [['2026-01-31T12:00:00.000Z']];
    expect(table(['at'], rows, { columns: 80, colours: false })).toBe('AT\n2026-01-31T12:00:00Z\n');
    const texts = [['since 2026-01-31T12:00:00.000Z'], ['2026-01-31T12:00:00.000Z or later']];
    expect(table(['at'], texts, { columns: 80, colours: false })).toBe(`AT\n${texts.join('\n')}\n`);
  });

  it('colours headings and statuses only if the terminal has colours', () => {
    const rows = [['failed'], ['failed twice']];
    expect(table(['status'], rows, { columns: 80, colours: true })).toBe(
      '\u001b[1mSTATUS\u001b[22m\n\u001b[31mfailed\u001b[39m\nfailed twice\n',
    );
    expect(table(['status'], rows, { columns: 80, colours: false })).toBe('STATUS\nfailed\nfailed twice\n');
  });
});

describe('CSV', () => {
  it('quotes separators, quotes and line breaks, and leaves missing values empty', () => {
    const rows = [['a,b', 'say "x"', 'two\nlines', undefined, ['x', 'y'], 0]];
    expect(csv(['last run', '%', 'c', 'd', 'e', 'f'], rows)).toBe(
      'last_run,percent,c,d,e,f\n"a,b","say ""x""","two\nlines",,"x, y",0\n',
    );
  });

  it('keeps control characters except on a terminal', () => {
    expect(csv(['a'], [['\u001b[2J']])).toBe('a\n\u001b[2J\n');
    expect(csv(['a'], [['\u001b[2J']], true)).toBe('a\n\u{fffd}[2J\n');
  });
});

/** Implements the terminal methods that cli-progress calls. */
function terminal(): PassThrough & { isTTY: boolean; columns: number } {
  const nothing = () => true;
  return Object.assign(new PassThrough(), {
    isTTY: true,
    columns: 120,
    cursorTo: nothing,
    moveCursor: nothing,
    clearLine: nothing,
  });
}

describe('progress', () => {
  it('is a bar on a terminal', () => {
    const stream = terminal();
    const line = progressLine(stream);
    line.show({ status: 'running', percent: 50, amount: '1200 records' });
    line.stop();
    expect(String(stream.read())).toMatch(/█░+ 50 % \| running \| 1200 records/);
  });

  it('is one line for each change when the output is no terminal', () => {
    const stream = new PassThrough();
    const line = progressLine(stream);
    for (const percent of [10, 10, 20]) line.show({ status: 'running', percent, amount: '' });
    line.stop();
    expect(String(stream.read())).toBe('running 10 %\nrunning 20 %\n');
  });
});
