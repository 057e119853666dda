import {
  attributePrefix,
  employmentFields,
  encodeId,
  isMappableField,
  matchingKeys,
  recordFields,
  type responses,
} from '@idsync/contracts';
import type { ExplainedRecord } from '@idsync/database/gateway';
import type { Field, Sources } from './explained-sources.js';

type Attribute = responses.Identity['attributes'][number];
type Rejected = Field['over'][number];

/** The status and the lists have their own explanations; accounts have further fields that are no attributes. */
const userAttributes = new Set<string>([...matchingKeys, ...recordFields.user.text, ...recordFields.user.date]);

/** Explains the attributes of an identity and its display name. The document lists the candidates, the winner first. */
export function explainFields(
  identity: responses.Identity,
  records: readonly ExplainedRecord[],
  sources: Sources,
): Field[] {
  const byField = new Map<string, Attribute[]>();
  for (const attribute of identity.attributes) {
    byField.set(attribute.field_name, [...(byField.get(attribute.field_name) ?? []), attribute]);
  }
  const explained = [...byField].flatMap(([field, [winner, ...others]]): Field[] => {
    if (!winner) return [];
    const listed = [winner, ...others];
    const over: Rejected[] = [
      ...others.map((each) => ({ ...show(each, sources), because: rejection(winner, each, sources) })),
      ...records.flatMap((record) => unlisted(record, field, listed, records, sources)),
    ];
    return [{ field, winner: show(winner, sources), over, because: reason(winner, others, over) }];
  });
  return withDisplayName(identity, [...explained, ...lost(byField, records, sources)].sort(byName));
}

function show({ field_value, source_id, priority, updated_at }: Attribute, sources: Sources): Field['winner'] {
  return { value: field_value, connector_id: source_id, ...sources.shown(source_id), priority, updated_at };
}

/** Returns the first rule by which the winner precedes the next candidate. */
function reason(winner: Attribute, [next]: readonly Attribute[], over: readonly Rejected[]): string {
  if (!next) return over.some(({ value }) => value !== '') ? 'only eligible value' : 'only value';
  if (winner.priority !== next.priority) return `priority ${winner.priority} precedes ${next.priority}`;
  if (winner.source_id === next.source_id) return 'first of several values from the same source';
  if (winner.updated_at !== next.updated_at) return 'same priority, newer value';
  return 'same priority and time, lower source id';
}

function rejection(winner: Attribute, other: Attribute, sources: Sources): string {
  if (winner.priority !== other.priority) {
    const name = sources.shown(winner.source_id).connector ?? 'the source that decides';
    return `ranked lower: priority ${other.priority}, ${name} has ${winner.priority}`;
  }
  if (winner.source_id === other.source_id) return 'not the first value of its source';
  if (winner.updated_at !== other.updated_at) return 'same priority, older value';
  return 'same priority and time, higher source id';
}

/** Returns the values of a record that the document does not list, and the absence of a value that would have won. */
function unlisted(
  record: ExplainedRecord,
  field: string,
  listed: readonly Attribute[],
  records: readonly ExplainedRecord[],
  sources: Sources,
): Rejected[] {
  const values = record.fields[field] ?? record.fields[`${attributePrefix}${field}`] ?? [];
  const sourceId = encodeId('connector', record.connectorId);
  if (values.length === 0) {
    const winner = listed[0];
    const precedes = winner !== undefined && sources.rankOf(record.connectorId, field) < winner.priority;
    const isOwn = listed.some(({ source_id }) => source_id === sourceId);
    const couldHave = record.kind !== 'machine_identity' && record.isListed && canHave(record, field);
    if (!precedes || isOwn || !couldHave) return [];
    return [{ ...sources.candidate(record, field, ''), because: 'empty: the source has no value' }];
  }
  return values
    .filter((value) => !listed.some((each) => each.source_id === sourceId && each.field_value === value))
    .map((value) => ({
      ...sources.candidate(record, field, value),
      because: exclusion(record, field, records, sources),
    }));
}

function canHave({ kind }: ExplainedRecord, field: string): boolean {
  return isMappableField(kind, field) || isMappableField(kind, `${attributePrefix}${field}`);
}

function exclusion(
  record: ExplainedRecord,
  field: string,
  records: readonly ExplainedRecord[],
  sources: Sources,
): string {
  if (record.kind === 'machine_identity') return 'machine identities give no values to a person';
  if (!record.isListed || record.fields.status?.[0] === 'deleted') return 'deleted in its source';
  const employments = records.filter(({ kind, connectorId }) => kind === 'user' && connectorId === record.connectorId);
  if (record.kind === 'user' && employments.length > 1) return 'another employment of this source is the primary one';
  const isOther = record.kind === 'user' && employmentFields.includes(field) && sources.ranked(record).isEmployment;
  return isOther ? 'the employment of another source decides' : 'left out because of the size of the identity';
}

/** Explains fields that the identity lacks although one of its records has a value, such as the row of an earlier job. */
function lost(present: ReadonlyMap<string, unknown>, records: readonly ExplainedRecord[], sources: Sources): Field[] {
  const people = records.filter(({ kind }) => kind !== 'machine_identity');
  const names = people.flatMap(({ fields }) => Object.keys(fields)).flatMap((field) => attributeName(field) ?? []);
  return [...new Set(names)].flatMap((field): Field[] => {
    if (present.has(field)) return [];
    const over = people.flatMap((record) => unlisted(record, field, [], records, sources));
    const [first] = people
      .filter((record) => canHave(record, field))
      .sort(
        (a, b) =>
          Number(b.isListed) - Number(a.isListed) ||
          sources.rankOf(a.connectorId, field) - sources.rankOf(b.connectorId, field),
      );
    if (!first || over.length === 0) return [];
    return [{ field, winner: sources.candidate(first, field, ''), over, because: 'no eligible value' }];
  });
}

function attributeName(field: string): string | undefined {
  if (field.startsWith(attributePrefix)) return field.slice(attributePrefix.length);
  return userAttributes.has(field) ? field : undefined;
}

function byName(a: Field, b: Field): number {
  return a.field < b.field ? -1 : 1;
}

/** Replaces the explanation of `display_name` if the name comes from other fields. */
function withDisplayName({ display_name: name }: responses.Identity, fields: readonly Field[]): Field[] {
  const named = new Map(fields.map((each) => [each.field, each]));
  const shown = named.get('display_name');
  if (name === undefined || shown?.winner.value === name) return [...fields];
  const [first, last] = [named.get('first_name'), named.get('last_name')];
  const parts = [first, last].flatMap((each) => each?.winner.value ?? []);
  const from =
    parts.join(' ') === name
      ? (first ?? last)
      : matchingKeys.map((key) => named.get(key)).find((each) => each?.winner.value === name);
  if (!from) return [...fields];
  const over = shown
    ? [shown.winner, ...shown.over]
        .filter(({ value }) => value !== '')
        .map((each) => ({ ...each, because: 'first and last name rank higher' }))
    : [];
  const because = from === first || from === last ? 'first_name and last_name' : `no source has a name; ${from.field}`;
  const shownName: Field = { field: 'display_name', winner: { ...from.winner, value: name }, over, because };
  return [...fields.filter(({ field }) => field !== 'display_name'), shownName].sort(byName);
}
