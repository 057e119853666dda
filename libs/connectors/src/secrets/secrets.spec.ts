import { sourceErrors } from '@idsync/contracts';
import { describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { CheckpointExpired, type Connector, type Page, SourceError } from '../connector.js';
import { guarded } from './guarded.js';
import { SecretFilter, shortestRedacted, sourceTextLength } from './secret-filter.js';

const secret = 'Tr0ub4dor&3/Correct+Horse';

const signal = new AbortController().signal;
const page: Page = { records: [], errors: [], cursor: {}, last: true };

function failing(error: unknown): Connector {
  const fail = async () => {
    throw error;
  };
  return {
    async *read() {
      yield { ...page, last: false };
      throw error;
    },
    readOne: fail,
    discover: fail,
  };
}

/** Returns the errors that a guarded connector throws from each of its methods. */
async function thrown(error: unknown, during = signal): Promise<unknown[]> {
  const connector = guarded(failing(error), [secret]);
  const read = async () => {
    for await (const _ of connector.read({ pageSize: 1, signal: during }));
  };
  return Promise.all(
    [read(), connector.readOne?.('1', during), connector.discover?.(during)].map((work) =>
      Promise.resolve(work).catch((caught: unknown) => caught),
    ),
  );
}

describe('a guarded connector', () => {
  it('keeps message and code of an error and redacts the text of the source', async () => {
    const error = new SourceError('it answered 401', {
      code: 'auth_failed',
      said: `${secret} is wrong`,
      transient: true,
      cause: secret,
    });
    for (const safe of await thrown(error)) {
      expect(safe).toBeInstanceOf(SourceError);
      expect(safe).toMatchObject({
        message: 'it answered 401',
        code: 'auth_failed',
        said: '*** is wrong',
        transient: true,
      });
      expect(safe).not.toHaveProperty('cause');
    }
  });

  it('replaces a message that contains a large part of a secret by the default message of its code', async () => {
    const error = new SourceError(`GET /${secret.slice(1)} answered 404`, { code: 'not_found' });
    for (const safe of await thrown(error)) expect(safe).toMatchObject({ message: sourceErrors.not_found });
    for (const safe of await thrown(new CheckpointExpired(`${secret} is too old`))) {
      expect(safe).toBeInstanceOf(CheckpointExpired);
      expect((safe as Error).message).not.toContain('Horse');
    }
  });

  it('removes text of the source from the stack of an unexpected error', async () => {
    const error = new TypeError(`cannot read "${secret}"\n    of ${secret}`);
    for (const safe of (await thrown(error)) as Error[]) {
      expect(safe).toMatchObject({ name: 'TypeError', message: 'cannot read "***" of ***' });
      expect(safe.stack).toMatch(/^TypeError: cannot read "\*\*\*" of \*\*\*\n {4}at /);
      expect(safe.stack).not.toContain('Horse');
    }
  });

  it('throws the abort reason after an abort', async () => {
    const reason = new Error('enough');
    for (const one of await thrown(reason, AbortSignal.abort(reason))) expect(one).toBe(reason);
  });
});

describe('the pages of a guarded connector', () => {
  it('redact secrets in record errors and change nothing else', async () => {
    const errors = [{ line: 1, external_id: '7', message: 'hire_date is not a date', said: secret }];
    const whole = { ...page, errors, removed: ['8'], fraction: 1 };
    const connector = guarded(
      {
        reportsChanges: true,
        async *read() {
          yield whole;
        },
        readOne: async () => ({ error: { external_id: '7', message: 'odd', said: secret } }),
      },
      [secret],
    );
    expect(connector).toMatchObject({ reportsChanges: true });
    expect(connector.discover).toBeUndefined();
    for await (const one of connector.read({ pageSize: 1, signal })) {
      expect(one).toEqual({ ...whole, errors: [{ ...errors[0], said: '***' }] });
    }
    await expect(connector.readOne?.('7', signal)).resolves.toEqual({
      error: { external_id: '7', message: 'odd', said: '***' },
    });
  });

  it('redacts the values of fields that cannot be used', async () => {
    const record = (said: string) => ({
      external_id: '7',
      fields: {},
      problems: [{ field: 'hire_date', message: 'hire_date is not a date', said }],
    });
    const page: Page = { records: [record(secret)], errors: [], cursor: {}, last: true };
    const connector = guarded(
      {
        async *read() {
          yield page;
        },
        readOne: async () => ({ record: record(secret) }),
      },
      [secret],
    );
    for await (const one of connector.read({ pageSize: 1, signal })) expect(one.records).toEqual([record('***')]);
    await expect(connector.readOne?.('7', signal)).resolves.toEqual({ record: record('***') });
  });
});

const shown = (text: string, secrets = [secret]) => new SecretFilter(secrets).text(text);

describe('redacting source text', () => {
  it('shows text without a secret on one line', () => {
    expect(shown('80090308: LdapErr:\r\n DSID-0C09042A\0')).toBe('80090308: LdapErr: DSID-0C09042A');
    expect(shown('anything', [])).toBe('anything');
  });

  it.each([
    ['unchanged', secret],
    ['in another case', secret.toUpperCase()],
    ['in JSON', JSON.stringify(secret).replaceAll('/', '\\/')],
    ['percent-encoded', encodeURIComponent(secret)],
    ['percent-encoded in lower case', encodeURIComponent(secret).toLowerCase()],
    ['percent-encoded twice', encodeURIComponent(encodeURIComponent(secret))],
    ['as in a form', new URLSearchParams({ p: secret }).toString()],
    ['in base64', Buffer.from(secret).toString('base64')],
    ['in base64 behind a user', Buffer.from(`admin:${secret}`).toString('base64')],
    ['in base64url', Buffer.from(`x${secret}`).toString('base64url')],
    ['in hex', Buffer.from(secret).toString('hex').toUpperCase()],
    ['in XML', secret.replace('&', '&amp;')],
    ['containing a control character', `Tr0ub4\0dor&3/Correct+Horse`],
    ['containing a zero-width space', `Tr0ub4dor&3/\u200bCorrect+Horse`],
  ])('redacts a secret written %s and shows the rest', (_, spelled) => {
    const text = shown(`refused: [${spelled}] is wrong`);
    expect(text.startsWith('refused: [')).toBe(true);
    expect(text.endsWith('] is wrong')).toBe(true);
    expect(text).toContain('***');
    expect(text).not.toMatch(/orrect/i);
  });

  it.each([
    ['a secret without its first characters', secret.slice(4)],
    ['a secret without its last characters', secret.slice(0, -4)],
    ['six characters of a secret', secret.slice(8, 14)],
    ['a secret with spaces between its characters', secret.split('').join(' ')],
    ['a secret with dashes between its characters', secret.split('').join('-')],
    ['a secret in JSON escapes', secret.replaceAll(/./g, (c) => `\\u00${c.charCodeAt(0).toString(16)}`)],
    ['a secret in character entities', secret.replaceAll(/./g, (c) => `&#${c.charCodeAt(0)};`)],
    ['a part of a secret in base64', Buffer.from(secret.slice(3)).toString('base64')],
    ['base64 of a secret without its first character', Buffer.from('ab:Tr0ub4d!').toString('base64').slice(5)],
    ['a secret in base64 on several lines', Buffer.from(secret).toString('base64').replaceAll(/.{7}/g, '$&\n')],
  ])('withholds text with %s, which cannot be redacted', (_, spelled) => {
    expect(shown(`refused: ${spelled}!`)).toBe('withheld: it repeats part of a secret of the connector');
  });

  it('redacts before it shortens', () => {
    for (let before = sourceTextLength - secret.length - 5; before < sourceTextLength + 5; before += 1) {
      const text = shown(`${'.'.repeat(before)}${secret}${'.'.repeat(50)}`);
      expect(text.length).toBeLessThanOrEqual(sourceTextLength + 1);
      expect(text.endsWith('…')).toBe(true);
      expect(text.replaceAll('.', '').slice(0, -1)).toMatch(/^\*{0,3}$/);
    }
  });

  it('does not reveal the position of a short secret', () => {
    for (const short of ['a', 'hunter2']) {
      const texts = ['an answer', 'hunter2', 'xyz'].map((text) => shown(text, [secret, short]));
      expect(new Set(texts)).toEqual(new Set([texts[0]]));
      expect(texts[0]).toContain(`fewer than ${shortestRedacted} characters`);
    }
  });

  it('redacts the keys of a key file, but not its names', () => {
    const key = `-----BEGIN PRIVATE KEY-----\n${'MIIEvQIBADANBgkqhkiG9w0B\n'.repeat(20)}-----END PRIVATE KEY-----\n`;
    const file = JSON.stringify({ type: 'service_account', client_email: 'sync@example.com', private_key: key });
    for (const text of [file, key, JSON.stringify(key), key.split('\n')[3] ?? '']) {
      const said = shown(`invalid: ${text}`, [file]);
      expect(said).not.toMatch(/MIIEvQ|hkiG9w/);
    }
    expect(shown('the private key of service_account sync@example.com is unknown', [file])).toContain(
      'sync@example.com is unknown',
    );
  });

  it('examines the same number of characters in a text of 30 MB as in one of 30 kB', () => {
    const filter = new SecretFilter(Array.from({ length: 4 }, (_, n) => `${n}${secret}`.repeat(80)));
    const examined = (repetitions: number) => {
      const text = 'aGVsbG8gd29ybGQ%20&#65;\\u0041 '.repeat(repetitions);
      const replace = jest.spyOn(String.prototype, 'replaceAll');
      try {
        filter.text(text);
        return replace.mock.contexts.reduce<number>((sum, line) => sum + String(line).length, 0);
      } finally {
        replace.mockRestore();
      }
    };
    expect(examined(1_000_000)).toBe(examined(1_000));
  });

  /** Encodings of a secret, with the encoded length that certainly contains six of its characters. */
  const writings: [string, (text: string) => string, number][] = [
    ['raw', (text) => text, 6],
    ['percent', (text) => Buffer.from(text).toString('hex').replaceAll(/../g, '%$&'), 20],
    ['base64', (text) => Buffer.from(text).toString('base64'), 11],
    ['base64 behind a user', (text) => Buffer.from(`ab:${text}`).toString('base64').slice(4), 11],
    ['hex', (text) => Buffer.from(text).toString('hex'), 13],
    ['escapes', (text) => text.replaceAll(/./g, (c) => `\\u00${c.charCodeAt(0).toString(16)}`), 41],
    ['split', (text) => text.split('').join('\u0007'), 11],
    ['spaced', (text) => text.split('').join(' \n'), 16],
    ['percent in base64', (text) => Buffer.from(encodeURIComponent(text)).toString('base64'), 27],
  ];
  const printable = fc.string({
    unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)),
    minLength: shortestRedacted,
    maxLength: 60,
  });

  it('never shows six consecutive characters of a secret in any encoding, position and truncation', () => {
    const property = fc.property(
      fc.array(printable, { minLength: 1, maxLength: 3 }),
      fc.array(
        fc.record({
          which: fc.nat(),
          writing: fc.constantFrom(...writings),
          from: fc.nat({ max: 20 }),
          to: fc.nat({ max: 20 }),
          before: fc.string({ maxLength: 30 }),
        }),
        { minLength: 1, maxLength: 6 },
      ),
      fc.nat({ max: 600 }),
      (secrets, embedded, padding) => {
        const pieces = embedded.map(({ which, writing: [, write], from, to, before }) => {
          const written = write(secrets[which % secrets.length] ?? '');
          return `${before}${written.slice(from, Math.max(from, written.length - to))}`;
        });
        const text = new SecretFilter(secrets).text(`${'~'.repeat(padding)}${pieces.join(' ')}`);
        if (text.startsWith('withheld: ')) return;
        const seen = text.toLowerCase();
        const shownParts = secrets
          .flatMap((one) => writings.flatMap(([, write, length]) => partsOf(write(one), length)))
          // The padding of this test and the redaction mark are not part of a secret.
          .filter((part) => !/^[~*]+$/.test(part) && seen.includes(part));
        expect(shownParts).toEqual([]);
      },
    );
    fc.assert(property, { numRuns: 500 });
  });
});

describe('a message of idsync', () => {
  it('is replaced if it contains a large part of a secret, but not for a common word', () => {
    const filter = new SecretFilter(['the password of the directory', secret]);
    expect(filter.isRepeatedBy('the directory rejected bind_dn or bind_password')).toBe(false);
    expect(filter.isRepeatedBy(`GET https://a.example/${encodeURIComponent(secret)} answered 404`)).toBe(true);
    expect(filter.isRepeatedBy(`GET https://a.example/${secret.slice(0, 17)} answered 404`)).toBe(true);
  });
});

function partsOf(written: string, length: number): string[] {
  const lower = written.toLowerCase();
  return Array.from({ length: Math.max(0, lower.length - length + 1) }, (_, at) => lower.slice(at, at + length));
}
