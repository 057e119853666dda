import { describe, expect, it } from '@jest/globals';
import { pipelined } from './pipelined.js';

const after = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

describe('work with statements in the pipeline', () => {
  it('ends when all of them have ended', async () => {
    let ended = false;
    const sent = after(20).then(() => {
      ended = true;
    });
    await expect(pipelined(async (send) => send(sent))).resolves.toBeUndefined();
    expect(ended).toBe(true);
  });

  it('fails with the first error, when all of them have ended', async () => {
    let ended = false;
    const work = pipelined(async (send) => {
      send(Promise.reject(new Error('first')));
      send(
        after(20).then(() => {
          ended = true;
        }),
      );
    });
    await expect(work).rejects.toThrow('first');
    expect(ended).toBe(true);
  });

  it('fails with the error of the work, when the statements have ended', async () => {
    let ended = false;
    const work = pipelined(async (send) => {
      send(
        after(20).then(() => {
          ended = true;
          throw new Error('statement');
        }),
      );
      throw new Error('work');
    });
    await expect(work).rejects.toThrow('work');
    expect(ended).toBe(true);
  });
});
