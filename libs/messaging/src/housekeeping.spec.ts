import { describe, expect, it, jest } from '@jest/globals';
import { type Chore, Housekeeping } from './housekeeping.js';

const hour = 3_600_000;

/** A chore that returns these amounts in turn; `finished` resolves with the last one. */
function chore(name: string, ...amounts: number[]) {
  let finish: () => void = () => undefined;
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  let runs = 0;
  const run = async () => {
    const amount = amounts[runs] ?? 0;
    runs += 1;
    if (runs >= amounts.length) finish();
    return amount;
  };
  return { chore: { name, batchSize: 10, run } satisfies Chore, finished, runs: () => runs };
}

describe('housekeeping', () => {
  it('repeats a chore while its batches are full, then runs the next one', async () => {
    const [first, second] = [chore('first', 10, 10, 3), chore('second', 0)];
    const housekeeping = new Housekeeping([first.chore, second.chore], hour, { warn: () => undefined });
    housekeeping.start();
    await second.finished;
    await housekeeping.stop();
    expect([first.runs(), second.runs()]).toEqual([3, 1]);
  });

  it('postpones a failing chore, logs a warning, and runs the others', async () => {
    const warn = jest.fn();
    const err = new Error('no database');
    const failing: Chore = { name: 'failing', batchSize: 1, run: () => Promise.reject(err) };
    const other = chore('other', 0);
    const housekeeping = new Housekeeping([failing, other.chore], hour, { warn });
    housekeeping.start();
    await other.finished;
    await housekeeping.stop();
    expect(warn.mock.calls).toEqual([[{ err, chore: 'failing' }, 'housekeeping chore failed, will retry']]);
  });

  it('stops between two batches of an endless chore', async () => {
    let housekeeping: Housekeeping | undefined;
    let stopped: Promise<void> | undefined;
    const endless: Chore = {
      name: 'endless',
      batchSize: 1,
      run: async () => {
        stopped = housekeeping?.stop();
        return 1;
      },
    };
    housekeeping = new Housekeeping([endless], hour, { warn: () => undefined });
    housekeeping.start();
    await stopped;
    expect(stopped).toBeDefined();
  });
});
