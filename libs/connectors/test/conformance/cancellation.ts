import { expect, it } from '@jest/globals';
import { attempt, given, people, released } from './readings.js';
import type { SourceUnderTest } from './source-under-test.js';

const reason = new Error('cancelled');

export function testsCancellation(source: SourceUnderTest): void {
  const { reached } = source;

  it('sends no request when the signal is aborted before the read', async () => {
    await given(source, people(3));
    const outcome = await attempt(source, { pageSize: 2, signal: AbortSignal.abort(reason) });
    expect(outcome).toEqual({ pages: [], error: reason });
    if (reached.over === 'http') expect(reached.server.asked).toEqual([]);
    await released(source);
  });

  it('throws the abort reason between two pages and releases all resources', async () => {
    await given(source, people(9), 9);
    const abort = new AbortController();
    const reading = source.open().read({ pageSize: 3, signal: abort.signal })[Symbol.asyncIterator]();
    await expect(reading.next()).resolves.toMatchObject({ done: false });
    abort.abort(reason);
    await expect(reading.next()).rejects.toBe(reason);
    await released(source);
  });

  it('releases all resources when the reader stops early', async () => {
    await given(source, people(9));
    for await (const page of source.open().read({ pageSize: 3, signal: new AbortController().signal })) {
      expect(page.last).toBe(false);
      break;
    }
    await released(source);
  });

  if (reached.over === 'files' || reached.over === 'ourselves') return;
  it('throws the abort reason while waiting for a response and releases all resources', async () => {
    await given(source, people(9));
    for (const answered of reached.over === 'http' ? [0, 1, 2] : [0]) {
      const abort = new AbortController();
      const cancel = () => abort.abort(reason);
      if (reached.over === 'tcp') reached.wire().silence(cancel);
      else {
        let asked = 0;
        reached.server.serve((request) => {
          asked += 1;
          if (asked <= answered) return reached.answer(request);
          setImmediate(cancel);
          return { silent: true };
        });
      }
      const { error } = await attempt(source, { pageSize: 3, signal: abort.signal });
      // A source that consists of one file is completely read before the abort.
      if (abort.signal.aborted) expect(error).toBe(reason);
      if (answered === 0) expect(error).toBe(reason);
      await released(source);
    }
    if (reached.over === 'tcp') reached.wire().mend();
  });
}
