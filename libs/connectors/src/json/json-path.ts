import { SourceError } from '../connector.js';
import { isObject, type JsonObject, scalarText, valueAt } from './json-value.js';

type Step =
  | { name: string }
  | { index: number }
  | { each: true }
  /** Elements whose member equals this text, ignoring case. */
  | { where: string; is: string };

type Sort = (list: readonly unknown[]) => readonly unknown[];

/**
 * A name, which is quoted if it contains dots or brackets, `[…]`, or the URN of a SCIM schema, whose version contains a
 * dot.
 */
const token =
  /(?:^|\.|(?<=:\d\.\d:\w+):)(?<name>urn:[\w:-]+:\d\.\d:\w+|[^.[\]"]+)|\[(?:\s*(?<quoted>"(?:[^"\\]|\\.)*")\s*|\s*(?<index>\d{1,6})\s*|(?<where>[^\]="]+)=(?:\s*(?<text>"(?:[^"\\]|\\.)*")\s*|(?<bare>[^\]"]*))|\s*)\]/y;

/**
 * Reads values of JSON records by path: `name.givenName`, `emails[0].value`, `emails[type=work].value`,
 * `members[].value`, `["urn:…:2.0:User"].employeeNumber`. A name after a list applies to each element. `sort` is applied
 * to lists, except where a path selects by index. Throws SourceError for an invalid path.
 */
export function jsonReader(
  paths: readonly string[],
  sort: Sort = (list) => list,
): (record: unknown) => (path: string) => string[] {
  const steps = new Map(paths.map((path) => [path, parsePath(path)]));
  return (record) => (path) => {
    let found: readonly unknown[] = [record];
    for (const step of steps.get(path) ?? parsePath(path)) found = walk(found, step, sort);
    return found.flat().flatMap((value) => scalarText(value) ?? []);
  };
}

function parsePath(path: string): Step[] {
  const steps: Step[] = [];
  const text = path.trim();
  token.lastIndex = 0;
  while (token.lastIndex < text.length) {
    const groups = token.exec(text)?.groups;
    if (!groups)
      throw new SourceError(
        `"${path}" is not a path such as name.givenName or emails[type=work].value`,
        'misconfigured',
      );
    const { name, quoted, index, where, text: quotedText, bare } = groups;
    if (name !== undefined) steps.push({ name });
    else if (quoted !== undefined) steps.push({ name: unquoted(quoted, path) });
    else if (index !== undefined) steps.push({ index: Number(index) });
    else if (where === undefined) steps.push({ each: true });
    else {
      const is = quotedText === undefined ? (bare ?? '').trim() : unquoted(quotedText, path);
      steps.push({ where: where.trim(), is: is.toLowerCase() });
    }
  }
  return steps;
}

function unquoted(text: string, path: string): string {
  try {
    return JSON.parse(text);
  } catch {
    throw new SourceError(`${text} in "${path}" is not a valid quoted string`, 'misconfigured');
  }
}

function walk(values: readonly unknown[], step: Step, sort: Sort): readonly unknown[] {
  if ('name' in step) return objectsIn(values, sort).flatMap((value) => present(valueAt(value, step.name)));
  const lists = values.filter((value) => Array.isArray(value));
  if ('index' in step) return lists.flatMap((list) => present(list[step.index]));
  if ('each' in step) return lists.flatMap(sort);
  return objectsIn(lists, sort).filter((value) => scalarText(valueAt(value, step.where))?.toLowerCase() === step.is);
}

function objectsIn(values: readonly unknown[], sort: Sort): JsonObject[] {
  return values.flatMap((value) => (Array.isArray(value) ? sort(value) : value)).filter(isObject);
}

function present(value: unknown): unknown[] {
  return value === undefined || value === null ? [] : [value];
}
