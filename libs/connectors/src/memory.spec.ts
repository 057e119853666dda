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

/** Collects twice, because buffers found to be garbage are freed in the background until the next collection. */
async function memoryInUse(): Promise<number> {
  collectGarbage();
  await turn();
  collectGarbage();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

/** Reads to the end and returns the peak of additional memory at any page. */
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

/** A separate function, so that the text is garbage when the read starts. */
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

// CSV is smaller, because its parser reads globals for every byte, which is ten times slower in a Jest realm.
describe('reading a large file', () => {
  it('needs the memory of a few pages for 20 MB of CSV', async () => {
    const filler = 'x'.repeat(3000);
    const connector = bigSource('csv', 20_000_000, 'id,name,filler\n', 7_000, (id) => `${id},"n ${id}",${filler}\n`);
    const { records, peak } = await peakWhileReading(connector);
    expect(records).toBe(7_000);
    expect(peak).toBeLessThan(12 * oneMiB);
  });

  it('needs the memory of a few pages for 60 MB of LDIF', async () => {
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
