import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { recordFields, recordKinds } from './fixed-values.js';

const document = readFileSync(new URL('../../../docs/sources.md', import.meta.url), 'utf8');

describe('docs/sources.md', () => {
  it.each(recordKinds)('lists the fields of %s that can be mapped', (kind) => {
    const [, table = ''] = document.split('| field | `user` |');
    const { status: _, ...byType } = recordFields[kind];
    for (const field of Object.values(byType).flat()) expect(table.split('\n\n')[0]).toContain(`\`${field}\``);
  });
});
