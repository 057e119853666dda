import type { Event } from '@idsync/client';
import { personName } from './person-name.js';

export const eventHeadings = ['time', 'sequence', 'event', 'subject', 'name', 'changed'];

/** Cells of an event under `eventHeadings`. */
export function eventCells({ timestamp, sequence, type, data }: Event): unknown[] {
  const values = (data ?? {}) as Record<string, unknown>;
  const { id, job_id, name, identifier, kind, status, message, changed } = values;
  // The status of a record is no name, and only the event of a job has nothing else to show.
  const shown = personName(values) ?? identifier ?? name ?? kind ?? message ?? (id === undefined ? status : undefined);
  return [timestamp, sequence, type, id ?? job_id, shown, changed];
}
