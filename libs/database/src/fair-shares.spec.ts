import { until } from '@idsync/testing';
import { describe, expect, it } from '@jest/globals';
import { DatabaseBusy, FairShares } from './fair-shares.js';

const limits = { connections: 7, ofOneMember: 3, waiting: 8, waitingOfOneMember: 3, waitMs: 60_000 };

/** Simulated work that ends when the test ends it, on a clock that the test controls. */
class Works {
  now = 0;
  readonly running: string[] = [];
  readonly refused: string[] = [];
  private readonly ends = new Map<string, () => void>();
  private readonly shares: FairShares;

  constructor(changed: Partial<typeof limits> = {}) {
    this.shares = new FairShares({ ...limits, ...changed }, () => this.now);
  }

  /** Each name consists of tenant, key and a number: `a.1.2`. */
  async begin(...names: string[]): Promise<void> {
    for (const name of names) {
      const [group = '', member = ''] = name.split('.');
      this.shares.take({ group, member }).then(
        (end) => {
          this.running.push(name);
          this.ends.set(name, end);
        },
        (error: unknown) => {
          if (!(error instanceof DatabaseBusy)) throw error;
          this.refused.push(name);
        },
      );
      await settled();
    }
  }

  get waiting(): number {
    return this.shares.waiting;
  }

  async end(name: string): Promise<void> {
    this.running.splice(this.running.indexOf(name), 1);
    this.ends.get(name)?.();
    await settled();
  }
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('FairShares', () => {
  it('limits a tenant to as many connections as are free, so that another tenant gets one', async () => {
    const works = new Works({ ofOneMember: 10 });
    await works.begin('a.1.1', 'a.1.2', 'a.1.3', 'a.1.4', 'a.1.5', 'b.1.1', 'b.1.2', 'b.1.3', 'c.1.1', 'd.1.1');
    expect(works.running).toEqual(['a.1.1', 'a.1.2', 'a.1.3', 'a.1.4', 'b.1.1', 'b.1.2', 'c.1.1']);
  });

  it('counts the time of work in progress, so that a key with more of it is served later', async () => {
    const works = new Works();
    works.now = 600;
    await works.begin('a.1.1', 'a.1.2');
    works.now = 700;
    await works.begin('a.2.1', 'b.1.1', 'b.1.2', 'c.1.1', 'd.1.1', 'a.1.3', 'a.2.2');
    works.now = 1_000;
    for (const name of ['b.1.1', 'b.1.2', 'c.1.1', 'd.1.1']) await works.end(name);
    expect(works.running).toEqual(['a.1.1', 'a.1.2', 'a.2.1', 'a.2.2']);
  });

  it('limits an API key below its tenant, so that another key of the tenant is served', async () => {
    const works = new Works();
    await works.begin('a.1.1', 'a.1.2', 'a.1.3', 'a.1.4', 'a.2.1');
    expect(works.running).toEqual(['a.1.1', 'a.1.2', 'a.1.3', 'a.2.1']);
  });

  it('serves the tenant with the least recent database time next, and within it the key with the least', async () => {
    const works = new Works({ connections: 1 });
    await works.begin('a.1.1');
    works.now = 1_000;
    await works.end('a.1.1');
    await works.begin('b.1.1', 'a.1.2', 'a.2.1', 'b.1.2');
    works.now = 1_100;
    await works.end('b.1.1');
    expect(works.running).toEqual(['b.1.2']);
    works.now = 3_000;
    await works.end('b.1.2');
    expect(works.running).toEqual(['a.2.1']);
    await works.end('a.2.1');
    expect(works.running).toEqual(['a.1.2']);
  });

  it('weighs past usage less with time', async () => {
    const works = new Works({ connections: 1 });
    await works.begin('a.1.1');
    works.now = 60_000;
    await works.end('a.1.1');
    await works.begin('b.1.1');
    works.now = 300_000;
    await works.end('b.1.1');
    await works.begin('c.1.1', 'b.1.2', 'a.1.2');
    await works.end('c.1.1');
    expect(works.running).toEqual(['a.1.2']);
  });

  it('starts all eligible work when a connection is returned', async () => {
    const works = new Works({ connections: 3, ofOneMember: 10 });
    await works.begin('a.1.1', 'a.1.2', 'b.1.1', 'a.1.3', 'c.1.1');
    expect(works.running).toEqual(['a.1.1', 'a.1.2', 'b.1.1']);
    await works.end('a.1.1');
    expect(works.running).toEqual(['a.1.2', 'b.1.1', 'c.1.1']);
    await works.end('b.1.1');
    await works.end('c.1.1');
    expect(works.running).toEqual(['a.1.2', 'a.1.3']);
  });

  it('rejects work if its key or tenant has too many requests waiting, but not that of another tenant', async () => {
    const works = new Works({ connections: 1 });
    await works.begin('a.1.1', 'a.1.2', 'a.1.3', 'a.1.4', 'a.1.5', 'a.2.1', 'a.2.2', 'b.1.1');
    expect(works.refused).toEqual(['a.1.5', 'a.2.2']);
  });

  it('rejects work that has waited too long, and serves the work behind it', async () => {
    const works = new Works({ connections: 1, waitMs: 10 });
    await works.begin('a.1.1', 'a.1.2');
    await until(() => works.refused.length > 0, 'the end of the wait');
    expect(works.refused).toEqual(['a.1.2']);
    await works.begin('a.1.3');
    await works.end('a.1.1');
    expect(works.running).toEqual(['a.1.3']);
  });

  it('starts work that has waited once, whatever the time after that', async () => {
    const works = new Works({ connections: 1, waitMs: 10 });
    await works.begin('a.1.1', 'a.1.2');
    await works.end('a.1.1');
    await works.begin('b.1.1');
    await new Promise((resolve) => setTimeout(resolve, 15));
    await works.end('a.1.2');
    expect([works.running, works.refused, works.waiting]).toEqual([[], ['b.1.1'], 0]);
  });

  it('keeps tenants without recent usage until their number has doubled since the last ones were dropped', async () => {
    const shares = new FairShares({ ...limits, connections: 10_000 }, () => 0);
    const ends = Array.from({ length: 1_001 }, (_, nth) => shares.takeNow({ group: `${nth}`, member: 'key' }));
    for (const end of ends) end?.();
    for (let nth = 0; nth < 1_001; nth += 1) shares.takeNow({ group: `other ${nth}`, member: 'key' })?.();
    expect(shares.size).toBe(2_002);
    shares.takeNow({ group: 'last', member: 'key' })?.();
    expect(shares.size).toBe(1);
  });

  it.each([
    [1, 1_001],
    [0.9, 1],
  ])('counts a tenant as idle after less than a millisecond: %d ms', (usedMs, size) => {
    const time = { now: 0 };
    const shares = new FairShares({ ...limits, connections: 10_000 }, () => time.now);
    const ends = Array.from({ length: 1_000 }, (_, nth) => shares.takeNow({ group: `${nth}`, member: 'key' }));
    time.now = usedMs;
    for (const end of ends) end?.();
    shares.takeNow({ group: 'last', member: 'key' });
    expect(shares.size).toBe(size);
  });

  it('drops idle tenants and keys, so that memory is bounded', async () => {
    const time = { now: 0 };
    const shares = new FairShares(limits, () => time.now);
    for (let nth = 0; nth < 10_000; nth += 1) {
      const end = await shares.take({ group: `tenant ${nth}`, member: 'key' });
      time.now += 100;
      end();
    }
    expect(shares.size).toBeLessThanOrEqual(2_000);
  });
});
