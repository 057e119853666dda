import { expect, it } from '@jest/globals';
import { SourceError } from '../../src/connector.js';
import { attempt, failure, given, namesIn, namesOf, people, readComplete, stateAfter } from './readings.js';
import type { FromFiles, OverTcp, SourceUnderTest } from './source-under-test.js';

export function testsCutFiles(source: SourceUnderTest, { cutWithin }: FromFiles): void {
  it('fails when the file is truncated within an entry', async () => {
    await given(source, people(9));
    for (let nth = 0; nth < 9; nth += 1) {
      for (const pageSize of [2, 50]) await failure(source, { pageSize }, cutWithin(people(9), nth));
    }
  });
}

export function testsCutConnections(source: SourceUnderTest, reached: OverTcp): void {
  it('never reports a complete read without all records when a connection breaks off', async () => {
    await given(source, people(9));
    const wire = reached.wire();
    wire.mend();
    await readComplete(source, { pageSize: 50 });
    const bytes = wire.passed;
    // Only four places, because some connectors pause before each retry.
    for (const [share, pageSize] of [
      [0.02, 50],
      [0.5, 4],
      [0.8, 50],
      [0.95, 50],
    ] as const) {
      wire.cut(Math.floor(bytes * share));
      const { pages, error } = await attempt(source, { pageSize });
      // A connector may resume the page over a new connection and need fewer bytes.
      if (error === undefined) expect(namesIn(stateAfter(pages).values())).toEqual(namesOf(source, people(9)));
      else expect(error).toBeInstanceOf(SourceError);
      if (share < 0.1) expect(error).toBeDefined();
    }
    wire.mend();
  });
}
