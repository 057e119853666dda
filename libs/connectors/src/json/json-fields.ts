import type { SourceField } from '../connector.js';
import { SeenFields } from '../seen-fields.js';
import { isObject, scalarText } from './json-value.js';

const maxDepth = 6;

/** The paths that there are in records, in the order they are met, each with values that it was seen with. */
export function jsonFields(records: readonly unknown[]): SourceField[] {
  const fields = new SeenFields();
  for (const record of records) collect(record, '', 0, fields);
  return fields.list();
}

function collect(value: unknown, path: string, depth: number, fields: SeenFields): void {
  if (depth > maxDepth) return;
  if (Array.isArray(value)) {
    for (const element of value.slice(0, 20))
      collect(element, isObject(element) ? `${path}[]` : path, depth + 1, fields);
    return;
  }
  if (isObject(value)) {
    for (const [name, member] of Object.entries(value)) collect(member, join(path, name), depth + 1, fields);
    return;
  }
  const text = scalarText(value);
  if (text !== undefined && path !== '') fields.see(path, [text]);
}

function join(path: string, name: string): string {
  if (name === '' || /[.[\]"]/.test(name) || name !== name.trim()) return `${path}[${JSON.stringify(name)}]`;
  return path === '' ? name : `${path}.${name}`;
}
