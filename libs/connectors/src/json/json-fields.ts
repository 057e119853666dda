import type { SourceField } from '../connector.js';
import { isObject, scalarText } from './json-value.js';

const maxDepth = 6;
const maxFields = 500;
const maxExamples = 3;
const maxExampleLength = 60;
const maybeSecret = /password|passwd|secret|token|credential|private_?key|api_?key/i;

/** The paths that there are in records, in the order they are met, each with values that it was seen with. */
export function jsonFields(records: readonly unknown[]): SourceField[] {
  const fields = new Map<string, Set<string>>();
  for (const record of records) collect(record, '', 0, fields);
  return [...fields].map(([name, examples]) => ({ name, examples: [...examples] }));
}

function collect(value: unknown, path: string, depth: number, fields: Map<string, Set<string>>): void {
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
  if (text === undefined || path === '') return;
  const examples = fields.get(path) ?? new Set();
  if (!fields.has(path) && fields.size >= maxFields) return;
  fields.set(path, examples);
  if (text.trim() === '' || examples.size >= maxExamples || maybeSecret.test(path)) return;
  examples.add(text.length > maxExampleLength ? `${text.slice(0, maxExampleLength)}…` : text);
}

function join(path: string, name: string): string {
  if (name === '' || /[.[\]"]/.test(name) || name !== name.trim()) return `${path}[${JSON.stringify(name)}]`;
  return path === '' ? name : `${path}.${name}`;
}
