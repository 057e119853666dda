import { describe, expect, it } from '@jest/globals';
import { names, readAll, sourcesFolder } from '../../test/source-fixture.js';

const { source } = sourcesFolder();
const entry = 'dn: a\nuid: 1\n\n';
const read = async (text: string) => names((await readAll(source('ldif', `${entry}${text}`))).records);

/** Codes of RFC 4511, of LDAP extensions, and unknown ones; one for each first and last digit. */
const failures: readonly (readonly [number, string])[] = [
  [1, '1 operationsError'],
  [2, '2 protocolError'],
  [3, '3 timeLimitExceeded'],
  [4, '4 sizeLimitExceeded'],
  [5, 'result 5'],
  [9, 'result 9'],
  [10, '10 referral'],
  [11, '11 adminLimitExceeded'],
  [12, '12 unavailableCriticalExtension'],
  [13, '13 confidentialityRequired'],
  [14, '14 saslBindInProgress'],
  [15, 'result 15'],
  [16, '16 noSuchAttribute'],
  [17, '17 undefinedAttributeType'],
  [18, '18 inappropriateMatching'],
  [19, '19 constraintViolation'],
  [20, 'result 20'],
  [32, '32 noSuchObject'],
  [51, '51 busy'],
  [64, 'result 64'],
  [80, '80 other'],
  [100, 'result 100'],
  [118, '118 canceled'],
  [4_096, 'result 4096'],
  [16_654, 'result 16654'],
];

describe('an LDIF source of ldapsearch', () => {
  it.each(failures)('is incomplete if the search ended with result %d', async (code, name) => {
    const failure = `the search was incomplete and ended with ${name}`;
    await expect(read(`# search result\n# search: 2\n# result: ${code} Some text\n`)).rejects.toThrow(failure);
    await expect(read(`# search result\nsearch: 2\nresult: ${code} Some text\n`)).rejects.toThrow(failure);
    await expect(read(`# result: ${code}\n`)).rejects.toThrow(failure);
  });

  it.each([
    '# result: 0 Success\n',
    '# search: 2\n# result: 0\n',
    'search: 2\nresult: 0 Success\n',
    '# result: none\n',
  ])('is complete with %j', async (text) => {
    await expect(read(text)).resolves.toEqual([['1', undefined]]);
  });

  it('is complete if the text of an entry only resembles a result', async () => {
    await expect(read('dn: b\nuid: 2\nresult: 4 of 10\n')).resolves.toHaveLength(2);
  });
});
