import { SourceError } from '../connector.js';
import { isObject, type JsonObject, scalarText, valueAt } from './json-value.js';

type Step =
  | { name: string }
  | { index: number }
  | { each: true }
  /** Those elements whose member has this text, whatever its case. */
  | { where: string; is: string };

/** A name, `[…]`, quoted where it contains dots or brackets, or the URN of a SCIM schema, whose version has a dot. */
const token =
  /(?:^|\.|(?<=:\d\.\d:\w+):)(?<name>urn:[\w:-]+:\d\.\d:\w+|[^.[\]"]+)|\[\s*(?:(?<quoted>"(?:[^"\\]|\\.)*")|(?<index>\d{1,6})|(?<where>[^\]="]+?)\s*=\s*(?:(?<text>"(?:[^"\\]|\\.)*")|(?<bare>[^\]"]*?)))?\s*\]/y;

/**
 * Reads values of JSON records by path: `name.givenName`, `emails[0].value`, `emails[type=work].value`, `members[].value`,
 * `["urn:…:2.0:User"].employeeNumber`. A name asked of a list is asked of each of its elements. Throws SourceError for what is no path.
 */
export function jsonReader(paths: readonly string[]): (record: unknown) => (path: string) => string[] {
  const steps = new Map(paths.map((path) => [path, parsePath(path)]));
  return (record) => (path) => {
    const found = (steps.get(path) ?? parsePath(path)).reduce(walk, [record]);
    return found.flat().flatMap((value) => scalarText(value) ?? []);
  };
}

function parsePath(path: string): Step[] {
  const steps: Step[] = [];
  const text = path.trim();
  token.lastIndex = 0;
  while (token.lastIndex < text.length) {
    const groups = token.exec(text)?.groups;
    if (!groups) throw new SourceError(`"${path}" is not a path such as name.givenName or emails[type=work].value`);
    const { name, quoted, index, where, text: quotedText, bare } = groups;
    if (name !== undefined) steps.push({ name });
    else if (quoted !== undefined) steps.push({ name: unquoted(quoted, path) });
    else if (index !== undefined) steps.push({ index: Number(index) });
    else if (where === undefined) steps.push({ each: true });
    else {
      const is = quotedText === undefined ? (bare ?? '') : unquoted(quotedText, path);
      steps.push({ where: where.trim(), is: is.toLowerCase() });
    }
  }
  return steps;
}

function unquoted(text: string, path: string): string {
  try {
    return JSON.parse(text);
  } catch {
    throw new SourceError(`${text} in "${path}" is not text in quotes`);
  }
}

function walk(values: readonly unknown[], step: Step): unknown[] {
  if ('name' in step) return objectsIn(values).flatMap((value) => present(valueAt(value, step.name)));
  const lists = values.filter((value) => Array.isArray(value));
  if ('index' in step) return lists.flatMap((list) => present(list[step.index]));
  if ('each' in step) return lists.flat();
  return objectsIn(lists).filter((value) => scalarText(valueAt(value, step.where))?.toLowerCase() === step.is);
}

function objectsIn(values: readonly unknown[]): JsonObject[] {
  return values.flat().filter(isObject);
}

function present(value: unknown): unknown[] {
  return value === undefined || value === null ? [] : [value];
}
