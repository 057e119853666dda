import fc, { type Arbitrary } from 'fast-check';

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

/** Names with a special meaning in JavaScript, PostgreSQL or a parser. */
const oddNames = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  '',
  'a.b',
  'a\0',
  '$ref',
  'id',
];

/** Texts that are truncated, look like another type, or are long. */
const oddTexts = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\ud800',
  '\udfff\ud800',
  '\u202eabc',
  'e\u0301\u0323',
  '👩‍👩‍👧',
  '\u0085\u2028\u2029',
  '\ufeff',
  '\r\nx-odd: 1',
  '\x1b[31m',
  'null',
  'true',
  '-1',
  '1e400',
  '99999999999999999999999',
  '0x10',
  'NaN',
  '1; select 1',
  "' or ''='",
  '%00',
  '%s%n',
  '{{7*7}}',
  '../../etc/passwd',
  '__proto__',
  '0000-00-00T00:00:00Z',
  '9999-12-31T23:59:59+14:00',
  '2026-02-30T00:00:00Z',
  '2026-01-31T12:00:00.123456789Z',
  'x'.repeat(256),
  'x'.repeat(5_000),
  '🦊'.repeat(1_001),
];

export const oddText: Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...oddTexts) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
);

const oddNumber = fc.constantFrom(0, -0, -1, 1.5, 2 ** 31, -(2 ** 31) - 1, 2 ** 53, -(2 ** 63), 1e22, 1e308, 5e-324);

function nested(depth: number, inner: Json): Json {
  let value = inner;
  for (let level = 0; level < depth; level += 1) value = level % 2 ? [value] : { a: value };
  return value;
}

export const oddValue: Arbitrary<Json> = fc.oneof(
  { weight: 3, arbitrary: oddText },
  { weight: 2, arbitrary: oddNumber },
  { weight: 2, arbitrary: fc.constantFrom<Json>(null, true, false, [], {}, [null], [[]]) },
  { weight: 1, arbitrary: fc.constantFrom(8, 60, 63, 64, 65, 200).map((depth) => nested(depth, 1)) },
  { weight: 1, arbitrary: fc.constantFrom(101, 1_001, 20_001).map((length) => Array<Json>(length).fill('x')) },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }).map((value) => value as Json) },
);

interface Mutation {
  at: number;
  do: 'remove' | 'replace' | 'add' | 'repeat' | 'text';
  name: string;
  value: Json;
}

const mutation: Arbitrary<Mutation> = fc.record({
  at: fc.nat(1_000),
  do: fc.constantFrom('remove', 'replace', 'replace', 'add', 'repeat', 'text'),
  name: fc.oneof(fc.constantFrom(...oddNames), fc.string({ maxLength: 8 })),
  value: oddValue,
});

/** Generates valid values with one to three mutations at random positions. */
export function mutated(valid: Arbitrary<Json>): Arbitrary<Json> {
  return fc
    .tuple(valid, fc.array(mutation, { minLength: 1, maxLength: 3 }))
    .map(([value, mutations]) => mutations.reduce(mutate, value));
}

function mutate(value: Json, { at, do: act, name, value: odd }: Mutation): Json {
  const copy = { root: structuredClone(value) };
  const positions = positionsIn(copy);
  const { holder, key } = positions[at % positions.length] as Position;
  const target = holder[key] as Json;
  if (act === 'remove' && holder !== copy) {
    if (Array.isArray(holder)) holder.splice(Number(key), 1);
    else delete holder[key];
  } else if (act === 'add' && isObject(target)) define(target, name, odd);
  else if (act === 'add' && Array.isArray(target)) target.push(odd);
  else if (act === 'repeat' && Array.isArray(target)) target.push(...target);
  else if (act === 'text' && typeof target !== 'object') holder[key] = `${target}${typeof odd === 'string' ? odd : ''}`;
  else holder[key] = odd;
  return copy.root;
}

interface Position {
  holder: Record<string, Json>;
  key: string;
}

function positionsIn(holder: Record<string, Json>): Position[] {
  return Object.keys(holder).flatMap((key) => {
    const value = holder[key];
    const inner = typeof value === 'object' && value !== null ? positionsIn(value as Record<string, Json>) : [];
    return [{ holder, key }, ...inner];
  });
}

function isObject(value: Json): value is { [name: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Defines a property, because an assignment to `__proto__` would set the prototype. */
function define(target: object, name: string, value: Json): void {
  Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true });
}
