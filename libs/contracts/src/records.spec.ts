import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { recordFields, recordKinds } from './fixed-values.js';
import { jsonBytes, recordLimits, recordWeight, whyTooLarge } from './record-limits.js';
import { sourceErrors } from './source-errors.js';
import { checkSourcePath } from './source-path.js';

describe('docs/sources.md', () => {
  const document = readFileSync(new URL('../../../docs/sources.md', import.meta.url), 'utf8');

  it.each(recordKinds)('lists the fields of %s that can be mapped', (kind) => {
    const [, table = ''] = document.split('| field | `user` |');
    const { status: _, ...byType } = recordFields[kind];
    for (const field of Object.values(byType).flat()) expect(table.split('\n\n')[0]).toContain(`\`${field}\``);
  });
});

const values = (count: number, value = 'v') => Array.from({ length: count }, () => value);

describe('a record', () => {
  it('may have a thousand values in a field, and one more is too many', () => {
    expect(whyTooLarge({ roles: values(1_000) })).toBeUndefined();
    expect(whyTooLarge({ roles: values(1_001) })).toBe('roles has 1 001 values, 1 000 are allowed');
    expect(whyTooLarge({ 'attributes.tags': values(20_000) })).toBe(
      'attributes.tags has 20 000 values, 1 000 are allowed',
    );
  });

  it('may have 4 000 values over all of its fields', () => {
    const four = { groups: values(1_000), roles: values(1_000), departments: values(1_000), email: values(1_000) };
    expect(whyTooLarge(four)).toBeUndefined();
    expect(whyTooLarge({ ...four, display_name: ['Ann'] })).toBe('the record has 4 001 values, 4 000 are allowed');
  });

  it('may have 256 KiB of values, measured as JSON with its escapes', () => {
    const filled = (value: string) => ({ roles: values(16, value) });
    expect(whyTooLarge(filled('x'.repeat(16_000)))).toBeUndefined();
    expect(whyTooLarge(filled('"'.repeat(16_000)))).toBe('the record has 512 051 bytes of values, 262 144 are allowed');
  });

  it('is measured by its size as JSON, for any values', () => {
    const anything = fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.array(fc.string({ unit: 'binary' })));
    fc.assert(
      fc.property(anything, fc.integer({ min: 0, max: 6_000 }), (fields, repeated) => {
        const larger = { ...fields, d: ['\u0001'.repeat(repeated * 10)] };
        const fits = jsonBytes(Object.values(larger)) <= recordLimits.bytes;
        expect(whyTooLarge(larger) === undefined).toBe(fits);
      }),
    );
  });

  it('weighs more with every value, however short', () => {
    expect(recordWeight({ roles: values(100, '') })).toBeGreaterThan(25_000);
    expect(recordWeight({})).toBeGreaterThan(0);
  });
});

describe('docs/sources.md', () => {
  const document = readFileSync(new URL('../../../docs/sources.md', import.meta.url), 'utf8');

  it.each(Object.entries(sourceErrors))('documents the meaning of %s', (code, meaning) => {
    expect(document).toContain(`| \`${code}\` | ${meaning} |`);
  });
});

describe('a source path', () => {
  it('may name a file, in a folder or with dots in its name', () => {
    for (const path of ['hr.csv', 'exports/2026/hr.csv', './hr.csv', 'a..b.csv', '.hidden', 'Größe.csv']) {
      expect(checkSourcePath(path)).toBeUndefined();
    }
  });

  it('is rejected if it is absolute, contains "..", is empty or contains NUL', () => {
    for (const path of ['/etc/passwd', 'C:\\hr.csv', 'c:hr.csv', '\\\\host\\hr.csv', '\\hr.csv']) {
      expect(checkSourcePath(path)).toBe('path must be relative to the sources folder');
    }
    for (const path of ['..', '../hr.csv', 'a/../../hr.csv', 'a\\..\\hr.csv', 'a/..']) {
      expect(checkSourcePath(path)).toBe('path must not contain ".."');
    }
    expect(checkSourcePath(' ')).toBe('path is empty');
    expect(checkSourcePath('hr.csv\0.txt')).toBe('path contains a NUL character');
  });
});
