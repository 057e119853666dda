import { describe, expect, it } from '@jest/globals';
import { register } from 'prom-client';
import { cached, counter, durations, gauge } from './metrics.js';

async function lines(name: string): Promise<string[]> {
  const text = await register.getSingleMetricAsString(`idsync_${name}`);
  return text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
}

describe('metrics', () => {
  it('count and observe by label', async () => {
    const tries = counter({ name: 'tries_total', help: 'Tries.', labels: ['outcome'] });
    tries.add({ outcome: 'done' });
    tries.add({ outcome: 'done' }, 2);
    expect(await lines('tries_total')).toEqual(['idsync_tries_total{outcome="done"} 3']);
    const took = durations({ name: 'took_seconds', help: 'Took.' });
    took.observe({}, 0.2);
    expect(await lines('took_seconds')).toContain('idsync_took_seconds_bucket{le="0.25"} 1');
  });

  it('start expected series at zero, so that the first increase is visible', async () => {
    const ends = counter({ name: 'ends_total', help: 'Ends.', labels: ['outcome'] });
    ends.startAtZero({ outcome: 'failed' });
    expect(await lines('ends_total')).toEqual(['idsync_ends_total{outcome="failed"} 0']);
    const waits = durations({ name: 'wait_seconds', help: 'Wait.', labels: ['queue'] }, 'wait');
    waits.startAtZero({ queue: 'a' });
    expect(await lines('wait_seconds')).toContain('idsync_wait_seconds_count{queue="a"} 0');
    expect(await lines('wait_seconds')).toContain('idsync_wait_seconds_bucket{le="600",queue="a"} 0');
  });

  it('read a gauge at scrape time until its source is removed', async () => {
    const depth = gauge({ name: 'depth', help: 'Depth.', labels: ['queue'] });
    let value = 1;
    const unwatch = depth.watch(() => [{ labels: { queue: 'a' }, value }]);
    depth.watch(async () => [{ labels: { queue: 'b' }, value: 7 }]);
    expect(await lines('depth')).toEqual(['idsync_depth{queue="a"} 1', 'idsync_depth{queue="b"} 7']);
    value = 2;
    expect((await lines('depth'))[0]).toBe('idsync_depth{queue="a"} 2');
    unwatch();
    expect(await lines('depth')).toEqual(['idsync_depth{queue="b"} 7']);
  });

  it('omit a gauge that cannot be read, instead of an old value', async () => {
    const lag = gauge({ name: 'lag_seconds', help: 'Lag.', labels: ['queue'] });
    let fails = false;
    lag.watch(() =>
      fails ? Promise.reject(new Error('away')) : Promise.resolve([{ labels: { queue: 'a' }, value: 3 }]),
    );
    expect(await lines('lag_seconds')).toHaveLength(1);
    fails = true;
    expect(await lines('lag_seconds')).toHaveLength(0);
  });

  it('query the database once for many scrapes', async () => {
    let count = 0;
    const load = cached(async () => {
      count += 1;
      return count;
    });
    expect([await load(), await load(), await load()]).toEqual([1, 1, 1]);
    let begun = 0;
    const hanging = cached(() => {
      begun += 1;
      return new Promise(() => {});
    }, 0);
    void hanging();
    void hanging();
    expect(begun).toBe(1);
    const always = cached(async () => count, 0);
    await always();
    count = 5;
    expect(await always()).toBe(5);
  });
});
