import fc, { type Arbitrary } from 'fast-check';
import { openApi, validatorOf } from '../documented-answers.js';
import type { Json } from './json-values.js';

/** The part of JSON Schema that openapi.json uses for requests. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  const?: Json;
  enum?: Json[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  propertyNames?: Schema;
  items?: Schema;
  minItems?: number;
  maxItems?: number;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  format?: string;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
}

/** Values for string properties by name, where the schema does not define their meaning. */
export type TextsByName = Readonly<Record<string, Arbitrary<string>>>;

const maxItemCount = 4;
const maxTextLength = 60;

/** Generates values that a schema of openapi.json allows, except for rules that JSON Schema cannot express. */
export function fromSchema(schema: Schema, named: TextsByName, name = ''): Arbitrary<Json> {
  const shared = schema.$ref?.split('/').at(-1);
  if (shared !== undefined) return fromSchema(openApi.components.schemas[shared] ?? {}, named, name);
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return fc.oneof(...choices.map((choice) => fromSchema(choice, named, name)));
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  switch (type) {
    case 'string':
      return named[name] ?? textOf(schema);
    case 'integer':
      return fc.integer(rangeOf(schema));
    case 'number':
      return fc.double({ ...rangeOf(schema), noNaN: true });
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'array':
      return fc.array(fromSchema(schema.items ?? {}, named, name), {
        minLength: schema.minItems ?? 0,
        maxLength: Math.max(schema.minItems ?? 0, Math.min(schema.maxItems ?? maxItemCount, maxItemCount)),
      });
    case 'object':
      return objectOf(schema, named);
    default:
      return fc.jsonValue({ maxDepth: 1 }).map((value) => value as Json);
  }
}

function objectOf(schema: Schema, named: TextsByName): Arbitrary<Json> {
  const own = Object.entries(schema.properties ?? {});
  const known = fc.record(Object.fromEntries(own.map(([name, each]) => [name, fromSchema(each, named, name)])), {
    requiredKeys: schema.required ?? [],
    noNullPrototype: true,
  });
  const more = schema.additionalProperties;
  if (typeof more !== 'object') return known as Arbitrary<Json>;
  const names = fromSchema({ type: 'string', ...schema.propertyNames }, named).map(String);
  const others = fc.dictionary(names, fromSchema(more, named), { maxKeys: 2, noNullPrototype: true });
  return fc.tuple(known, others).map(([mine, theirs]) => ({ ...theirs, ...mine }) as Json);
}

function textOf({ pattern, format, minLength = 0, maxLength = maxTextLength }: Schema): Arbitrary<string> {
  if (format === 'date-time') return dateTime;
  const size = { minLength, maxLength: Math.max(minLength, Math.min(maxLength, maxTextLength)) };
  if (pattern === undefined) return fc.string({ ...size, unit: 'grapheme' });
  const matches = validatorOf({ type: 'string', pattern, ...size });
  const fitting = samples.filter((sample) => matches(sample));
  return fitting.length > 0 ? fc.constantFrom(...fitting) : fc.string(size);
}

/** Samples for each pattern in openapi.json. */
const samples = [
  '*',
  'a',
  'abc',
  'a_b',
  'a-b',
  'identity.*',
  'user.created',
  '12345',
  'ABCDEFGH12345678',
  'example.invalid',
  'eu-west-1',
  'ldap://directory.invalid',
  'ldaps://directory.invalid:636',
  '-----BEGIN CERTIFICATE-----\nMA==\n-----END CERTIFICATE-----\n',
  '2026-01-31T12:00:00Z',
  'Ünïcode – ✓',
];

const dateTime = fc
  .date({ min: new Date('2000-01-01T00:00:00Z'), max: new Date('2040-01-01T00:00:00Z'), noInvalidDate: true })
  .map((date) => date.toISOString());

function rangeOf({ minimum, maximum, exclusiveMinimum }: Schema): { min: number; max: number } {
  const min = minimum ?? (exclusiveMinimum === undefined ? -1_000 : exclusiveMinimum + 1);
  return { min, max: Math.max(min, maximum ?? 1_000_000) };
}
