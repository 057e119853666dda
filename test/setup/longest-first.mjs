// Starts the longest files first, because one that starts last runs alone. Jest does that only with times of an earlier
// run on the machine; without them it takes the largest file for the longest.
import { relative } from 'node:path';
import TestSequencer from '@jest/test-sequencer';
import { secondsOf } from '../tiers.mjs';

export default class LongestFirst extends TestSequencer {
  sort(tests) {
    const placed = super.sort(tests).map((test) => {
      const file = relative(test.context.config.rootDir, test.path);
      return { test, failed: this.hasFailed(test), ms: test.duration ?? (secondsOf[file] ?? 0) * 1_000 };
    });
    // A stable sort: files of equal time keep the order of Jest.
    placed.sort((one, other) => Number(other.failed) - Number(one.failed) || other.ms - one.ms);
    return placed.map(({ test }) => test);
  }
}
