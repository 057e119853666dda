import { describe } from '@jest/globals';
import { testServer } from '../http-server.js';
import { testsBadRecords } from './bad-records.js';
import { testsCancellation } from './cancellation.js';
import { testsChanges } from './changes.js';
import { testsCutConnections, testsCutFiles } from './cut.js';
import { testsHttpFaults } from './http-faults.js';
import { testsHttpLies } from './http-lies.js';
import { testsPages } from './pages.js';
import type { SourceUnderTest } from './source-under-test.js';

/** What every connector keeps, whatever its source. Awaited at the top of a file, where servers may be made. */
export async function conforms(source: SourceUnderTest): Promise<void> {
  const { name, reached } = source;
  const elsewhere = await testServer();
  describe(`${name}, as every source`, () => {
    describe('in pages', () => testsPages(source));
    describe('read for changes', () => testsChanges(source));
    describe('with a bad record', () => testsBadRecords(source));
    describe('cancelled', () => testsCancellation(source));
    describe('that fails', () => {
      if (reached.over === 'files') testsCutFiles(source, reached);
      else if (reached.over === 'tcp') testsCutConnections(source, reached);
      else testsHttpFaults(source, reached);
    });
    if (reached.over === 'http') describe('that lies', () => testsHttpLies(source, reached, elsewhere));
  });
}
