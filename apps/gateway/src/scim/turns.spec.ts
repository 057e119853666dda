import { describe, expect, it } from '@jest/globals';
import { Turns } from './turns.js';

/** Work that ends when it is told to, and what of it is under way. */
class Works {
  readonly running: string[] = [];
  private readonly ends = new Map<string, () => void>();

  begin(turns: Turns, connector: string, name: string): Promise<string> {
    return turns.take(connector, async () => {
      this.running.push(name);
      await new Promise<void>((resolve) => this.ends.set(name, resolve));
      this.running.splice(this.running.indexOf(name), 1);
      return name;
    });
  }

  async end(name: string): Promise<void> {
    this.ends.get(name)?.();
    await new Promise((resolve) => setImmediate(resolve));
  }
}

const limits = { each: 2, all: 3, queued: 2, waitMs: 60_000 };

describe('turns', () => {
  it('are a few for each connector and a few in all, and who waits longest is next, one connector after another', async () => {
    const [works, turns] = [new Works(), new Turns(limits)];
    const all = ['a1', 'a2', 'a3', 'b1', 'b2', 'a4', 'c1'].map((name) => works.begin(turns, name.slice(0, 1), name));
    expect(works.running).toEqual(['a1', 'a2', 'b1']);
    await works.end('b1');
    expect(works.running).toEqual(['a1', 'a2', 'b2']);
    await works.end('a1');
    expect(works.running).toEqual(['a2', 'b2', 'a3']);
    await works.end('a2');
    expect(works.running).toEqual(['b2', 'a3', 'c1']);
    for (const name of ['b2', 'a3', 'c1', 'a4']) await works.end(name);
    expect(await Promise.all(all)).toEqual(['a1', 'a2', 'a3', 'b1', 'b2', 'a4', 'c1']);
  });

  it('are refused to who finds too many waiting, and to who has waited too long; those behind have theirs', async () => {
    const [works, turns] = [new Works(), new Turns({ ...limits, each: 1, waitMs: 10 })];
    void works.begin(turns, 'a', 'a1');
    const [late, later] = [works.begin(turns, 'a', 'a2'), works.begin(turns, 'a', 'a3')];
    await expect(works.begin(turns, 'a', 'a4')).rejects.toMatchObject({ status: 503 });
    await expect(late).rejects.toMatchObject({ status: 503 });
    await expect(later).rejects.toMatchObject({ status: 503 });
    await works.end('a1');
    const next = works.begin(turns, 'a', 'a5');
    await works.end('a5');
    expect(await next).toBe('a5');
  });

  it('are free again where the work fails', async () => {
    const turns = new Turns({ ...limits, each: 1 });
    for (let nth = 0; nth < 3; nth += 1) {
      await expect(turns.take('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    }
  });
});
