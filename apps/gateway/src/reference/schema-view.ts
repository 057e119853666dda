import { escapeText, prose } from './html.js';
import { type Parameter, refName, type Schema } from './openapi-document.js';

/** Objects inside objects are shown to this depth; deeper ones are in the OpenAPI document. */
const deepest = 4;

/** Shows the fields of an object, or of each variant. Named schemas are links to their own section. */
export function fieldsView(schema: Schema, depth = 0): string {
  const variants = schema.oneOf ?? schema.anyOf;
  if (variants && !schema.properties) {
    return `<p class="is">One of:</p>${variants.map((variant) => variantView(variant, depth)).join('')}`;
  }
  if (schema.$ref !== undefined) return `<p class="is">${typeView(schema)}</p>`;
  const { properties = {}, required = [] } = schema;
  const fields = Object.entries(properties).map(([name, field]) =>
    fieldView({ name, schema: field, isRequired: required.includes(name), depth }),
  );
  return fields.length > 0 ? `<ul class="fields">${fields.join('')}</ul>` : `<p class="is">${typeView(schema)}</p>`;
}

/** Shows parameters as fields. */
export function parametersView(parameters: readonly Parameter[]): string {
  const fields = parameters.map(({ name, schema, required = false, description }) =>
    fieldView({ name, schema: { ...schema, ...(description && { description }) }, isRequired: required, depth: 0 }),
  );
  return `<ul class="fields">${fields.join('')}</ul>`;
}

interface Field {
  name: string;
  schema: Schema;
  isRequired: boolean;
  depth: number;
}

function fieldView({ name, schema, isRequired, depth }: Field): string {
  const required = isRequired ? '<span class="req">required</span>' : '';
  const text = schema.description === undefined ? '' : `<p>${prose(schema.description)}</p>`;
  const heading = `<code class="name">${escapeText(name)}</code> <span class="type">${typeView(schema)}</span> ${required}`;
  return `<li><div class="fh">${heading}</div>${text}${limitsView(schema)}${childrenView(schema, depth)}</li>`;
}

function variantView(variant: Schema, depth: number): string {
  if (variant.$ref !== undefined || !variant.properties) return `<p class="is">${typeView(variant)}</p>`;
  const [name] = Object.values(variant.properties).flatMap(({ const: value }) => (value === undefined ? [] : [value]));
  return `<details class="more"><summary>${escapeText(name ?? 'object')}</summary>${fieldsView(variant, depth + 1)}</details>`;
}

function childrenView(schema: Schema, depth: number): string {
  const inner = schema.type === 'array' ? (schema.items ?? {}) : schema;
  const object = [inner, ...(inner.anyOf ?? []), ...(inner.oneOf ?? [])].find(({ properties }) => properties);
  if (!object || inner.$ref !== undefined || depth >= deepest) return '';
  const count = Object.keys(object.properties ?? {}).length;
  const label = `${count} field${count === 1 ? '' : 's'}`;
  return `<details class="more"><summary>${label}</summary>${fieldsView(object, depth + 1)}</details>`;
}

function typeView(schema: Schema): string {
  if (schema.$ref !== undefined) {
    const name = refName(schema.$ref);
    return `<a href="#schema-${escapeText(name)}">${escapeText(name)}</a>`;
  }
  if (schema.const !== undefined) return `<code>${escapeText(JSON.stringify(schema.const))}</code>`;
  if (schema.type === 'array') return `array of ${typeView(schema.items ?? {})}`;
  const variants = schema.oneOf ?? schema.anyOf;
  if (variants && !schema.properties) return [...new Set(variants.map(typeView))].join(' or ');
  if (schema.format === 'date-time') return 'date-time';
  return escapeText(schema.type ?? 'any');
}

function limitsView({ enum: values, default: preset, ...schema }: Schema): string {
  const parts: string[] = [];
  if (values) parts.push(`One of ${values.map((value) => `<code>${escapeText(value)}</code>`).join(' ')}`);
  if (preset !== undefined && typeof preset !== 'object') {
    parts.push(`Default <code>${escapeText(JSON.stringify(preset))}</code>`);
  }
  const { minimum, maximum, minLength, maxLength, minItems, maxItems } = schema;
  parts.push(...rangeView(minimum, maximum, ''), ...rangeView(minLength, maxLength, ' characters'));
  parts.push(...rangeView(minItems, maxItems, ' items'));
  return parts.length > 0 ? `<p class="limits">${parts.join(' · ')}</p>` : '';
}

function rangeView(least: number | undefined, most: number | undefined, unit: string): string[] {
  const isBound = most !== undefined && most < Number.MAX_SAFE_INTEGER;
  if (isBound) return [`${least === undefined ? 'at most' : `${least} to`} ${most}${unit}`];
  if (least === undefined || least <= 0) return [];
  return least === 1 && unit !== '' ? ['not empty'] : [`at least ${least}${unit}`];
}
