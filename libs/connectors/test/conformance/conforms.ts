import { describe } from '@jest/globals';
import { testsBadRecords } from './bad-records.js';
import { testsCancellation } from './cancellation.js';
import { testsChanges } from './changes.js';
import { testsCutConnections, testsCutFiles } from './cut.js';
import { testsHttpFaults } from './http-faults.js';
import { testsHttpLies } from './http-lies.js';
import { testsOneRecord } from './one-record.js';
import { testsPages } from './pages.js';
import { isLacking, type SourceUnderTest, skipped } from './source-under-test.js';

/** What every connector keeps, whatever its source. */
export function conforms(source: SourceUnderTest): void {
  const { name, reached } = source;
  describe(`${name}, as every source`, () => {
    describe('in pages', () => testsPages(source));
    describe('read for changes', () => testsChanges(source));
    describe('with a bad record', () => testsBadRecords(source));
    describe('asked for one record', () => testsOneRecord(source));
    describe('cancelled', () => testsCancellation(source));
    describe('that fails', () => {
      if (reached.over === 'files') testsCutFiles(source, reached);
      else if (reached.over === 'tcp') testsCutConnections(source, reached);
      else if (reached.over === 'http') testsHttpFaults(source, reached);
      else skipped(`${name} that fails`, { lacks: 'it is read from our own tables' });
    });
    if (reached.over !== 'http') return;
    const { lies } = reached;
    if (isLacking(lies)) skipped(`${name} that lies`, lies);
    else describe('that lies', () => testsHttpLies(source, reached, lies));
  });
}
