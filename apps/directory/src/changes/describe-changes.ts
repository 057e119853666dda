import { type EventType, encodeId, type FieldChange, machineReferences, recordIds } from '@idsync/contracts';
import type { NewEvent } from '@idsync/database/bus';
import { lifecycleEvent } from '../lifecycle/lifecycle.js';
import { type Attribute, winners } from '../render/merge-attributes.js';
import { personShown } from '../render/render-record.js';
import type { TimedCause } from './cause.js';
import { describeEvidence, describeMerge } from './describe-evidence.js';
import { boundChanges, diffFields } from './field-changes.js';
import { memberChanges } from './member-changes.js';
import type { IdentityChange, RecordChange, Settled } from './record-change.js';

/**
 * Returns the events of a batch: created identities, then record events, then other identity events, then lifecycle
 * events. `formerlyActive` has the pending identities that were active at some time.
 */
export function describeChanges(
  settled: Settled,
  cause: Pick<TimedCause, 'jobId' | 'operationId' | 'at'>,
  formerlyActive: ReadonlySet<string> = new Set(),
): NewEvent[] {
  const { jobId, at: occurredAt } = cause;
  const eventOf = (
    type: EventType,
    { identityId, subjectId = identityId }: Pick<NewEvent, 'identityId' | 'subjectId'>,
    details: object = {},
    changes?: readonly FieldChange[],
  ): NewEvent => ({
    type,
    occurredAt,
    jobId,
    identityId,
    subjectId,
    details: { ...causeOf(cause), ...details, ...(changes && boundChanges(changes)) },
  });
  const created: NewEvent[] = [];
  const rest: NewEvent[] = [];
  const lifecycleEvents: NewEvent[] = [];
  const members = memberChanges(settled);
  for (const change of settled.identities) {
    const { splitFrom, identity } = change;
    const { id } = identity;
    if (splitFrom) {
      // Belongs to the history of the identity that was split.
      const ids = { from_id: encodeId('identity', splitFrom), new_id: encodeId('identity', id) };
      rest.push(eventOf('identity.split', { identityId: splitFrom, subjectId: id }, ids));
    }
    for (const { type, changes } of identityEvents(change, members.get(id) ?? []))
      (type === 'identity.created' ? created : rest).push(eventOf(type, { identityId: id }, {}, changes));
    const lifecycle = splitFrom ? undefined : lifecycleOf(change, jobId, formerlyActive);
    if (lifecycle && identity.document.includes('"users":[{')) {
      const changes = statusChange(change);
      const reason = changes && dateBehind(settled.records, id);
      lifecycleEvents.push(eventOf(lifecycle, { identityId: id }, reason, changes));
    }
  }
  for (const { identity, intoId } of settled.merged) {
    // Belongs to the history of the remaining identity.
    const ids = { merged_id: encodeId('identity', identity.id), into_id: encodeId('identity', intoId) };
    const why = describeMerge(settled.records, identity.id, intoId);
    rest.push(eventOf('identity.merged', { identityId: intoId, subjectId: identity.id }, { ...why, ...ids }));
  }
  for (const { id, status } of settled.ended) {
    if (status !== 'deleted') rest.push(eventOf('identity.deleted', { identityId: id }));
  }
  for (const { identity } of settled.erased)
    rest.push(eventOf('identity.deleted', { identityId: identity.id }, { erased: true }));
  const present = settled.records.filter(({ removed }) => !removed);
  const records = present.flatMap((change) => {
    const { record, before } = change;
    const ids = { identityId: record.identityId ?? before?.identityId, subjectId: record.id };
    const id = encodeId(recordIds[record.kind], record.id);
    return recordEvents(change).map(({ type, changes, more }) => eventOf(type, ids, { id, ...more }, changes));
  });
  return [...created, ...records, ...rest, ...lifecycleEvents];
}

/** Returns the job or operation as events name it. */
export function causeOf({ jobId, operationId }: Pick<TimedCause, 'jobId' | 'operationId'>): object {
  return { job_id: jobId && encodeId('job', jobId), operation_id: operationId && encodeId('operation', operationId) };
}

/**
 * Returns the lifecycle event of an identity. A job that has created a person as inactive, from the row of an
 * earlier contract, reports a joiner with the row of the current one.
 */
function lifecycleOf(
  { identity, before }: IdentityChange,
  jobId: string | undefined,
  formerlyActive: ReadonlySet<string>,
): EventType | undefined {
  const event = lifecycleEvent(before?.status, identity.status, formerlyActive.has(identity.id));
  // Ids are in the order of their creation.
  const isCreatedInJob = jobId !== undefined && identity.id > jobId;
  return event === 'lifecycle.rejoiner' && isCreatedInJob ? 'lifecycle.joiner' : event;
}

/** Returns which date changed the status of a user of the identity. Events leave out the date, which is personal data. */
function dateBehind(records: readonly RecordChange[], identityId: string): { reason?: string } {
  for (const { record, before } of records) {
    const { status, fields } = record;
    if (record.identityId !== identityId || record.kind !== 'user' || !before || before.status === status) continue;
    if (status === 'inactive' && fields.status?.[0] !== 'inactive') return { reason: 'termination_date' };
    const isByStart = status === 'pending' || (status === 'active' && before.status === 'pending');
    if (isByStart && fields.hire_date) return { reason: 'hire_date' };
  }
  return {};
}

interface RecordedEvent {
  type: EventType;
  changes?: FieldChange[];
  more?: object;
}

const references = new Set<string>(machineReferences);
const movingFields = new Set(['departments', 'job_title', 'attributes.department', 'attributes.manager']);

function recordEvents({ record, before, formerId = before?.externalId }: RecordChange): RecordedEvent[] {
  const source = encodeId('connector', record.connectorId);
  const people = personChanges({ record, before }, source);
  const values = diffFields(before?.fields ?? {}, record.fields, source).filter(
    ({ field }) => field !== 'status' && !references.has(field),
  );
  const moves = before !== undefined && record.identityId !== before.identityId;
  if (formerId !== undefined && formerId !== record.externalId)
    values.unshift({ field: 'external_id', from: formerId, to: record.externalId, source });
  if (
    before &&
    record.kind === 'account' &&
    before.connectorId !== record.connectorId &&
    !record.fields.source_system_id
  )
    values.push({ field: 'source_system_id', from: encodeId('connector', before.connectorId), to: source, source });
  values.push(...people.filter(({ field }) => !moves || field !== 'owned_by'));
  const events: RecordedEvent[] = [];
  if (!before) events.push({ type: `${record.kind}.created`, changes: values });
  else if (values.length > 0) events.push({ type: `${record.kind}.updated`, changes: values });
  if (before && before.status !== record.status) {
    const changes = [{ field: 'status', from: before.status, to: record.status, source }];
    events.push({ type: statusEvent(record.kind, record.status), changes });
  }
  if (record.identityId !== before?.identityId) {
    const changes: FieldChange[] = [
      {
        field: record.kind === 'account' ? 'person_id' : 'identity_id',
        from: before?.identityId && encodeId('identity', before.identityId),
        to: record.identityId && encodeId('identity', record.identityId),
        source,
      },
    ];
    if (record.kind === 'account') {
      if (record.identityId) events.push({ type: 'account.linked', changes, more: describeEvidence({ record }) });
      else events.push({ type: 'account.unlinked', changes });
    } else if (before && record.kind === 'machine_identity') {
      changes.push(...people.filter(({ field }) => field === 'owned_by'));
      const more = record.machine?.handedOver ? { handed_over: true } : {};
      events.push({ type: 'machine_identity.owner_changed', changes, more });
    }
  }
  if (before?.machine && record.machine && before.machine.risk.score !== record.machine.risk.score) {
    const [from, to] = [before, record].map(({ machine }) => String(machine?.risk.score));
    const more = { risk_factors: record.machine.risk.factors };
    events.push({ type: 'machine_identity.risk_changed', changes: [{ field: 'risk_score', from, to }], more });
  }
  if (before && record.kind === 'user') {
    // A manager who is found later, or the first value of a newly mapped field, is no move.
    const earlier = before.fields.manager_id?.[0];
    const hasNewManager = earlier !== undefined && earlier !== record.fields.manager_id?.[0];
    const mover = values.filter(({ field }) => movingFields.has(field) || (field === 'manager_id' && hasNewManager));
    if (mover.length > 0) events.push({ type: 'lifecycle.mover', changes: mover });
  }
  return events;
}

/**
 * Returns the changes of the people that a machine or a user shows, such as a name that is now resolved to an identity.
 */
function personChanges({ record, before }: RecordChange, source: string): FieldChange[] {
  return machineReferences.flatMap((field) => {
    const from = before && personShown(before, field);
    const to = personShown(record, field);
    return from === to ? [] : [{ field, from, to, source }];
  });
}

function statusEvent(kind: RecordChange['record']['kind'], status: string): EventType {
  if (kind === 'user') return status === 'deleted' ? 'user.deleted' : 'user.status_changed';
  if (kind === 'account') {
    if (status === 'deleted') return 'account.deleted';
    return status === 'disabled' ? 'account.disabled' : 'account.updated';
  }
  if (status === 'orphaned') return 'machine_identity.orphaned';
  return status === 'decommissioned' ? 'machine_identity.decommissioned' : 'machine_identity.updated';
}

function identityEvents({ identity, before }: IdentityChange, members: readonly FieldChange[]): RecordedEvent[] {
  if (!before) return [{ type: 'identity.created' }];
  const events: RecordedEvent[] = [];
  const changes = [...diffWinners(before.document, identity.document), ...members];
  if (changes.length > 0) events.push({ type: 'identity.updated', changes });
  const status = statusChange({ identity, before });
  const type = identity.status === 'deleted' ? 'identity.deleted' : 'identity.status_changed';
  return status ? [...events, { type, changes: status }] : events;
}

function statusChange({ identity, before }: IdentityChange): FieldChange[] | undefined {
  if (!before || before.status === identity.status) return undefined;
  return [{ field: 'status', from: before.status, to: identity.status }];
}

function diffWinners(before: string, after: string): FieldChange[] {
  const old = shownValues(before);
  const now = shownValues(after);
  return [...new Set([...old.keys(), ...now.keys()])].sort().flatMap((field) => {
    const from = old.get(field);
    const to = now.get(field);
    if (from?.value === to?.value) return [];
    return [{ field, from: from?.value, to: to?.value, source: to?.source ?? from?.source }];
  });
}

function shownValues(document: string): Map<string, { value: string; source?: string }> {
  const parsed = JSON.parse(document) as { display_name?: string; attributes: Attribute[] };
  const shown = new Map<string, { value: string; source?: string }>();
  for (const [field, winner] of winners(parsed.attributes)) {
    shown.set(field, { value: winner.field_value, source: winner.source_id });
  }
  // First and last names that precede are shown in place of the display name of a source.
  const { display_name: value } = parsed;
  if (value !== undefined && shown.get('display_name')?.value !== value) shown.set('display_name', { value });
  return shown;
}
