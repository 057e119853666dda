import { z } from 'zod';
import { type EventType, eventTypes } from '../events.js';
import { eventData } from './event-bodies.js';
import { eventExample } from './event-examples.js';
import { eventMeanings } from './event-meanings.js';

const families: Record<string, readonly string[]> = {
  Identities: ['identity.', 'lifecycle.'],
  Users: ['user.'],
  Groups: ['group.'],
  Accounts: ['account.'],
  'Machine identities': ['machine_identity.'],
  'Sync jobs': ['sync.job.'],
  Findings: ['finding.'],
  Tests: ['webhook.'],
};

/** Returns the catalogue of events as Markdown: the meaning of each type, its `data`, and an example. */
export function describeEvents(): string {
  return Object.entries(families)
    .map(([title, prefixes]) =>
      describeFamily(
        title,
        eventTypes.filter((type) => prefixes.some((prefix) => type.startsWith(prefix))),
      ),
    )
    .join('\n');
}

interface Field {
  name: string;
  type: string;
  always: boolean;
  what: string;
}

function describeFamily(title: string, types: readonly EventType[]): string {
  const fields = new Map(types.map((type) => [type, fieldsOf(eventData[type])]));
  const isShared = ({ name }: Field) => types.every((type) => fields.get(type)?.some((field) => field.name === name));
  const shared = fields.get(types[0] as EventType)?.filter(isShared) ?? [];
  const parts = [`### ${title}\n`, table(shared)];
  const shown = new Map<string, EventType>();
  for (const type of types) {
    const adds = table(fields.get(type)?.filter((field) => !isShared(field)) ?? []);
    const same = shown.get(adds);
    parts.push(`#### \`${type}\`\n`, `${eventMeanings[type]}\n`);
    if (adds !== '')
      parts.push(same ? `It has the additional fields of \`${same}\`.\n` : `Additional fields:\n\n${adds}`);
    if (!same) shown.set(adds, type);
    parts.push(`\`\`\`json\n${compact(eventExample(type))}\n\`\`\`\n`);
  }
  return parts.join('\n');
}

interface JsonField {
  type?: string;
  format?: string;
  description?: string;
  items?: JsonField;
}

function fieldsOf(schema: z.ZodObject): Field[] {
  const { properties = {}, required = [] } = z.toJSONSchema(schema, { io: 'output' });
  return Object.entries(properties).map(([name, property]) => {
    const field = property as JsonField;
    return { name, type: typeOf(field), always: required.includes(name), what: field.description ?? '' };
  });
}

function typeOf({ type, format, items }: JsonField): string {
  if (type === 'array') return `list of ${items?.type === 'object' ? 'objects' : 'text'}`;
  if (type === 'string') return format === 'date-time' ? 'date-time' : 'text';
  return type ?? '';
}

function table(fields: readonly Field[]): string {
  if (fields.length === 0) return '';
  const rows = fields.map(
    ({ name, type, always, what }) => `| \`${name}\` | ${type}${always ? ', always' : ''} | ${cell(what)} |\n`,
  );
  return `| field | type | what |\n|---|---|---|\n${rows.join('')}`;
}

/** A bar would end the cell, even within code. */
function cell(text: string): string {
  return text.replaceAll(' | ', ', ');
}

const lineWidth = 120;

/** Formats JSON with lines as full as possible: short values share a line with their neighbours. */
function compact(value: unknown, indent = ''): string {
  const line = JSON.stringify(value, null, 1).replace(/\n */g, ' ');
  if (typeof value !== 'object' || value === null || line.length <= 60) return line;
  const inner = `${indent}  `;
  const items = Array.isArray(value)
    ? value.map((item) => compact(item, inner))
    : Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${compact(item, inner)}`);
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  return `${open}\n${inner}${filled(items, inner)}\n${indent}${close}`;
}

function filled(items: readonly string[], indent: string): string {
  const lines: string[] = [];
  let open = false;
  for (const item of items) {
    const last = lines.length - 1;
    const together = `${lines[last]}, ${item}`;
    const isOneLine = !item.includes('\n');
    if (open && isOneLine && indent.length + together.length < lineWidth) lines[last] = together;
    else lines.push(item);
    open = isOneLine;
  }
  return lines.join(`,\n${indent}`);
}
