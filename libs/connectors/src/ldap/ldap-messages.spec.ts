import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { element, entry, result } from '../../test/fake-directory.js';
import { textsOf, valueBytes } from './entry-values.js';
import { nameOf } from './group-reader.js';
import { type LdapMessage, MalformedMessage, MessageStream, readMessage } from './ldap-messages.js';

const text = fc.string({ unit: 'binary', maxLength: 20 }).filter((value) => !/\p{Surrogate}/u.test(value));

describe('parsing LDAP messages', () => {
  it('returns the same messages for any split of the bytes', () => {
    const messages = fc.array(
      fc.tuple(fc.nat(1_000), text, fc.dictionary(fc.constantFrom('cn', 'Mail', 'x-1'), fc.array(text))),
    );
    fc.assert(
      fc.property(messages, fc.array(fc.nat(400)), (sent, cuts) => {
        const bytes = Buffer.concat(sent.map(([id, dn, attributes]) => entry({ id }, dn, attributes)));
        const stream = new MessageStream();
        const read: LdapMessage[] = [];
        let from = 0;
        for (const to of [...cuts.filter((cut) => cut < bytes.length).sort((a, b) => a - b), bytes.length]) {
          for (const message of stream.feed(bytes.subarray(from, to))) read.push(readMessage(message));
          from = to;
        }
        expect(stream.pending).toBe(0);
        expect(read).toHaveLength(sent.length);
        for (const [index, [id, dn, attributes]] of sent.entries()) {
          const message = read[index];
          if (message?.kind !== 'entry') throw new Error('no entry');
          expect([message.id, message.entry.dn]).toEqual([id, dn]);
          for (const [name, values] of Object.entries(attributes)) {
            expect(message.entry.values.get(name.toLowerCase())).toEqual(values.map((value) => Buffer.from(value)));
          }
        }
      }),
    );
  });

  it('returns an error or a message for any bytes without waiting', () => {
    const whole = [
      entry({ id: 7 }, 'cn=a', { cn: ['a', 'b'] }),
      result({ id: 7, kind: 'search' }, 0, { cookie: 'more' }),
    ];
    fc.assert(
      fc.property(fc.constantFrom(...whole), fc.nat(120), fc.nat(255), (message, at, byte) => {
        const broken = Buffer.from(message);
        broken[at % broken.length] = byte;
        try {
          expect(readMessage(broken)).toBeDefined();
        } catch (error) {
          expect(error).toBeInstanceOf(MalformedMessage);
        }
      }),
    );
    for (const bytes of ['', '30', '3080', '30840000', '020101', '30030201']) {
      expect(() => readMessage(Buffer.from(bytes, 'hex'))).toThrow(MalformedMessage);
    }
    expect(() => readMessage(element(0x30))).toThrow(MalformedMessage);
  });
});

describe('an LDAP attribute value', () => {
  const values = (name: string, ...bytes: Buffer[]) =>
    textsOf({ dn: '', names: [], values: new Map([[name.toLowerCase(), bytes]]) }, name);

  it('is formatted as in the tools of Active Directory', () => {
    const guid = Buffer.from('00112233445566778899aabbccddeeff', 'hex');
    expect(values('objectGUID', guid)).toEqual(['33221100-5544-7766-8899-aabbccddeeff']);
    expect(values('objectSid', Buffer.from('010500000000000515000000010000000200000003000000f4010000', 'hex'))).toEqual(
      ['S-1-5-21-1-2-3-500'],
    );
    expect(values('objectGUID', Buffer.from('short'))).toBeUndefined();
    expect(values('objectSid', Buffer.from('0105', 'hex'))).toBeUndefined();
  });

  it('is undefined if it is not text', () => {
    expect(values('cn', Buffer.from('Zoë'), Buffer.from('\ufeffx'))).toEqual(['Zoë', '\ufeffx']);
    expect(values('cn', Buffer.from('ok'), Buffer.from([0xff]))).toBeUndefined();
    expect(values('cn', Buffer.from('a\0b'))).toBeUndefined();
    expect(values('cn')).toEqual([]);
  });

  it('of objectGUID is searched by its text form', () => {
    const sixteen = fc.uint8Array({ minLength: 16, maxLength: 16 });
    fc.assert(
      fc.property(sixteen, (array) => {
        const bytes = Buffer.from(array);
        expect(valueBytes('objectGUID', values('objectGUID', bytes)?.[0] ?? '')).toEqual(bytes);
      }),
    );
    expect(valueBytes('objectGUID', 'nonsense')).toBeUndefined();
    expect(valueBytes('entryUUID', 'abc')).toEqual(Buffer.from('abc'));
  });
});

it.each([
  ['CN=Sales,OU=Groups,DC=x', 'Sales'],
  ['cn=Sales\\, North,OU=x', 'Sales, North'],
  ['cn=Sales\\2C North,OU=x', 'Sales, North'],
  ['cn=\\C3\\89quipe,OU=x', 'Équipe'],
  ['cn=a\\+b+uid=7,OU=x', 'a+b'],
  ['cn=back\\\\slash', 'back\\slash'],
  ['cn = spaced ,OU=x', 'spaced'],
  ['no name', 'no name'],
])('nameOf(%s) is %s', (dn, name) => {
  expect(nameOf(dn)).toBe(name);
});
