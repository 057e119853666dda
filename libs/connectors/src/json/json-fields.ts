import type { SourceField } from '../connector.js';
import { FieldSamples } from '../field-samples.js';
import { isObject, scalarText } from './json-value.js';

const maxDepth = 6;

/** Returns the paths in records in order of appearance, with example values. */
export function jsonFields(records: readonly unknown[]): SourceField[] {
  const fields = new FieldSamples();
  for (const record of records) collect(record, '', 0, fields);
  return fields.list();
}

function collect(value: unknown, path: string, depth: number, fields: FieldSamples): void {
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
  if (text !== undefined && path !== '') fields.add(path, [text]);
}

function join(path: string, name: string): string {
  if (name === '' || /[.[\]"]/.test(name) || name !== name.trim()) return `${path}[${JSON.stringify(name)}]`;
  return path === '' ? name : `${path}.${name}`;
}
