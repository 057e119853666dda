import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type Asked, type Reply, startServer, type TestServer } from '../http-server.js';
import { attempt, failure, given, people, stateAfter, whole } from './readings.js';
import { isLacking, type Lies, type OverHttp, type SourceUnderTest, skipped } from './source-under-test.js';

/** What lists may say instead of the truth. */
export function testsHttpLies(source: SourceUnderTest, { server, answer, listOf }: OverHttp, lies: Lies): void {
  let elsewhere: TestServer;
  beforeAll(async () => {
    elsewhere = await startServer();
  });
  afterAll(() => elsewhere.close());
  const isList = (asked: Asked) => listOf(asked) !== undefined;
  /** What is said in place of the nth answer of a list, counted from 0. */
  const lieAt = (nth: number, lie: (reply: Reply, asked: Asked) => Reply) => {
    let lists = 0;
    server.serve(async (asked) => {
      const reply = await answer(asked);
      return isList(asked) && lists++ === nth ? lie(reply, asked) : reply;
    });
  };
  const everybody = async () => {
    await given(source, people(9));
    const state = stateAfter(await whole(source, { pageSize: 3 }));
    return { state, lists: server.asked.filter(isList).length };
  };
  /** A test of a lie that the service can tell; its title says why where it cannot. */
  const told = <Name extends keyof Lies>(
    name: Name,
    title: string,
    test: (lie: Exclude<Lies[Name], { lacks: string }>) => Promise<void>,
  ) => {
    const lie = lies[name];
    if (isLacking(lie)) skipped(`${source.name} ${title}`, lie);
    else it(title, () => test(lie as Exclude<Lies[Name], { lacks: string }>));
  };

  told('withoutList', 'fails where any answer lacks its list', async (withoutList) => {
    const { lists } = await everybody();
    expect(lists).toBeGreaterThan(2);
    for (let nth = 0; nth < lists; nth += 1) {
      lieAt(nth, withoutList);
      await failure(source, { pageSize: 3 });
    }
  });

  it('fails where any answer is of something else', async () => {
    const { lists } = await everybody();
    for (let nth = 0; nth < lists; nth += 1) {
      for (const body of ['"maintenance"', '<html>Log in</html>']) {
        let seen = 0;
        server.serve((asked) => (isList(asked) && seen++ >= nth ? { body } : answer(asked)));
        await failure(source, { pageSize: 3 });
      }
    }
  });

  told('emptied', 'fails at an empty answer in the middle that looks like the end', async (emptied) => {
    await everybody();
    const begun = new Set<string>();
    let lied = false;
    server.serve(async (asked) => {
      const reply = await answer(asked);
      const list = listOf(asked);
      if (list === undefined || lied) return reply;
      // The second answer of the first list that has two.
      lied = begun.has(list);
      begun.add(list);
      return lied ? emptied(reply) : reply;
    });
    await failure(source, { pageSize: 3 });
    expect(lied).toBe(true);
  });

  told('repeating', 'gives a record that comes again once a page, and everybody', async (repeating) => {
    const { state } = await everybody();
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

  told('emptyBefore', 'goes on behind an empty answer that is not the end', async (emptyBefore) => {
    const { state, lists } = await everybody();
    for (let nth = 0; nth < lists; nth += 1) {
      lieAt(nth, (reply, asked) => emptyBefore(reply, asked, 1));
      expect(stateAfter(await whole(source, { pageSize: 3 }))).toEqual(state);
    }
  });

  told('emptyBefore', 'does not follow a circle of empty answers for ever', async (emptyBefore) => {
    await given(source, people(9));
    let nth = 0;
    server.serve(async (asked) => {
      const reply = await answer(asked);
      return isList(asked) ? emptyBefore(reply, asked, ++nth % 7) : reply;
    });
    await failure(source, { pageSize: 3 });
  });

  it('fails where it gets the same answer over and over', async () => {
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

  told('leadingTo', 'follows no link to another origin', async (leadingTo) => {
    const { lists } = await everybody();
    elsewhere.serve(() => ({ body: {} }));
    for (let nth = 0; nth < lists; nth += 1) {
      lieAt(nth, (reply) => leadingTo(reply, `${elsewhere.origin}/next`));
      await failure(source, { pageSize: 3 });
    }
    expect(elsewhere.asked).toEqual([]);
  });

  told('expired', 'fails where a cursor of the middle is too old', async (expired) => {
    const { lists } = await everybody();
    for (let nth = 0; nth < lists; nth += 1) {
      lieAt(nth, () => expired);
      await failure(source, { pageSize: 3 });
    }
  });
}
