import { describe, expect, it } from '@jest/globals';
import { csv } from './output.js';
import { cut, fieldLines, table } from './table.js';

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
