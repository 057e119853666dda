/** The keywords of JSON Schema that examples are made of. */
interface Schema {
  type?: string;
  format?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  oneOf?: Schema[];
  anyOf?: Schema[];
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  minimum?: number;
}

/** Texts by the name of their field, or of the field that has a list of them. */
const texts: Readonly<Record<string, string>> = {
  connector_id: 'con_01kg9t8yr0e008000000000001',
  to: 'con_01kg9t8yr0e008000000000001',
  identity_id: 'idn_01kg9t8yr0e008000000000001',
  from_id: 'idn_01kg9t8yr0e008000000000002',
  record_id: 'usr_01kg9t8yr0e008000000000001',
  event: 'user.*',
  certain: 'email',
  name: 'reporting',
  reason: 'asked HR',
  time_zone: 'Europe/Berlin',
  path: 'hr.csv',
};

/** Builds an example of a request body: all required fields, and if there are none, the first one. */
export function exampleOf(schema: Schema, name = ''): unknown {
  if (schema.const !== undefined) return schema.const;
  if (schema.default !== undefined) return schema.default;
  if (schema.enum) return schema.enum[0];
  const variant = schema.oneOf?.[0] ?? schema.anyOf?.[0];
  if (variant) return exampleOf(variant, name);
  if (schema.properties) {
    const { properties, required = [] } = schema;
    const shown = required.length > 0 ? required : Object.keys(properties).slice(0, 1);
    return Object.fromEntries(shown.map((each) => [each, exampleOf(properties[each] ?? {}, each)]));
  }
  if (schema.type === 'array') return [exampleOf(schema.items ?? {}, name.replace(/s$/, ''))];
  return scalar(schema, name);
}

function scalar({ type, format, minimum }: Schema, name: string): unknown {
  if (type === 'integer' || type === 'number') return minimum ?? 1;
  if (type === 'boolean') return true;
  if (type === 'object') return {};
  if (format === 'date-time' || /_at$|^since$|^until$/.test(name)) return '2026-01-31T12:00:00Z';
  if (format === 'uri' || name.endsWith('_url')) return 'https://example.com/webhooks';
  return texts[name] ?? (name === '' ? '…' : name);
}
