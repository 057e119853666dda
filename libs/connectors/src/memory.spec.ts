import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from '@jest/globals';
import { sourcesFolder } from '../test/source-fixture.js';
import type { Connector } from './connector.js';

const { source } = sourcesFolder();
const oneMiB = 1024 * 1024;

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

/** Buffers that are garbage are swept beside the program, and are gone at the next collection. */
async function memoryInUse(): Promise<number> {
  collectGarbage();
  await turn();
  collectGarbage();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

/** Reads to the end; the most that was in use at a page, beyond what was before. */
async function peakWhileReading(connector: Connector): Promise<{ records: number; peak: number }> {
  const before = await memoryInUse();
  let records = 0;
  let peak = 0;
  let pages = 0;
  for await (const page of connector.read({ pageSize: 1000, signal: new AbortController().signal })) {
    records += page.records.length;
    pages += 1;
    if (pages % 2 === 0) peak = Math.max(peak, (await memoryInUse()) - before);
  }
  return { records, peak };
}

/** Written by a function of its own, so that the text is not in use any more when the reading begins. */
function bigSource(
  type: 'csv' | 'ldif',
  bytes: number,
  head: string,
  entries: number,
  entry: (id: number) => string,
): Connector {
  const content = head + Array.from({ length: entries }, (_, id) => entry(id)).join('');
  expect(content.length).toBeGreaterThan(bytes);
  return source(type, content);
}

// Smaller for CSV: its parser looks at globals for every byte, which is ten times slower in a Jest realm.
describe('reading a file of many pages', () => {
  it('of 20 MB of CSV takes the memory of a few pages', async () => {
    const filler = 'x'.repeat(3000);
    const connector = bigSource('csv', 20_000_000, 'id,name,filler\n', 7_000, (id) => `${id},"n ${id}",${filler}\n`);
    const { records, peak } = await peakWhileReading(connector);
    expect(records).toBe(7_000);
    expect(peak).toBeLessThan(12 * oneMiB);
  });

  it('of 60 MB of LDIF takes the memory of a few pages', async () => {
    const photo = `${'x'.repeat(1000)}\n ${'x'.repeat(1000)}`;
    const connector = bigSource(
      'ldif',
      60_000_000,
      '',
      30_000,
      (id) => `dn: cn=${id}\nuid: ${id}\ncn: n\njpegPhoto:: ${photo}\n\n`,
    );
    const { records, peak } = await peakWhileReading(connector);
    expect(records).toBe(30_000);
    expect(peak).toBeLessThan(12 * oneMiB);
  });
});
