import { describe, expect, it } from '@jest/globals';
import { iamError, iamXml } from './iam-xml.js';

const answer = (inner: string, before = '') => `${before}<R><A>${inner}</A></R>`;

describe('XML of IAM', () => {
  it('is read as lists, maps and texts', () => {
    const members = '<L><member>1</member><member><N>2</N></member></L>';
    const entries = '<M><entry><key>a</key><value>3</value></entry></M>';
    expect(iamXml(answer(`${members}${entries}&lt;&#x41;`))).toEqual({
      name: 'R',
      value: { A: { L: ['1', { N: '2' }], M: { a: '3' } } },
    });
  });

  it.each([
    ['of its own', '<!DOCTYPE R [<!ENTITY x "secret">]>'],
    ['of a file', '<!DOCTYPE R [<!ENTITY x SYSTEM "file:///etc/passwd">]>'],
    ['of another address', '<!DOCTYPE R [<!ENTITY x PUBLIC "x" "http://127.0.0.1/x">]>'],
    ['that grows without bounds', `<!DOCTYPE R [<!ENTITY a "aaaaaaaaaa"><!ENTITY x "${'&a;'.repeat(10_000)}">]>`],
  ])('has no entity %s', (_, doctype) => {
    expect(() => iamXml(answer('&x;', doctype))).toThrow("Named entity isn't defined: &x;");
    expect(iamError(`${doctype}<ErrorResponse><Error><Code>&x;</Code></Error></ErrorResponse>`)).toEqual({});
  });

  it('reads no type of document from anywhere', () => {
    const doctype = '<!DOCTYPE R SYSTEM "http://127.0.0.1:1/x.dtd">';
    expect(iamXml(answer('text', doctype))).toEqual({ name: 'R', value: { A: 'text' } });
  });

  it('is refused where it is nested deeply, be it so deeply that nobody could read it', () => {
    for (const depth of [50, 100_000]) {
      const deep = answer(`${'<a>'.repeat(depth)}${'</a>'.repeat(depth)}`);
      expect(() => iamXml(deep)).toThrow(depth === 50 ? 'the answer is nested too deeply' : RangeError);
      expect(iamError(deep)).toEqual({});
    }
  });

  it('cannot name what every object has', () => {
    const { value } = iamXml(answer('<entry><key>__proto__</key><value><polluted>yes</polluted></value></entry>'));
    iamXml(answer('<__proto__><polluted>yes</polluted></__proto__>'));
    expect(value).toBeDefined();
    expect(({} as { polluted?: string }).polluted).toBeUndefined();
  });
});
