import { createQuerySerializer } from 'openapi-fetch';

const serialize = createQuerySerializer<object>({ object: { style: 'form', explode: true } });

/** Writes `attributes: { cost_center: '4711' }` as `attributes.cost_center=4711`, and all else as openapi.json says. */
export function writeQuery(query: object): string {
  const { attributes, ...others } = query as { attributes?: Record<string, string> };
  const named = Object.entries(attributes ?? {}).map(([name, value]) => [
    name.startsWith('attributes.') ? name : `attributes.${name}`,
    value,
  ]);
  return serialize({ ...others, ...Object.fromEntries(named) });
}
