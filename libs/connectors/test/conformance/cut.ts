import { expect, it } from '@jest/globals';
import { SourceError } from '../../src/connector.js';
import { attempt, failure, given, namesIn, namesOf, people, stateAfter, whole } from './readings.js';
import type { FromFiles, OverTcp, SourceUnderTest } from './source-under-test.js';

export function testsCutFiles(source: SourceUnderTest, { cutWithin }: FromFiles): void {
  it('never ends where the file is cut off within an entry', async () => {
    await given(source, people(9));
    for (let nth = 0; nth < 9; nth += 1) {
      for (const pageSize of [2, 50]) await failure(source, { pageSize }, cutWithin(people(9), nth));
    }
  });
}

export function testsCutConnections(source: SourceUnderTest, reached: OverTcp): void {
  it('never ends with less than everybody where its connections are cut off, anywhere', async () => {
    await given(source, people(9));
    const wire = reached.wire();
    wire.mend();
    await whole(source, { pageSize: 50 });
    const bytes = wire.passed;
    // Some pause before they try again, so few places have to do.
    for (const [share, pageSize] of [
      [0.02, 50],
      [0.5, 4],
      [0.8, 50],
      [0.95, 50],
    ] as const) {
      wire.cut(Math.floor(bytes * share));
      const { pages, error } = await attempt(source, { pageSize });
      // A page that is taken up by a new connection may do with less.
      if (error === undefined) expect(namesIn(stateAfter(pages).values())).toEqual(namesOf(source, people(9)));
      else expect(error).toBeInstanceOf(SourceError);
      if (share < 0.1) expect(error).toBeDefined();
    }
    wire.mend();
  });
}
