import { newUuid } from '@idsync/contracts';

/** Returns an id that was made at this time. `newUuid` never goes back, also behind the clock that another test has moved. */
export function uuidAt(time: Date): string {
  const hex = time.getTime().toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-${newUuid().slice(14)}`;
}
