import { describe, expect, it } from '@jest/globals';
import { iamError, iamXml } from './iam-client.js';
import { signatureHeaders } from './sigv4.js';

const answer = (inner: string, before = '') => `${before}<R><A>${inner}</A></R>`;

describe('parsing XML of IAM', () => {
  it('returns lists, maps and strings', () => {
    const members = '<L><member>1</member><member><N>2</N></member></L>';
    const entries = '<M><entry><key>a</key><value>3</value></entry></M>';
    expect(iamXml(answer(`${members}${entries}&lt;&#x41;`))).toEqual({
      name: 'R',
      value: { A: { L: ['1', { N: '2' }], M: { a: '3' } } },
    });
  });

  it.each([
    ['an internal entity', '<!DOCTYPE R [<!ENTITY x "secret">]>'],
    ['an entity of a file', '<!DOCTYPE R [<!ENTITY x SYSTEM "file:///etc/passwd">]>'],
    ['an entity of another URL', '<!DOCTYPE R [<!ENTITY x PUBLIC "x" "http://127.0.0.1/x">]>'],
    ['a large recursive entity', `<!DOCTYPE R [<!ENTITY a "aaaaaaaaaa"><!ENTITY x "${'&a;'.repeat(10_000)}">]>`],
  ])('rejects %s', (_, doctype) => {
    expect(() => iamXml(answer('&x;', doctype))).toThrow("Named entity isn't defined: &x;");
    expect(iamError(`${doctype}<ErrorResponse><Error><Code>&x;</Code></Error></ErrorResponse>`)).toEqual({});
  });

  it('loads no external DTD', () => {
    const doctype = '<!DOCTYPE R SYSTEM "http://127.0.0.1:1/x.dtd">';
    expect(iamXml(answer('text', doctype))).toEqual({ name: 'R', value: { A: 'text' } });
  });

  it('rejects deep nesting of any depth', () => {
    for (const depth of [50, 100_000]) {
      const deep = answer(`${'<a>'.repeat(depth)}${'</a>'.repeat(depth)}`);
      expect(() => iamXml(deep)).toThrow(depth === 50 ? 'the response is nested too deeply' : RangeError);
      expect(iamError(deep)).toEqual({});
    }
  });

  it('does not confuse element names with inherited object properties', () => {
    const { value } = iamXml(answer('<entry><key>__proto__</key><value><polluted>yes</polluted></value></entry>'));
    iamXml(answer('<__proto__><polluted>yes</polluted></__proto__>'));
    expect(value).toBeDefined();
    expect(({} as { polluted?: string }).polluted).toBeUndefined();
  });
});

const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' };
const now = '20150830T123600Z';

async function signature(
  method: 'GET' | 'POST',
  url: string,
  { body, type, service = 'service' }: { body?: string; type?: string; service?: string } = {},
): Promise<string> {
  const headers: Record<string, string> = type === undefined ? {} : { 'Content-Type': type };
  const request = { method, url: new URL(url), headers, ...(body !== undefined && { body }) };
  const { authorization = '' } = await signatureHeaders(request, credentials, { region: 'us-east-1', service }, now);
  return authorization;
}

/** Cases of the published test suite of Signature Version 4 and the example of its guide. */
describe('an AWS signature', () => {
  const form = 'application/x-www-form-urlencoded';
  it.each([
    [
      'get-vanilla',
      signature('GET', 'https://example.amazonaws.com/'),
      '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31',
    ],
    [
      'get-vanilla-query-order-key-case',
      signature('GET', 'https://example.amazonaws.com/?Param2=value2&Param1=value1'),
      'b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500',
    ],
    [
      'post-vanilla',
      signature('POST', 'https://example.amazonaws.com/'),
      '5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b',
    ],
    [
      'post-x-www-form-urlencoded',
      signature('POST', 'https://example.amazonaws.com/', { body: 'Param1=value1', type: form }),
      'ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a',
    ],
  ])('matches the test suite for %s', async (_, made, expected) => {
    expect((await made).split('Signature=')[1]).toBe(expected);
  });

  it('matches the documented example', async () => {
    const url = 'https://iam.amazonaws.com/?Action=ListUsers&Version=2010-05-08';
    expect(await signature('GET', url, { type: `${form}; charset=utf-8`, service: 'iam' })).toBe(
      'AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/iam/aws4_request, ' +
        'SignedHeaders=content-type;host;x-amz-date, ' +
        'Signature=5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7',
    );
  });

  it('covers the session token', async () => {
    const request = { method: 'GET', url: new URL('https://iam.amazonaws.com/'), headers: {} } as const;
    const scope = { region: 'us-east-1', service: 'iam' };
    const signed = await signatureHeaders(request, { ...credentials, sessionToken: 't0ken' }, scope, now);
    expect(signed['x-amz-security-token']).toBe('t0ken');
    expect(signed.authorization).toContain('SignedHeaders=host;x-amz-date;x-amz-security-token');
  });
});
