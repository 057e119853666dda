import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { expectEachAlone } from '../../test/read-one.js';
import { names, readAll, sourcesFolder } from '../../test/source-fixture.js';

const { source } = sourcesFolder();

const { signal } = new AbortController();

async function read(content: string | Uint8Array, config = {}, records: 'user' | 'machine_identity' = 'user') {
  const { records: read, errors } = await readAll(source('ldif', content, config, records));
  return { names: names(read), errors };
}

const base64 = (text: string | Buffer) => Buffer.from(text).toString('base64');

describe('an LDIF source', () => {
  it('reads folded lines, comments, base64 and CRLF, and names in any case', async () => {
    const text = [
      '# an export',
      '#  of two lines',
      ' folded: still a comment',
      'version: 1',
      'dn: uid=1,dc=x',
      'OBJECTCLASS: Person',
      'UID: 1',
      '# between',
      'CN: Ann',
      '  Lee',
      '',
      '',
      `dn:: ${base64('uid=2,dc=ö')}`,
      'uid:2',
      `cn:: ${base64('Zoë').slice(0, 3)}`,
      ` ${base64('Zoë').slice(3)}`,
      '',
    ];
    const expected = {
      names: [
        ['1', 'Ann Lee'],
        ['2', 'Zoë'],
      ],
      errors: [],
    };
    for (const content of [text.join('\n'), text.join('\r\n'), `\ufeff${text.join('\n')}`]) {
      await expect(read(content)).resolves.toEqual(expected);
    }
    await expect(read(Buffer.from(`\ufeff${text.join('\r\n')}`, 'utf16le'))).resolves.toEqual(expected);
  });

  it('returns all values of an attribute and treats options as part of its name', async () => {
    const config = {
      external_id: 'dn',
      fields: { 'attributes.a': 'Mail', 'attributes.b': 'cn;LANG-de', email: 'mail' },
    };
    const text = 'dn: x\nmail: a\nmail: b\ncn: c\ncn;lang-de: d\n';
    const { records } = await readAll(source('ldif', text, config));
    expect(records).toEqual([
      {
        external_id: 'x',
        fields: { 'attributes.a': ['a', 'b'], 'attributes.b': ['d'], email: ['a'], other_emails: ['b'] },
        line: 1,
      },
    ]);
  });

  it('accepts changetype add and fails for any other', async () => {
    for (const type of ['add', 'Add'])
      await expect(read(`dn: a\nchangetype: ${type}\nuid: 1\n`)).resolves.toMatchObject({ names: [['1', undefined]] });
    for (const type of ['modify', 'delete', 'modrdn', 'moddn']) {
      await expect(read(`dn: a\nuid: 1\n\ndn: b\nchangetype: ${type}\n`)).rejects.toThrow(
        '"source.ldif": line 5 has a changetype other than add, but only complete entries are supported',
      );
    }
    await expect(read('version: 2\ndn: a\nuid: 1\n')).rejects.toThrow('this LDIF version is not supported');
  });

  it('reports unusable entries by the line of their dn and continues', async () => {
    const text = [
      'dn: a',
      'uid: 1',
      'cn:< file:///etc/passwd',
      '',
      'dn: b',
      'uid: 2',
      'no colon',
      '',
      'dn: c',
      'uid: 3',
      'cn:: ////',
      '',
      'dn: d',
      'uid: 4',
      'cn:: YQ',
      '',
      'uid: 5',
      '',
      'dn: e',
      '',
      'dn: f',
      'cn: Nobody',
      '',
      'dn: g',
      'uid: 7',
      `cn:: ${base64('a\0b')}`,
      '',
      'dn: h',
      'uid: 8',
      'cn: Fine',
      '',
    ].join('\n');
    const broken = 'cn is not UTF-8 text, or its base64 is invalid';
    await expect(read(text)).resolves.toEqual({
      names: [['8', 'Fine']],
      errors: [
        { line: 1, external_id: '1', message: 'cn refers to a URL, which is not supported' },
        { line: 5, external_id: '2', message: 'line 7 has no colon' },
        { line: 9, external_id: '3', message: broken },
        { line: 13, external_id: '4', message: broken },
        { line: 17, message: 'does not begin with dn' },
        { line: 19, message: 'has no attributes' },
        { line: 21, message: 'uid (external_id) is missing' },
        { line: 24, external_id: '7', message: broken },
      ],
    });
  });

  it('reports entries without a blank line between them instead of merging two people', async () => {
    await expect(read('dn: a\nuid: 1\ncn: A\ndn: b\nuid: 2\n\ndn: c\nuid: 3\n')).resolves.toEqual({
      names: [['3', undefined]],
      errors: [{ line: 1, external_id: '1', message: 'has a second dn in line 4', hides_others: true }],
    });
  });

  it('reports merged entries also if one of them would be skipped, and after another problem', async () => {
    const container = 'dn: ou=a\nobjectClass: organizationalUnit\n';
    await expect(read(`${container}dn: b\nuid: 2\n\ndn: c\nuid: 3\n`, {}, 'machine_identity')).resolves.toMatchObject({
      errors: [{ line: 1, hides_others: true }],
    });
    await expect(read('dn: a\nuid: 1\nno colon\ndn: b\nuid: 2\n')).resolves.toMatchObject({
      errors: [{ line: 1, message: 'line 3 has no colon', hides_others: true }],
    });
  });

  it('reports an unusable entry with its external id', async () => {
    await expect(read(`dn: a\nuid:: ${base64(' 1 ')}\nno colon\ncn: A\n`)).resolves.toMatchObject({
      errors: [{ external_id: '1' }],
    });
  });

  it('ignores binary values and URLs that are not mapped', async () => {
    const text = 'dn: a\nuid: 1\njpegPhoto:: /9j/4AAQ\nuserCertificate;binary:: ////\nphoto:< file:///a.jpg\n';
    await expect(read(text)).resolves.toEqual({ names: [['1', undefined]], errors: [] });
  });

  it('fails for a truncated file instead of deleting the missing records', async () => {
    const whole = 'dn: a\nuid: 1\n\n';
    for (const [rest, line] of [
      ['dn: b\nuid: 2\nuserPass\n', 4],
      ['dn: b\nuid: 2\nphoto:: AAAA\n BB\n', 4],
      ['dn: b\n', 4],
      ['userPass\n', 4],
    ] as const) {
      await expect(read(whole + rest)).rejects.toThrow(`"source.ldif": truncated within the entry of line ${line}`);
    }
  });

  it('fails if the last line has no line break, unless it is a comment or blank', async () => {
    const whole = 'dn: a\nuid: 1\n';
    for (const rest of ['cn: An', 'userPass', 'photo:: AAAA', ' 0', '\ndn: b', '\nd', '\nversion: 1']) {
      const line = rest.startsWith('\n') ? 4 : 3;
      const failure = `"source.ldif": truncated within line ${line}`;
      await expect(read(whole + rest)).rejects.toThrow(failure);
    }
    for (const rest of ['', '\n', '\r', '\n# the end', '# the\n end']) {
      await expect(read(whole + rest)).resolves.toEqual({ names: [['1', undefined]], errors: [] });
    }
  });

  it('fails for a file without entries', async () => {
    const nothing = ['', '\n\n', '\ufeff', 'version: 1\n', '# nobody\n\n', '# end\nsearch: 2\nresult: 0 Success\n'];
    for (const text of nothing) await expect(read(text)).rejects.toThrow('"source.ldif" contains no entries');
    const groups = 'dn: g\nobjectClass: group\n';
    await expect(read(groups)).resolves.toEqual({ names: [], errors: [] });
  });

  it('skips the result of ldapsearch and fails if the search was incomplete', async () => {
    const first = 'dn: a\nuid: 1\n\n# search result\nsearch: 2\n';
    const paged = `${first}result: 0 Success\ncontrol: 1.2.840.113556.1.4.319 false MAA=\npagedresults: cookie=\n\n`;
    await expect(read(`${paged}dn: b\nuid: 2\n\nsearch: 3\nresult: 0 Success\n`)).resolves.toEqual({
      names: [
        ['1', undefined],
        ['2', undefined],
      ],
      errors: [],
    });
    const limited = 'the search was incomplete and ended with 4 sizeLimitExceeded';
    await expect(read(`${first}result: 4 Size limit exceeded\n`)).rejects.toThrow(limited);
    await expect(read('dn: a\nuid: 1\n\n# result: 4 Size limit exceeded\n')).rejects.toThrow(limited);
    for (const block of ['search: 2\n', 'search: 2\nresult: 0 Success\nuid: 2\n', 'search: 2\nresult: 0\ndn: b\n']) {
      const { errors } = await read(`dn: a\nuid: 1\n\n${block}`);
      expect(errors).toEqual([{ line: 4, message: 'does not begin with dn' }].map(expect.objectContaining));
    }
  });

  it('reads people of all common classes, but no containers and groups', async () => {
    const people = ['person', 'organizationalPerson', 'inetOrgPerson', 'User', 'posixAccount', 'account'];
    const others = ['organizationalUnit', 'group', 'groupOfNames', 'device', 'domain'];
    const text = [...people, ...others]
      .map((name) => `dn: ${name}\nobjectClass: top\nobjectClass: ${name}\n`)
      .join('\n');
    const config = { external_id: 'dn', fields: { display_name: 'dn' } };
    const asUsers = await read(`${text}\ndn: none\nuid: 1\n`, config);
    expect(asUsers).toEqual({ names: [...people, 'none'].map((name) => [name, name]), errors: [] });
    const asMachines = await read(text, config, 'machine_identity');
    expect(asMachines).toEqual({ names: [...people, 'device'].map((name) => [name, name]), errors: [] });
    const devices = await read(text, { ...config, object_class: 'DEVICE' });
    expect(devices).toEqual({ names: [['device', 'device']], errors: [] });
  });

  it('reports a part separated by a blank line also if only one class is read', async () => {
    const text = 'dn: a\nobjectClass: device\nuid: 1\n\ncn: torn off\n';
    await expect(read(text, { object_class: 'device' })).resolves.toEqual({
      names: [['1', undefined]],
      errors: [{ line: 5, message: 'does not begin with dn' }],
    });
  });

  it('reports an entry of more than 8 MiB and continues, and skips a group of that size', async () => {
    const members = `${'member: uid=somebody,ou=people,dc=x\n'.repeat(260_000)}\n`;
    const text = `dn: a\nuid: 1\n${members}dn: g\nobjectClass: group\n${members}dn: b\nuid: 2\n`;
    await expect(read(text)).resolves.toEqual({
      names: [['2', undefined]],
      errors: [{ line: 1, external_id: '1', message: 'is larger than 8 MiB' }],
    });
  });

  it('stores at most 64 KiB of classes and skips no entry whose classes are not all known', async () => {
    const classes = 'objectClass: group\n'.repeat(500_000);
    const tooMany = 'has more than 64 KiB of classes';
    const content = ['group\nnot a line', '< file:///class', ': ////'].map(
      (value, index) => `dn: ${index}\nuid: ${index}\nobjectClass: group\nobjectClass:${value}\n\n`,
    );
    const { errors } = await read(`dn: a\nuid: 1\n${classes}objectClass: person\n\n${content.join('')}`);
    expect(errors.map((error) => [error.external_id, error.message])).toEqual([
      ['1', tooMany],
      ['0', 'line 500009 has no colon'],
      ['1', 'objectclass refers to a URL, which is not supported'],
      ['2', 'objectclass is not UTF-8 text, or its base64 is invalid'],
    ]);
  });

  it('discovers the attributes of its entries except secrets and binary values', async () => {
    const text = [
      'version: 1',
      ...['dn: ou=people,dc=x', 'objectClass: organizationalUnit', 'ou: people', ''],
      ...['dn: uid=1,dc=x', 'objectClass: person', `jpegPhoto:: ${base64(Buffer.from([0xff, 0xd8, 0]))}`],
      ...[
        'uid: 1',
        'mail: a@x.example',
        'mail: b@x.example',
        'userPassword: {SSHA}abc',
        'note:< file:///etc/passwd',
        '',
      ],
      ...['no entry', ''],
      ...[
        'dn: uid=2,dc=x',
        'objectClass: person',
        'uid: 2',
        'MAIL: c@x.example',
        'mail: d@x.example',
        'shadowHash: abc',
        '',
      ],
    ].join('\n');
    await expect(source('ldif', text, { external_id: 'none' }).discover?.(signal)).resolves.toEqual([
      { name: 'dn', examples: ['uid=1,dc=x', 'uid=2,dc=x'] },
      { name: 'objectclass', examples: ['person'] },
      { name: 'uid', examples: ['1', '2'] },
      { name: 'mail', examples: ['a@x.example', 'b@x.example', 'c@x.example'] },
      { name: 'shadowhash', examples: [] },
    ]);
    await expect(source('ldif', 'version: 1\n').discover?.(signal)).rejects.toThrow('contains no entries');
  });

  it('discovers its attributes from its first entries only', async () => {
    const entry = (uid: number) => `dn: uid=${uid},dc=x\nuid: ${uid}\n\n`;
    // The file is truncated after the first chunk.
    const entries = Array.from({ length: 5_000 }, (_, uid) => entry(uid)).join('');
    const fields = await source('ldif', `${entries}dn: cut of`).discover?.(signal);
    expect(fields?.map(({ name }) => name)).toEqual(['dn', 'uid']);
  });

  it.each([
    [99, 'person', ['uid', 'mail']],
    [100, 'person', ['uid']],
    [999, 'organizationalUnit', ['mail']],
    [1_000, 'organizationalUnit', []],
  ])(
    'discovers attributes in its first 100 people or 1000 entries: after %d of class %s',
    async (count, kind, names) => {
      const before = Array.from({ length: count }, (_, n) => `dn: uid=${n},dc=x\nobjectClass: ${kind}\nuid: ${n}\n\n`);
      const last = 'dn: cn=last,dc=x\nobjectClass: person\nmail: a@x.example\n';
      const fields = await source('ldif', before.join('') + last).discover?.(signal);
      expect(fields?.flatMap(({ name }) => (['dn', 'objectclass'].includes(name) ? [] : [name]))).toEqual(names);
    },
  );

  it('fails for an endless line', async () => {
    await expect(read(`dn: a\nuid: ${'x'.repeat(9_000_000)}`)).rejects.toThrow('line 2 is longer than 8 MiB');
  });
});

describe('a secret attribute of an LDIF source', () => {
  const text = 'dn: uid=1\nuid: 1\ncn: n\nipaNTHash: aa\nuserPKCS12;binary:: YWE=\nsshPrivateKey: k\n2.5.4.35: x\n';

  it('cannot be mapped with any case and options of its name', () => {
    for (const name of ['IPANTHASH', 'userPKCS12;binary', 'sshPrivateKey', 'trustAuthIncoming', '2.5.4.35']) {
      expect(() => source('ldif', text, { fields: { email: name } })).toThrow(/secret/);
      expect(() => source('ldif', text, { external_id: name })).toThrow(/secret/);
    }
  });

  it('is not shown by field discovery', async () => {
    const fields = await source('ldif', text).discover?.(new AbortController().signal);
    expect(fields?.map(({ name }) => name)).toEqual(['dn', 'uid', 'cn']);
  });
});

describe('reading one entry of an LDIF source', () => {
  it('returns the same result as a full read, and absent if its class is not selected', async () => {
    const entry = (id: string, objectClass: string) =>
      `dn: uid=${id},dc=x\nobjectClass: ${objectClass}\nuid: ${id}\ncn: n${id}\n`;
    const text = [entry('1', 'person'), entry('2', 'person'), entry('3', 'device')].join('\n');
    expect(await expectEachAlone(source('ldif', text), ['3', 'nobody'])).toEqual(['1', '2']);
  });
});

const pieces = fc.constantFrom(' ', ':', '<', '#', '\n', '\r', '-', 'é', '\u{1f680}', '\ufeff', 'x', 'dn: ', '=');
const text = fc.oneof(
  fc.array(pieces, { maxLength: 60 }).map((parts) => parts.join('')),
  fc.string({ unit: 'grapheme' }),
);
const storable = text.filter((value) => !value.includes('\0'));

/** Encodes a line by RFC 2849: base64 for unsafe strings, folded after `width` bytes. */
function line(name: string, value: string, width: number, lineBreak: string): string {
  const safe = /^[\x21-\x39\x3b\x3d-\x7e][\x20-\x7e]*$/.test(value) && !value.endsWith(' ');
  const whole = safe ? `${name}: ${value}` : `${name}:: ${Buffer.from(value).toString('base64')}`;
  const folded = [whole.slice(0, width)];
  for (let at = width; at < whole.length; at += width) folded.push(whole.slice(at, at + width));
  return folded.join(`${lineBreak} `) + lineBreak;
}

describe('an LDIF source with random content', () => {
  const directory = fc.record({
    entries: fc.array(fc.array(storable, { maxLength: 3 }), { minLength: 1, maxLength: 12 }),
    width: fc.integer({ min: 1, max: 78 }),
    lineBreak: fc.constantFrom('\n', '\r\n'),
    pageSize: fc.integer({ min: 1, max: 15 }),
  });

  it('returns the written values trimmed, and the same records when resumed after any page', async () => {
    await fc.assert(
      fc.asyncProperty(directory, async ({ entries, width, lineBreak, pageSize }) => {
        const content = entries
          .map((values, index) => [
            line('dn', `cn=${index}`, width, lineBreak),
            // Every third entry is a group, which is skipped.
            line('objectClass', index % 3 === 2 ? 'group' : 'person', width, lineBreak),
            ...values.map((value) => line('cn', value, width, lineBreak)),
          ])
          .map((lines) => lines.join(''))
          .join(lineBreak);
        const config = { external_id: 'dn', fields: { 'attributes.names': 'cn' } };
        const connector = source('ldif', `version: 1${lineBreak}${lineBreak}${content}`, config);
        const { records, errors, pages } = await readAll(connector, pageSize);
        expect(errors).toEqual([]);
        expect(records).toEqual(
          entries.flatMap((values, index) => {
            const names = values.map((value) => value.trim()).filter((value) => value !== '');
            return index % 3 === 2 ? [] : [{ external_id: `cn=${index}`, fields: { 'attributes.names': names } }];
          }),
        );
        expect(pages.filter((page) => page.last)).toEqual(pages.slice(-1));
        let seen = 0;
        for (const page of pages) {
          seen += page.records.length;
          const rest = await readAll(connector, pageSize, page.cursor);
          expect(rest.records).toEqual(records.slice(seen));
        }
      }),
      { numRuns: 60 },
    );
  });
});
