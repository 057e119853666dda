import { expect, it } from '@jest/globals';
import { CheckpointExpired, type FoundRecord, SourceError } from '../../src/connector.js';
import { expectNoSecret, given, people, released, stateAfter, whole } from './readings.js';
import { isLacking, type SourceUnderTest } from './source-under-test.js';

export function testsOneRecord(source: SourceUnderTest): void {
  const { readsOne, reached } = source;
  if (isLacking(readsOne)) {
    it(`is not asked for: ${readsOne.lacks}`, () => expect(source.open().readOne).toBeUndefined());
    return;
  }
  const ask = (id: string, signal = new AbortController().signal): Promise<FoundRecord> => {
    const { readOne } = source.open();
    if (!readOne) throw new Error('the connector has no readOne');
    return readOne(id, signal);
  };
  const filled = async () => {
    await given(source, people(5));
    return [...stateAfter(await whole(source, { pageSize: 3 })).values()];
  };

  it('is what a read of everything gives, and leaves nothing open', async () => {
    for (const record of await filled()) expect(await ask(record.external_id)).toEqual({ record });
    await released(source);
  });

  it('is absent where nobody has its id', async () => {
    await filled();
    expect(await ask(readsOne.stranger)).toBe('absent');
    await released(source);
  });

  it('is not asked for where the signal has ended before', async () => {
    const [record] = await filled();
    const reason = new Error('cancelled');
    await expect(ask(record?.external_id ?? '', AbortSignal.abort(reason))).rejects.toBe(reason);
    await released(source);
  });

  if (reached.over !== 'http') return;
  const { server, answer } = reached;
  it.each(['refused', 'throttled', 'cut off', 'something else'])('is absent by no answer that is %s', async (how) => {
    const [record] = await filled();
    for (const id of [record?.external_id ?? '', readsOne.stranger]) {
      server.serve(answer);
      await ask(id);
      const requests = server.asked.length;
      for (let nth = 0; nth < requests; nth += 1) {
        let asked = 0;
        server.serve(async (request) => {
          const reply = await answer(request);
          if (asked++ < nth) return reply;
          if (how === 'refused') return { status: 403, body: { message: request.headers.authorization } };
          if (how === 'throttled') return { status: 429 };
          return how === 'cut off' ? { ...reply, cutAfter: 5 } : { body: '<html>Log in</html>' };
        });
        const error: unknown = await ask(id).then(
          (found) => `said ${JSON.stringify(found)}`,
          (thrown) => thrown,
        );
        expect(error instanceof CheckpointExpired).toBe(false);
        expect(error).toBeInstanceOf(SourceError);
        expectNoSecret(source, (error as Error).message);
      }
    }
  });
}
