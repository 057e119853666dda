import { encodeId } from '@idsync/contracts';

/** Dead letters have the numbers of their rows; as public ids they are UUIDs whose first half is empty. */
export function deadLetterId(number: number): string {
  const hex = number.toString(16).padStart(32, '0');
  const groups = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)];
  return encodeId('deadLetter', groups.join('-'));
}

/** Returns 0, which no row has, for a UUID that is no number of a row. */
export function deadLetterNumber(uuid: string): number {
  const number = Number(`0x${uuid.replaceAll('-', '')}`);
  return Number.isSafeInteger(number) ? number : 0;
}
