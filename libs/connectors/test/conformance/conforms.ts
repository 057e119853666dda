import { describe } from '@jest/globals';
import { testsBadRecords } from './bad-records.js';
import { testsCancellation } from './cancellation.js';
import { testsChanges } from './changes.js';
import { testsCutConnections, testsCutFiles } from './cut.js';
import { testsHttpFaults } from './http-faults.js';
import { testsInvalidResponses } from './http-invalid-responses.js';
import { testsOneRecord } from './one-record.js';
import { testsOutages } from './outages.js';
import { testsPages } from './pages.js';
import { isUnsupported, type SourceUnderTest, skipped } from './source-under-test.js';

/** Defines the conformance tests of a connector. */
export function conforms(source: SourceUnderTest): void {
  const { name, reached } = source;
  describe(`${name} conformance`, () => {
    describe('paging', () => testsPages(source));
    describe('incremental reads', () => testsChanges(source));
    describe('invalid records', () => testsBadRecords(source));
    describe('reading one record', () => testsOneRecord(source));
    describe('cancellation', () => testsCancellation(source));
    describe('failures', () => {
      if (reached.over === 'files') testsCutFiles(source, reached);
      else if (reached.over === 'tcp') testsCutConnections(source, reached);
      else if (reached.over === 'http') testsHttpFaults(source, reached);
      else skipped(`${name} failure handling`, { unsupported: 'it reads from the database of idsync' });
    });
    describe('outages', () => {
      if (reached.over === 'http' || reached.over === 'tcp') testsOutages(source, reached);
      else skipped(`${name} outages`, { unsupported: 'it needs no network connection' });
    });
    if (reached.over !== 'http') return;
    const { invalidResponses } = reached;
    if (isUnsupported(invalidResponses)) skipped(`${name} invalid responses`, invalidResponses);
    else describe('invalid responses', () => testsInvalidResponses(source, reached, invalidResponses));
  });
}
