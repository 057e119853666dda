import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { sourceErrors } from './source-errors.js';

const document = readFileSync(new URL('../../../docs/sources.md', import.meta.url), 'utf8');

describe('docs/sources.md', () => {
  it.each(Object.entries(sourceErrors))('documents the meaning of %s', (code, meaning) => {
    expect(document).toContain(`| \`${code}\` | ${meaning} |`);
  });
});
