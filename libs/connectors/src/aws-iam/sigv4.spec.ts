import { describe, expect, it } from '@jest/globals';
import { signatureHeaders } from './sigv4.js';

const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' };
const now = new Date('2015-08-30T12:36:00Z');

function signature(
  method: 'GET' | 'POST',
  url: string,
  { body, type, service = 'service' }: { body?: string; type?: string; service?: string } = {},
): string {
  const headers: Record<string, string> = type === undefined ? {} : { 'Content-Type': type };
  const request = { method, url: new URL(url), headers, ...(body !== undefined && { body }) };
  const { authorization = '' } = signatureHeaders(request, credentials, { region: 'us-east-1', service }, now);
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
  ])('matches the test suite for %s', (_, made, expected) => {
    expect(made.split('Signature=')[1]).toBe(expected);
  });

  it('matches the documented example', () => {
    const url = 'https://iam.amazonaws.com/?Action=ListUsers&Version=2010-05-08';
    expect(signature('GET', url, { type: `${form}; charset=utf-8`, service: 'iam' })).toBe(
      'AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/iam/aws4_request, ' +
        'SignedHeaders=content-type;host;x-amz-date, ' +
        'Signature=5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7',
    );
  });

  it('covers the session token', () => {
    const request = { method: 'GET', url: new URL('https://iam.amazonaws.com/'), headers: {} } as const;
    const scope = { region: 'us-east-1', service: 'iam' };
    const signed = signatureHeaders(request, { ...credentials, sessionToken: 't0ken' }, scope, now);
    expect(signed['x-amz-security-token']).toBe('t0ken');
    expect(signed.authorization).toContain('SignedHeaders=host;x-amz-date;x-amz-security-token');
  });
});
