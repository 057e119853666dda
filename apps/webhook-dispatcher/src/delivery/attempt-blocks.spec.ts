import { describe, expect, it } from '@jest/globals';
import { AttemptBlocks, blockOf } from './attempt-blocks.js';

describe('attempts that are taken in advance', () => {
  it.each([
    [-5, 0],
    [99, 0],
    [100, 1],
    [20_050, 200],
    [10_000_000, 1_000],
  ])('are of %p the hundredth part: %p', (remaining, block) => {
    expect(blockOf(remaining)).toBe(block);
  });

  it('are left until they are used, the hour ends or the quota changes', () => {
    const blocks = new AttemptBlocks();
    expect(blocks.left('a', 0)).toBe(0);
    blocks.keep('a', 5, 1_000);
    blocks.use('a', 2);
    blocks.use('b', 2);
    expect([blocks.left('a', 999), blocks.left('a', 1_000), blocks.left('b', 0)]).toEqual([3, 0, 0]);
    blocks.forget('a');
    expect(blocks.left('a', 0)).toBe(0);
  });
});
