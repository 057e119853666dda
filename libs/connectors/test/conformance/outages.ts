import { expect, it } from '@jest/globals';
import type { Connector } from '../../src/connector.js';
import { type Outage, readThroughOutages } from '../../src/read-through-outages.js';
import { given, namesIn, namesOf, people, readComplete, stateAfter } from './readings.js';
import type { OverHttp, OverTcp, SourceUnderTest } from './source-under-test.js';

const settings = { outageMs: 60_000, firstPauseMs: 1, longestPauseMs: 2, pageTimeoutMs: 60_000 };

interface Breakable {
  /** Makes every response fail until `end`. */
  begin(): void;
  end(): void;
}

export function testsOutages(source: SourceUnderTest, reached: OverHttp | OverTcp): void {
  for (const [what, outage] of Object.entries(outagesOf(reached))) {
    it(`completes the read despite a short outage at any page: ${what}`, async () => {
      await given(source, people(11), 4);
      const undisturbed = stateAfter(await readComplete(source, { pageSize: 3 }));
      for (let at = 0; at < 4; at += 1) {
        const noticed: Outage[] = [];
        const connector = withOutage(source.open(), outage, at, noticed);
        const pages = await readComplete(source, { pageSize: 3 }, connector);
        expect(stateAfter(pages)).toEqual(undisturbed);
        expect(namesIn(stateAfter(pages).values())).toEqual(namesOf(source, people(11)));
        for (const { error } of noticed) expect(error.transient).toBe(true);
        // A later outage may go unnoticed: the source may have been received completely before its last page.
        if (at === 0) expect(noticed.length).toBeGreaterThan(0);
      }
    });
  }
}

/** Reads as the sync-worker does, with an outage that begins before page `at` and ends at the second failure. */
function withOutage(connector: Connector, outage: Breakable, at: number, noticed: Outage[]): Pick<Connector, 'read'> {
  return {
    async *read(options) {
      const notice = (failure: Outage) => {
        noticed.push(failure);
        if (failure.failures === 2) outage.end();
      };
      let page = 0;
      if (at === 0) outage.begin();
      try {
        for await (const one of readThroughOutages(connector, options, settings, { notice })) {
          yield one;
          page += 1;
          if (page === at) outage.begin();
        }
      } finally {
        outage.end();
      }
    },
  };
}

function outagesOf(reached: OverHttp | OverTcp): Record<string, Breakable> {
  if (reached.over === 'tcp') {
    return { 'connections close': { begin: () => reached.wire().outage(), end: () => reached.wire().mend() } };
  }
  const { server, answer } = reached;
  const end = () => server.serve(answer);
  return {
    'responses are 503': { begin: () => server.serve(() => ({ status: 503 })), end },
    'connections close': { begin: () => server.serve(() => ({ body: 'lost', cutAfter: 0 })), end },
  };
}
