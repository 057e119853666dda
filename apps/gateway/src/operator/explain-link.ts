import { encodeId, recordIds, type responses } from '@idsync/contracts';
import type { ExplainedIdentity, ExplainedRecord } from '@idsync/database/gateway';

type ExplainedLink = responses.Explanation['records'][number];

/** Explains why a record belongs to its identity. */
export function explainLink(
  record: ExplainedRecord,
  { records, operations, connectors }: Pick<ExplainedIdentity, 'records' | 'operations' | 'connectors'>,
): ExplainedLink {
  const evidence = evidenceOf(record, operations);
  const connectorId = encodeId('connector', record.connectorId);
  const linked = evidence?.kind ?? linkWithoutEvidence(record, records);
  return {
    id: encodeId(recordIds[record.kind], record.id),
    kind: record.kind,
    connector_id: connectorId,
    connector_deleted_at: connectors.get(connectorId)?.deletedAt?.toISOString(),
    external_id: record.externalId,
    status: record.status,
    linked: record.decided ? 'operator' : linked,
    by: linkerOf(record, operations),
    ...(evidence && { evidence }),
  };
}

function evidenceOf(
  { evidence, identityId }: ExplainedRecord,
  operations: ExplainedIdentity['operations'],
): ExplainedLink['evidence'] {
  // An earlier version, running beside this one during an upgrade, may have moved the record.
  if (!evidence || evidence.identity_id !== identityId) return undefined;
  const { kind, at, rule, score, values, record_id, job_id, operation_id, case_id } = evidence;
  return {
    kind,
    actor: kind === 'operator' ? 'operator' : 'matching',
    at,
    rule,
    score,
    values,
    record_id: record_id && encodeId('user', record_id),
    job_id: job_id && encodeId('job', job_id),
    operation_id: operation_id && encodeId('operation', operation_id),
    reason: operation_id && operations.get(operation_id),
    case_id: case_id && encodeId('case', case_id),
  };
}

/** The owner of a machine is a value of its source; a single record of an identity was its first. */
function linkWithoutEvidence({ kind, machine, identityId }: ExplainedRecord, records: readonly unknown[]): string {
  if (kind === 'machine_identity' && machine && machine.people.owned_by === identityId) {
    return machine.handedOver ? 'technical_inheritor' : 'owner';
  }
  return records.length === 1 ? 'first' : 'unknown';
}

function linkerOf({ linkedBy }: ExplainedRecord, operations: ExplainedIdentity['operations']): string | undefined {
  if (linkedBy === null) return undefined;
  return encodeId(operations.has(linkedBy) ? 'operation' : 'job', linkedBy);
}
