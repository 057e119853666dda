import { describe, expect, it } from '@jest/globals';
import { fieldLines, table } from './table.js';

describe('tables', () => {
  it('aligns columns and shows a dash for a missing value', () => {
    const rows = [
      ['con_1', 'Zoë 🎉', undefined],
      ['con_22', 'B', ['x', 'y']],
    ];
    expect(table(['id', 'name', 'tags'], rows)).toBe('ID      NAME   TAGS\ncon_1   Zoë 🎉  -\ncon_22  B      x, y\n');
  });

  it('shows "none" for an empty list', () => {
    expect(table(['id'], [])).toBe('none\n');
  });

  it('replaces terminal control characters in values', () => {
    expect(fieldLines({ name: 'a\u001b]0;b\u0007\nc\u202e' })).toBe('name  a\u{fffd}]0;b\u{fffd}\u{fffd}c\u{fffd}\n');
  });
});
