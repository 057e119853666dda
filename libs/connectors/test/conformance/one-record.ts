import { expect, it } from '@jest/globals';
import { CheckpointExpired, type FoundRecord, SourceError } from '../../src/connector.js';
import { expectNoSecret, given, people, readComplete, released, stateAfter } from './readings.js';
import { isUnsupported, type SourceUnderTest } from './source-under-test.js';

export function testsOneRecord(source: SourceUnderTest): void {
  const { readsOne, reached } = source;
  if (isUnsupported(readsOne)) {
    it(`is not supported: ${readsOne.unsupported}`, () => expect(source.open().readOne).toBeUndefined());
    return;
  }
  const ask = (id: string, signal = new AbortController().signal): Promise<FoundRecord> => {
    const { readOne } = source.open();
    if (!readOne) throw new Error('the connector has no readOne');
    return readOne(id, signal);
  };
  const filled = async () => {
    await given(source, people(5));
    return [...stateAfter(await readComplete(source, { pageSize: 3 })).values()];
  };

  it('returns the same record as a full read and releases all resources', async () => {
    for (const record of await filled()) expect(await ask(record.external_id)).toEqual({ record });
    await released(source);
  });

  it('returns absent for an unknown id', async () => {
    await filled();
    expect(await ask(readsOne.unknownId)).toBe('absent');
    await released(source);
  });

  it('sends no request when the signal is aborted before the read', async () => {
    const [record] = await filled();
    const reason = new Error('cancelled');
    await expect(ask(record?.external_id ?? '', AbortSignal.abort(reason))).rejects.toBe(reason);
    await released(source);
  });

  if (reached.over !== 'http') return;
  const { server, answer } = reached;
  it.each(['forbidden', 'throttled', 'truncated', 'not JSON'])(
    'throws instead of returning absent when any response is %s',
    async (how) => {
      const [record] = await filled();
      for (const id of [record?.external_id ?? '', readsOne.unknownId]) {
        server.serve(answer);
        await ask(id);
        const requests = server.asked.length;
        for (let nth = 0; nth < requests; nth += 1) {
          let asked = 0;
          server.serve(async (request) => {
            const reply = await answer(request);
            if (asked++ < nth) return reply;
            if (how === 'forbidden') return { status: 403, body: { message: request.headers.authorization } };
            if (how === 'throttled') return { status: 429 };
            return how === 'truncated' ? { ...reply, cutAfter: 5 } : { body: '<html>Log in</html>' };
          });
          const error: unknown = await ask(id).then(
            (found) => `found ${JSON.stringify(found)}`,
            (thrown) => thrown,
          );
          expect(error instanceof CheckpointExpired).toBe(false);
          expect(error).toBeInstanceOf(SourceError);
          expectNoSecret(source, (error as Error).message);
        }
      }
    },
  );
}
