import { encodeId, recordIds, type responses } from '@idsync/contracts';
import type { ExplainedIdentity, ExplainedRecord } from '@idsync/database/gateway';

type ExplainedLink = responses.Explanation['records'][number];

/** Explains why a record belongs to its identity. */
export function explainLink(
  record: ExplainedRecord,
  { operations, connectors }: Pick<ExplainedIdentity, 'operations' | 'connectors'>,
): ExplainedLink {
  const evidence = evidenceOf(record, operations);
  const connectorId = encodeId('connector', record.connectorId);
  return {
    id: encodeId(recordIds[record.kind], record.id),
    kind: record.kind,
    connector_id: connectorId,
    connector_deleted_at: connectors.get(connectorId)?.deletedAt?.toISOString(),
    external_id: record.externalId,
    status: record.status,
    linked: record.decided ? 'operator' : (evidence?.kind ?? linkOfMachine(record)),
    by: linkerOf(record, operations),
    ...(evidence && { evidence }),
  };
}

function evidenceOf(
  { evidence }: ExplainedRecord,
  operations: ExplainedIdentity['operations'],
): ExplainedLink['evidence'] {
  if (!evidence) return undefined;
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

/** The owner of a machine is a value of its source. A machine without an owner is the first record of its identity. */
function linkOfMachine({ machine, identityId }: ExplainedRecord): string {
  if (machine?.people.owned_by !== identityId) return 'first';
  return machine.handedOver ? 'technical_inheritor' : 'owner';
}

function linkerOf({ linkedBy }: ExplainedRecord, operations: ExplainedIdentity['operations']): string | undefined {
  if (linkedBy === null) return undefined;
  return encodeId(operations.has(linkedBy) ? 'operation' : 'job', linkedBy);
}
