import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readAll, sourcesFolder } from '../../test/source-fixture.js';

const { source } = sourcesFolder();

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
