import { ldapConfig } from '@idsync/contracts';
import { afterEach, describe, expect, it } from '@jest/globals';
import { type Asked, element, entry, fakeDirectory, result } from '../../test/fake-directory.js';
import { read } from '../../test/reading.js';
import { type Connector, SourceError } from '../connector.js';
import { createConnector } from '../create-connector.js';
import { ldapConnector } from './ldap-connector.js';

type Answer = Parameters<typeof fakeDirectory>[0];
const base = 'ou=people';
const password = 'a-secret-of-ours';
const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

/** A valid source except for the responses of `answer`. */
async function sourceThat(answer: Answer, config: Record<string, unknown> = {}) {
  const { url, stop, sockets } = await fakeDirectory((asked, socket) => answer(asked, socket) ?? orderly(asked));
  stops.push(stop);
  const connector = createConnector({
    type: 'ldap',
    records: 'user',
    config: { url, unencrypted: true, bind_dn: 'cn=us', base_dn: base, fields: { display_name: 'cn' }, ...config },
    secrets: { bind_password: password },
    sourcesDir: '/nowhere',
    allowedCidrs: ['127.0.0.1/32'],
  });
  return { connector, sockets };
}

/** Two people on separate pages with an empty page between them. */
function orderly(asked: Asked): Buffer[] {
  if (asked.kind !== 'search') return [result(asked, 0)];
  if (asked.base === '') return [entry(asked, '', { namingContexts: [base] }), result(asked, 0)];
  const one = (name: string) => entry(asked, `cn=${name},${base}`, { entryUUID: [`id-${name}`], cn: [name] });
  if (asked.cookie === undefined) return [one(asked.base.slice(3, 4)), result(asked, 0)];
  if (asked.cookie === '') return [one('a'), result(asked, 0, { cookie: 'more' })];
  if (asked.cookie === 'more') return [result(asked, 0, { cookie: 'most' })];
  return [one('b'), result(asked, 0, { cookie: '' })];
}

const listing = (asked: Asked) => asked.kind === 'search' && asked.base === base;

async function failure(connector: Connector): Promise<string> {
  const error: unknown = await read(connector).then(
    () => undefined,
    (caught) => caught,
  );
  expect(error).toBeInstanceOf(SourceError);
  expect(String(error)).not.toContain(password);
  return (error as Error).message;
}

describe('field discovery in a directory', () => {
  it('requests no values of secrets, neither by name nor by a wildcard', async () => {
    const searches: Asked[] = [];
    const { connector } = await sourceThat((asked) => {
      if (!listing(asked)) return undefined;
      searches.push(asked);
      const all = { cn: ['Ann'], ipaNTHash: ['a'], 'userPKCS12;binary': ['b'], '2.5.4.35': ['c'], entryUUID: ['id'] };
      const values = asked.namesOnly ? Object.fromEntries(Object.keys(all).map((name) => [name, []])) : all;
      return [entry(asked, `cn=a,${base}`, values), result(asked, 0, { cookie: '' })];
    });
    const fields = await connector.discover?.(new AbortController().signal);
    expect(fields?.map(({ name }) => name)).toEqual(['@groups', '@owner', '@status', 'cn', 'dn', 'entryUUID']);
    expect(searches.map(({ attributes, namesOnly }) => ({ attributes, namesOnly }))).toEqual([
      { attributes: ['*', '+'], namesOnly: true },
      { attributes: ['cn', 'entryUUID'], namesOnly: false },
    ]);
  });
});

describe('reading a misbehaving directory', () => {
  it('continues after an empty page that is not the last', async () => {
    const { connector } = await sourceThat(() => undefined);
    const { records, pages } = await read(connector);
    expect(records.map(({ external_id }) => external_id)).toEqual(['id-a', 'id-b']);
    expect(pages.map(({ last }) => last)).toEqual([true]);
  });

  it.each<[string, Answer, string]>([
    [
      'does not report whether there are more entries',
      (asked) => (listing(asked) ? [result(asked, 0)] : undefined),
      'does not report whether there are more entries',
    ],
    [
      'stops at its size limit',
      (asked) => (asked.cookie === 'more' ? [result(asked, 4, { cookie: '' })] : undefined),
      '(4 sizeLimitExceeded)',
    ],
    ['returns a referral', (asked) => (listing(asked) ? [result(asked, 10)] : undefined), 'which is not followed'],
    [
      'closes the connection between pages',
      (asked, socket) => (asked.cookie === 'more' ? ([socket.destroy()].slice(1) as []) : undefined),
      'closed the connection',
    ],
    [
      'sends a notice of disconnection',
      (asked) =>
        asked.cookie === 'more' ? [result({ id: 0, kind: 'extended' }, 52, { text: 'shutting down' })] : undefined,
      'is not available (52 unavailable)',
    ],
    [
      'uses another protocol',
      (asked) => (listing(asked) ? [Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n')] : undefined),
      'sent an invalid LDAP message',
    ],
    [
      'sends a wrong length',
      (asked) => {
        if (!listing(asked)) return undefined;
        const whole = entry(asked, 'cn=a', { cn: ['aaaa'] });
        whole.writeUInt32BE(0x7f_ff_ff, whole.length - 8);
        return [whole];
      },
      'an element is truncated',
    ],
    [
      'announces a message that is too large',
      (asked) => (listing(asked) ? [Buffer.from('3084ffffffff', 'hex')] : undefined),
      'larger than 16 MiB',
    ],
    [
      'sends more entries than requested',
      (asked) =>
        listing(asked)
          ? Array.from({ length: 1_001 }, (_, id) => entry(asked, `cn=${id}`, { entryUUID: [`${id}`] }))
          : undefined,
      'more than the 1000 requested entries',
    ],
    [
      'sends the same anchor twice',
      (asked) =>
        listing(asked)
          ? [
              entry(asked, 'cn=x', { entryUUID: ['1'] }),
              entry(asked, 'cn=y', { entryUUID: ['1'] }),
              result(asked, 0, { cookie: '' }),
            ]
          : undefined,
      'several entries have the same value',
    ],
    [
      'sends a message that is not a response',
      (asked) => (listing(asked) ? [element(0x30, element(0x02, Buffer.from([1])), element(0x42))] : undefined),
      'has an unknown type',
    ],
    [
      'echoes the rejected password',
      (asked) => (asked.kind === 'bind' ? [result(asked, 49, { text: `not ${password}` })] : undefined),
      'rejected bind_dn or bind_password',
    ],
    [
      'requires a password change',
      (asked) =>
        asked.kind === 'bind'
          ? [result(asked, 49, { text: 'AcceptSecurityContext error, data 773, v4563' })]
          : undefined,
      '(49 invalidCredentials: the password has to be changed)',
    ],
    [
      'rejects a request for one entry',
      (asked) => (asked.base.startsWith('cn=b') ? [result(asked, 50)] : undefined),
      'does not allow this account to read there',
    ],
  ])('fails if it %s', async (_, answer, message) => {
    const { connector } = await sourceThat(answer);
    await expect(failure(connector)).resolves.toContain(message);
  });

  it.each([1, 49, 53, 80, 4711])('does not expose a password echoed with result %s', async (code) => {
    for (const text of [
      password,
      `not ${password}!`,
      password.slice(1),
      `${password.slice(0, 4)}\0${password.slice(4)}`,
    ]) {
      for (const kind of ['bind', 'search']) {
        const { connector } = await sourceThat((asked) =>
          asked.kind === kind ? [result(asked, code, { text })] : undefined,
        );
        const error = await read(connector).catch((thrown: unknown) => thrown);
        expect(error).toBeInstanceOf(SourceError);
        expect((error as SourceError).message).not.toContain(text);
        expect((error as SourceError).said).not.toContain(password.slice(1, 7));
      }
    }
  });

  it('fails if it never responds or never ends', async () => {
    const { url, stop } = await fakeDirectory((asked) => (listing(asked) ? [] : orderly(asked)));
    stops.push(stop);
    const config = ldapConfig.parse({ url, unencrypted: true, base_dn: base });
    const allowedCidrs = ['127.0.0.1/32'];
    const silent = ldapConnector({ records: 'user', config, allowedCidrs, limits: { operationMs: 200 } });
    await expect(failure(silent)).resolves.toBe('the directory did not respond within 200 ms');
    const { connector } = await sourceThat((asked) =>
      listing(asked) ? [result(asked, 0, { cookie: 'again' })] : undefined,
    );
    await expect(failure(connector)).resolves.toContain('empty pages in a row');
  });

  it.each([
    ['on another server', 10],
    ['gone', 32],
    ['no name', 34],
    ['not visible', 50],
  ])('returns the DN of an owner that is %s', async (_, code) => {
    const owner = 'CN=Somebody,DC=other';
    const { connector } = await sourceThat(
      (asked) => {
        if (asked.base === owner) return [result(asked, code)];
        if (!asked.base.startsWith('cn=')) return undefined;
        const name = asked.base.slice(3, 4);
        return [entry(asked, asked.base, { entryUUID: [`id-${name}`], managedBy: [owner] }), result(asked, 0)];
      },
      { fields: { 'attributes.owner': '@owner' } },
    );
    const { records } = await read(connector);
    expect(records.map(({ fields }) => fields['attributes.owner'])).toEqual([[owner], [owner]]);
  });

  it('sends no password without TLS', async () => {
    const binds: Asked[] = [];
    const { connector } = await sourceThat(
      (asked) => {
        if (asked.kind === 'bind') binds.push(asked);
        return asked.kind === 'extended' ? [result(asked, 2, { text: 'unknown operation' })] : undefined;
      },
      { unencrypted: false },
    );
    await expect(failure(connector)).resolves.toBe('StartTLS: the directory rejected the operation (2 protocolError)');
    expect(binds).toEqual([]);
  });

  it('fails if unencrypted data arrives before TLS starts', async () => {
    const { connector } = await sourceThat(
      (asked) =>
        asked.kind === 'extended' ? [Buffer.concat([result(asked, 0), Buffer.from('30', 'hex')])] : undefined,
      { unencrypted: false },
    );
    await expect(failure(connector)).resolves.toBe('StartTLS: the server sent unencrypted data after its response');
  });

  it.each<[string, (asked: Asked) => boolean]>([
    ['to a bind', (asked) => asked.kind === 'bind'],
    ['to the root DSE request', (asked) => asked.kind === 'search' && asked.base === ''],
    ['to a search', listing],
    ['to a request for one entry', (asked) => asked.base.startsWith('cn=b')],
  ])('throws the abort reason immediately while there is no response %s', async (_, silent) => {
    const stop = new AbortController();
    const { connector, sockets } = await sourceThat((asked) => {
      if (!silent(asked)) return undefined;
      setImmediate(() => stop.abort(new Error('cancelled')));
      return [];
    });
    const reading = (async () => {
      for await (const page of connector.read({ pageSize: 10, signal: stop.signal })) expect(page.last).toBe(false);
    })();
    await expect(reading).rejects.toThrow('cancelled');
    await Promise.all([...sockets].map((socket) => new Promise((closed) => socket.once('close', closed))));
  });

  it('does not connect if the signal is aborted before', async () => {
    const { connector, sockets } = await sourceThat(() => undefined);
    const pages = connector.read({ pageSize: 10, signal: AbortSignal.abort(new Error('cancelled')) });
    await expect(pages[Symbol.asyncIterator]().next()).rejects.toThrow('cancelled');
    expect(sockets.size).toBe(0);
  });
});
