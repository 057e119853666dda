import { encodeId, recordFields, recordIds, type responses } from '@idsync/contracts';
import type { ExplainedIdentity, ExplainedRecord } from '@idsync/database/gateway';
import { explainFields } from './explain-fields.js';
import { explainStatus } from './explain-status.js';
import { type Field, Sources } from './explained-sources.js';

/** Explains the value of each field of an identity, and why each record belongs to it. */
export function explain(found: ExplainedIdentity): responses.Explanation {
  const identity = JSON.parse(found.document) as responses.Identity;
  const sources = new Sources(found);
  return {
    identity_id: identity.id,
    display_name: identity.display_name,
    fields: [
      ...explainStatus(identity.status, found, sources),
      ...explainFields(identity, found.records, sources),
      ...explainLists(found.records, sources),
    ],
    records: found.records.map((record) => explainLink(record, found)),
  };
}

/** Explains departments, roles and groups, which each user of an identity shows for itself. */
function explainLists(records: readonly ExplainedRecord[], sources: Sources): Field[] {
  const users = records.filter(({ kind }) => kind === 'user');
  return recordFields.user.list.flatMap((field): Field[] => {
    const ranked = users
      .filter(({ fields }) => fields[field] !== undefined)
      .sort((a, b) => rank(a, field, sources) - rank(b, field, sources));
    const [first, ...others] = ranked.map((user) =>
      sources.candidate(user, field, user.fields[field]?.join(', ') ?? ''),
    );
    if (!first) return [];
    const over = others.map((each) => ({ ...each, because: 'shown with its own user; lists are not merged' }));
    const because = over.length > 0 ? 'first by precedence; each user shows its own list' : 'only value';
    return [{ field, winner: first, over, because }];
  });
}

/** Users that a source no longer lists are last. */
function rank({ connectorId, isListed }: ExplainedRecord, field: string, sources: Sources): number {
  return isListed ? sources.rankOf(connectorId, field) : Number.POSITIVE_INFINITY;
}

type ExplainedLink = responses.Explanation['records'][number];

/** Explains why a record belongs to its identity. */
function explainLink(
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
