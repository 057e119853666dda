import type { SourceField } from './connector.js';
import { isObject, scalarText } from './json/json-value.js';

const maxFields = 500;
const maxExamples = 3;
const maxExampleLength = 60;

/** Returns whether a field with this name may contain a secret. */
export function maybeSecret(name: string): boolean {
  return /pass|pwd|kennwort|secret|token|hash|salt|private|credential|api_?key|t?otp\b|pin\b/i.test(name);
}

/** Collects the fields of records in order of appearance, with some example values. */
export class FieldSamples {
  private readonly fields = new Map<string, Set<string>>();

  /** No values are stored for fields that `isSecret` accepts. */
  constructor(private readonly isSecret: (name: string) => boolean = maybeSecret) {}

  add(name: string, texts: readonly string[] = []): void {
    const examples = this.fields.get(name) ?? new Set();
    if (!this.fields.has(name) && this.fields.size >= maxFields) return;
    this.fields.set(name, examples);
    if (this.isSecret(name)) return;
    for (const text of texts) {
      if (examples.size >= maxExamples) return;
      if (text.trim() !== '') examples.add(shortened(text));
    }
  }

  list(): SourceField[] {
    return [...this.fields].map(([name, examples]) => ({ name, examples: [...examples] }));
  }
}

function shortened(text: string): string {
  return text.length > maxExampleLength ? `${text.slice(0, maxExampleLength)}…` : text;
}

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
