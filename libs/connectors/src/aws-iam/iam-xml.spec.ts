import { describe, expect, it } from '@jest/globals';
import { iamError, iamXml } from './iam-xml.js';

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
