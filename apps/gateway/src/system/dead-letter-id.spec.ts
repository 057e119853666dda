import { decodeId, newUuid } from '@idsync/contracts';
import { describe, expect, it } from '@jest/globals';
import { deadLetterId, deadLetterNumber } from './dead-letter-id.js';

describe('the id of a dead letter', () => {
  it.each([1, 255, 4_294_967_296, Number.MAX_SAFE_INTEGER])('contains the number of its row: %d', (number) => {
    expect(deadLetterNumber(decodeId('deadLetter', deadLetterId(number)) ?? '')).toBe(number);
  });

  it('is of no row if it is another UUID', () => {
    expect(deadLetterNumber(newUuid())).toBe(0);
  });
});
