import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type Asked, type Reply, startServer, type TestServer } from '../http-server.js';
import { attempt, failure, given, people, readComplete, stateAfter } from './readings.js';
import {
  type InvalidResponses,
  isUnsupported,
  type OverHttp,
  type SourceUnderTest,
  skipped,
} from './source-under-test.js';

/** Tests list responses that are wrong or incomplete. */
export function testsInvalidResponses(
  source: SourceUnderTest,
  { server, answer, listOf }: OverHttp,
  invalidResponses: InvalidResponses,
): void {
  let elsewhere: TestServer;
  beforeAll(async () => {
    elsewhere = await startServer();
  });
  afterAll(() => elsewhere.close());
  const isList = (asked: Asked) => listOf(asked) !== undefined;
  /** Replaces the nth list response, counted from 0. */
  const replaceNth = (nth: number, replace: (reply: Reply, asked: Asked) => Reply) => {
    let lists = 0;
    server.serve(async (asked) => {
      const reply = await answer(asked);
      return isList(asked) && lists++ === nth ? replace(reply, asked) : reply;
    });
  };
  const baseline = async () => {
    await given(source, people(9));
    const state = stateAfter(await readComplete(source, { pageSize: 3 }));
    return { state, lists: server.asked.filter(isList).length };
  };
  /** Defines a test of an invalid response, or a skipped one with the reason if the service cannot send it. */
  const tests = <Name extends keyof InvalidResponses>(
    name: Name,
    title: string,
    test: (invalid: Exclude<InvalidResponses[Name], { unsupported: string }>) => Promise<void>,
  ) => {
    const invalid = invalidResponses[name];
    if (isUnsupported(invalid)) skipped(`${source.name} ${title}`, invalid);
    else it(title, () => test(invalid as Exclude<InvalidResponses[Name], { unsupported: string }>));
  };

  tests('withoutList', 'fails when any response has no list', async (withoutList) => {
    const { lists } = await baseline();
    expect(lists).toBeGreaterThan(2);
    for (let nth = 0; nth < lists; nth += 1) {
      replaceNth(nth, withoutList);
      await failure(source, { pageSize: 3 });
    }
  });

  it('fails when any response is not a list', async () => {
    const { lists } = await baseline();
    for (let nth = 0; nth < lists; nth += 1) {
      for (const body of ['"maintenance"', '<html>Log in</html>']) {
        let seen = 0;
        server.serve((asked) => (isList(asked) && seen++ >= nth ? { body } : answer(asked)));
        await failure(source, { pageSize: 3 });
      }
    }
  });

  tests('emptied', 'fails when an empty response in the middle looks like the end', async (emptied) => {
    await baseline();
    const begun = new Set<string>();
    let replaced = false;
    server.serve(async (asked) => {
      const reply = await answer(asked);
      const list = listOf(asked);
      if (list === undefined || replaced) return reply;
      // Replaces the second response of the first list that has two.
      replaced = begun.has(list);
      begun.add(list);
      return replaced ? emptied(reply) : reply;
    });
    await failure(source, { pageSize: 3 });
    expect(replaced).toBe(true);
  });

  tests('repeating', 'returns a repeated record once a page and all other records', async (repeating) => {
    const { state } = await baseline();
    for (const [pageSize, itself] of [
      [4, true],
      [50, true],
      [50, false],
    ] as const) {
      const earlier = new Map<string, Reply>();
      server.serve(async (asked) => {
        const reply = await answer(asked);
        const list = listOf(asked);
        if (list === undefined) return reply;
        const before = earlier.get(list);
        earlier.set(list, reply);
        if (itself) return repeating(reply, reply);
        return before ? repeating(reply, before) : reply;
      });
      const { pages, error } = await attempt(source, { pageSize });
      expect(error).toBeUndefined();
      expect(stateAfter(pages)).toEqual(state);
    }
  });

  tests('emptyBefore', 'continues after an empty response that is not the end', async (emptyBefore) => {
    const { state, lists } = await baseline();
    for (let nth = 0; nth < lists; nth += 1) {
      replaceNth(nth, (reply, asked) => emptyBefore(reply, asked, 1));
      expect(stateAfter(await readComplete(source, { pageSize: 3 }))).toEqual(state);
    }
  });

  tests('emptyBefore', 'fails when empty responses form a cycle', async (emptyBefore) => {
    await given(source, people(9));
    let nth = 0;
    server.serve(async (asked) => {
      const reply = await answer(asked);
      return isList(asked) ? emptyBefore(reply, asked, ++nth % 7) : reply;
    });
    await failure(source, { pageSize: 3 });
  });

  it('fails when it receives the same response repeatedly', async () => {
    await given(source, people(9));
    const first = new Map<string, Reply>();
    server.serve(async (asked) => {
      const list = listOf(asked);
      const reply = (list !== undefined && first.get(list)) || (await answer(asked));
      if (list !== undefined) first.set(list, reply);
      return reply;
    });
    await failure(source, { pageSize: 1 });
  });

  const { leadingTo } = invalidResponses;
  if (isUnsupported(leadingTo)) {
    it(`ignores a link header that leads to another origin, because ${leadingTo.unsupported}`, async () => {
      const { state, lists } = await baseline();
      elsewhere.serve(() => ({ body: {} }));
      const link = `<${elsewhere.origin}/next>; rel="next"`;
      for (let nth = 0; nth < lists; nth += 1) {
        replaceNth(nth, (reply) => ({ ...reply, headers: { ...reply.headers, link } }));
        expect(stateAfter(await readComplete(source, { pageSize: 3 }))).toEqual(state);
      }
      expect(elsewhere.asked).toEqual([]);
    });
  } else {
    it('fails without a request when a link leads to another origin', async () => {
      const { lists } = await baseline();
      elsewhere.serve(() => ({ body: {} }));
      for (let nth = 0; nth < lists; nth += 1) {
        replaceNth(nth, (reply) => leadingTo(reply, `${elsewhere.origin}/next`));
        await failure(source, { pageSize: 3 });
      }
      expect(elsewhere.asked).toEqual([]);
    });
  }

  tests('expired', 'fails when a page cursor has expired', async (expired) => {
    const { lists } = await baseline();
    for (let nth = 0; nth < lists; nth += 1) {
      replaceNth(nth, () => expired);
      await failure(source, { pageSize: 3 });
    }
  });
}
