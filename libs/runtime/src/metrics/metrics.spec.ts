import { describe, expect, it } from '@jest/globals';
import { register } from 'prom-client';
import { counter, durations, gauge, seldom } from './metrics.js';

async function lines(name: string): Promise<string[]> {
  const text = await register.getSingleMetricAsString(`idsync_${name}`);
  return text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
}

describe('metrics', () => {
  it('count and time by their labels', async () => {
    const tries = counter({ name: 'tries_total', help: 'Tries.', labels: ['outcome'] });
    tries.add({ outcome: 'done' });
    tries.add({ outcome: 'done' }, 2);
    expect(await lines('tries_total')).toEqual(['idsync_tries_total{outcome="done"} 3']);
    const took = durations({ name: 'took_seconds', help: 'Took.' });
    took.observe({}, 0.2);
    expect(await lines('took_seconds')).toContain('idsync_took_seconds_bucket{le="0.25"} 1');
  });

  it('begin at zero where it is known what will be told, so that the first is seen to come', async () => {
    const ends = counter({ name: 'ends_total', help: 'Ends.', labels: ['outcome'] });
    ends.startAtZero({ outcome: 'failed' });
    expect(await lines('ends_total')).toEqual(['idsync_ends_total{outcome="failed"} 0']);
    const waits = durations({ name: 'wait_seconds', help: 'Wait.', labels: ['queue'] }, 'wait');
    waits.startAtZero({ queue: 'a' });
    expect(await lines('wait_seconds')).toContain('idsync_wait_seconds_count{queue="a"} 0');
    expect(await lines('wait_seconds')).toContain('idsync_wait_seconds_bucket{le="600",queue="a"} 0');
  });

  it('look at a state when they are asked, until nobody watches it any more', async () => {
    const depth = gauge({ name: 'depth', help: 'Depth.', labels: ['queue'] });
    let value = 1;
    const forget = depth.watch(() => [{ labels: { queue: 'a' }, value }]);
    depth.watch(async () => [{ labels: { queue: 'b' }, value: 7 }]);
    expect(await lines('depth')).toEqual(['idsync_depth{queue="a"} 1', 'idsync_depth{queue="b"} 7']);
    value = 2;
    expect((await lines('depth'))[0]).toBe('idsync_depth{queue="a"} 2');
    forget();
    expect(await lines('depth')).toEqual(['idsync_depth{queue="b"} 7']);
  });

  it('leave out what cannot be told, instead of an old value', async () => {
    const lag = gauge({ name: 'lag_seconds', help: 'Lag.', labels: ['queue'] });
    let fails = false;
    lag.watch(() =>
      fails ? Promise.reject(new Error('away')) : Promise.resolve([{ labels: { queue: 'a' }, value: 3 }]),
    );
    expect(await lines('lag_seconds')).toHaveLength(1);
    fails = true;
    expect(await lines('lag_seconds')).toHaveLength(0);
  });

  it('ask the database once, however often they are scraped', async () => {
    let looked = 0;
    const look = seldom(async () => {
      looked += 1;
      return looked;
    });
    expect([await look(), await look(), await look()]).toEqual([1, 1, 1]);
    let begun = 0;
    const hanging = seldom(() => {
      begun += 1;
      return new Promise(() => {});
    }, 0);
    void hanging();
    void hanging();
    expect(begun).toBe(1);
    const always = seldom(async () => looked, 0);
    await always();
    looked = 5;
    expect(await always()).toBe(5);
  });
});
