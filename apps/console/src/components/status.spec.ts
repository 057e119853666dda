import { expect, it } from '@jest/globals';
import { toneOf, wordsOf } from './status.js';

it('a status that is not known is neutral, because new ones may be added', () => {
  expect([toneOf('failed'), toneOf('from_the_future'), toneOf('toString')]).toEqual(['bad', 'neutral', 'neutral']);
});

it('shows a status in words', () => {
  expect(wordsOf('completed_with_errors')).toBe('Completed with errors');
  expect(wordsOf('quarantined')).toBe('Held');
});
