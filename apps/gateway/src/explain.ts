import { encodeId, recordIds } from '@idsync/contracts';
import type { ExplainedIdentity } from '@idsync/database';

interface Attribute {
  field_name: string;
  field_value: string;
  source_id: string;
  priority: number;
  updated_at: string;
}

/** Reads out of an identity's document why each field shows what it shows: candidates stand there, the winner first. */
export function explain({ document, records, connectorNames }: ExplainedIdentity): object {
  const identity = JSON.parse(document) as { id: string; display_name?: string; attributes: Attribute[] };
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

/** The first rule that tells the winner from its closest rival. */
function reason(winner: Attribute, [rival]: readonly Attribute[]): string {
  if (!rival) return 'it is the only value';
  if (winner.priority !== rival.priority) return `its priority ${winner.priority} goes before ${rival.priority}`;
  if (winner.source_id === rival.source_id) return 'its source says several values, and this one first';
  if (winner.updated_at !== rival.updated_at) return 'of the same priority, it is newer';
  return 'of the same priority and age, its source id is the lower';
}
