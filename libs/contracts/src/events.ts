/** One changed field of an event; `from` is absent if there was no value before, `to` if there is none now. */
export type FieldChange = {
  field: string;
  from?: string | string[];
  to?: string | string[];
  /** The public id of the connector. */
  source?: string;
};

/** Whether the `data` of an event has previous values, as `changes`. */
export function showsChanges(type: string): boolean {
  return type.endsWith('.updated') || type.endsWith('.status_changed');
}
