import { describe, expect, it } from '@jest/globals';
import { closeInTurn, closeTogether, farewell } from './close.js';

describe.each([
  ['in turn', closeInTurn],
  ['together', closeTogether],
])('parts closed %s', (_, close) => {
  it('are all closed though some of them fail, and the first failure is told when they are', async () => {
    const closed: string[] = [];
    const part = (name: string, error?: Error) => async () => {
      await Promise.resolve();
      closed.push(name);
      if (error) throw error;
    };
    const closing = close(part('a'), part('b', new Error('b hangs')), part('c', new Error('c hangs')), part('d'));
    await expect(closing).rejects.toThrow('b hangs');
    expect(closed).toEqual(['a', 'b', 'c', 'd']);
  });

  it('end well where each of them does', async () => {
    await expect(close(() => undefined)).resolves.toBeUndefined();
  });
});

describe('a farewell', () => {
  it('waits for its answer, whatever that is', async () => {
    let answered = false;
    const goodbye = async () => {
      await Promise.resolve();
      answered = true;
    };
    await farewell(goodbye(), 60_000);
    expect(answered).toBe(true);
    await expect(farewell(Promise.reject(new Error('gone already')), 60_000)).resolves.toBeUndefined();
  });

  it('does not wait for ever for who says nothing', async () => {
    await expect(farewell(new Promise(() => undefined), 10)).resolves.toBeUndefined();
  });
});
