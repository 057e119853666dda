import { encodeId, recordIds, type responses } from '@idsync/contracts';
import type { ExplainedIdentity } from '@idsync/database/gateway';

type Attribute = responses.Identity['attributes'][number];

/** Explains the value of each field from an identity's document, which lists all candidates, the winner first. */
export function explain({ document, records, connectorNames }: ExplainedIdentity): responses.Explanation {
  const identity = JSON.parse(document) as responses.Identity;
  const fields = new Map<string, Attribute[]>();
  for (const attribute of identity.attributes) {
    fields.set(attribute.field_name, [...(fields.get(attribute.field_name) ?? []), attribute]);
  }
  const show = ({ field_value, source_id, priority, updated_at }: Attribute) => ({
    value: field_value,
    connector_id: source_id,
    connector: connectorNames.get(source_id),
    priority,
    updated_at,
  });
  return {
    identity_id: identity.id,
    display_name: identity.display_name,
    fields: [...fields].flatMap(([field, [winner, ...others]]) =>
      winner ? [{ field, winner: show(winner), over: others.map(show), because: reason(winner, others) }] : [],
    ),
    records: records.map((record) => ({
      id: encodeId(recordIds[record.kind], record.id),
      kind: record.kind,
      connector_id: encodeId('connector', record.connectorId),
      external_id: record.externalId,
      status: record.status,
      linked: record.decided ? 'operator' : 'keys',
      by: record.linkedBy === null ? undefined : encodeId(record.decided ? 'operation' : 'job', record.linkedBy),
    })),
  };
}

/** Returns the first rule by which the winner precedes the next candidate. */
function reason(winner: Attribute, [next]: readonly Attribute[]): string {
  if (!next) return 'only value';
  if (winner.priority !== next.priority) return `priority ${winner.priority} precedes ${next.priority}`;
  if (winner.source_id === next.source_id) return 'first of several values from the same source';
  if (winner.updated_at !== next.updated_at) return 'same priority, newer value';
  return 'same priority and time, lower source id';
}
