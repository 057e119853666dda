import type { Transaction } from '@idsync/database';
import { describe, expect, it } from '@jest/globals';
import { applyInHalves } from './halves.js';

const tx = { attempt: <T>(work: () => Promise<T>) => work() } as Transaction;

/** Applies the numbers from 1 to 8, of which some fail. Returns what was applied, and which parts failed. */
async function applied(failing: readonly number[]): Promise<{ parts: number[][]; failed: number[][] }> {
  const failed: number[][] = [];
  const apply = async (part: readonly number[]) => {
    if (part.some((each) => failing.includes(each))) throw new Error('fails');
    return [...part];
  };
  const parts = await applyInHalves(tx, [1, 2, 3, 4, 5, 6, 7, 8], apply, (_, part) => void failed.push([...part]));
  return { parts, failed };
}

describe('applying in halves', () => {
  it('applies everything at once if nothing fails', async () => {
    expect(await applied([])).toEqual({ parts: [[1, 2, 3, 4, 5, 6, 7, 8]], failed: [] });
  });

  it('leaves out only the items that fail alone, and keeps the order', async () => {
    const { parts, failed } = await applied([3, 8]);
    expect(parts).toEqual([[1, 2], [4], [5, 6], [7]]);
    expect(failed.filter(({ length }) => length === 1)).toEqual([[3], [8]]);
  });

  it('ends with an error that is no fault of an item', async () => {
    const apply = () => Promise.reject(new Error('connection lost'));
    const examine = (error: unknown) => {
      throw error;
    };
    await expect(applyInHalves(tx, [1, 2], apply, examine)).rejects.toThrow('connection lost');
  });
});
