import type { Event } from '@idsync/client';

export const eventHeadings = ['time', 'sequence', 'event', 'subject', 'name', 'changed'];

/** Cells of an event under `eventHeadings`. */
export function eventCells({ timestamp, sequence, type, data }: Event): unknown[] {
  const { id, job_id, display_name, identifier, kind, status, message, changed } = (data ?? {}) as Record<
    string,
    unknown
  >;
  return [timestamp, sequence, type, id ?? job_id, display_name ?? identifier ?? kind ?? message ?? status, changed];
}
