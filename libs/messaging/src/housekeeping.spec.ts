import { describe, expect, it } from '@jest/globals';
import { type Chore, Housekeeping } from './housekeeping.js';

const hour = 3_600_000;

/** A chore that does so much in turn; `finished` resolves with the last of it. */
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
  return { chore: { name, portion: 10, run } satisfies Chore, finished, runs: () => runs };
}

describe('housekeeping', () => {
  it('does a chore again while its portions are full, and the next one then', async () => {
    const [first, second] = [chore('first', 10, 10, 3), chore('second', 0)];
    const housekeeping = new Housekeeping([first.chore, second.chore], hour, { warn: () => undefined });
    housekeeping.start();
    await second.finished;
    await housekeeping.stop();
    expect([first.runs(), second.runs()]).toEqual([3, 1]);
  });

  it('puts a chore off that fails, says so, and does the others', async () => {
    const warnings: string[] = [];
    const failing: Chore = { name: 'failing', portion: 1, run: () => Promise.reject(new Error('no database')) };
    const other = chore('other', 0);
    const housekeeping = new Housekeeping([failing, other.chore], hour, { warn: (text) => void warnings.push(text) });
    housekeeping.start();
    await other.finished;
    await housekeeping.stop();
    expect(warnings).toEqual(['failing put off: no database']);
  });

  it('stops between two portions of a chore that has no end', async () => {
    let housekeeping: Housekeeping | undefined;
    let stopped: Promise<void> | undefined;
    const endless: Chore = {
      name: 'endless',
      portion: 1,
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
