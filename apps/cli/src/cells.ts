import type { Event } from '@idsync/client';

interface Named {
  display_name?: unknown;
  first_name?: unknown;
  last_name?: unknown;
}

/** Returns the display name, otherwise the first and last name. Undefined if the source has given none of them. */
export function personName({ display_name: name, first_name: first, last_name: last }: Named): string | undefined {
  if (typeof name === 'string' && name !== '') return name;
  return [first, last].filter((part) => typeof part === 'string' && part !== '').join(' ') || undefined;
}

export const eventHeadings = ['time', 'sequence', 'event', 'subject', 'name', 'changed'];

/** Cells of an event under `eventHeadings`. */
export function eventCells({ timestamp, sequence, type, data }: Event): unknown[] {
  const values = (data ?? {}) as Record<string, unknown>;
  const { id, job_id, name, identifier, kind, status, message, changed } = values;
  // The status of a record is no name, and only the event of a job has nothing else to show.
  const shown = personName(values) ?? identifier ?? name ?? kind ?? message ?? (id === undefined ? status : undefined);
  return [timestamp, sequence, type, id ?? job_id, shown, changed];
}

/** Shows a changed field as `title: Engineer → Lead`. */
export function shownChange({ field, from, to }: Record<string, unknown>): string {
  return `${field}: ${shown(from)} → ${shown(to)}`;
}

function shown(value: unknown): string {
  return Array.isArray(value) ? value.join('; ') : String(value ?? '-');
}
