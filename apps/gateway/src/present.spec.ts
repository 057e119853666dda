import { encodeId, newUuid } from '@idsync/contracts';
import type {
  ApiKeyRow,
  CaseRow,
  ConnectorRow,
  FailingRecordRow,
  JobPlan,
  JobRow,
  LastRun,
  MachineRow,
  OperationRow,
  PlanEntryRow,
  WebhookRow,
} from '@idsync/database/gateway';
import { describe, expect, it } from '@jest/globals';
import { presentApiKey, presentConnectorToken } from './access/present-api-key.js';
import { presentConnector, presentFailingRecord } from './connectors/present-connector.js';
import { presentEvent, presentMachine } from './identities/present-record.js';
import { presentJob, presentOperatorJob, presentPlan } from './jobs/present-job.js';
import { presentOperation } from './operations/present-operation.js';
import { presentCase } from './review/present-case.js';
import { presentTenant } from './tenants/present-tenant.js';
import { presentWebhook } from './webhooks/present-webhook.js';

const at = new Date('2026-01-01T00:00:00Z');
const time = '2026-01-01T00:00:00.000Z';
const [id, other, tenantId] = [newUuid(), newUuid(), newUuid()];
/** The response as the client receives it, without undefined values. */
const sent = (response: object): unknown => JSON.parse(JSON.stringify(response));

describe('a tenant, an event and a webhook', () => {
  it('are shown with public ids and times in UTC', () => {
    expect(sent(presentTenant({ id, name: 'T', createdAt: at, suspendedAt: null, deletionRequestedAt: null }))).toEqual(
      {
        id: encodeId('tenant', id),
        name: 'T',
        created_at: time,
      },
    );
    const event = { id, sequence: 1, type: 'user.created', occurredAt: at, details: { a: 1 } };
    expect(sent(presentEvent(event))).toEqual({
      id: encodeId('event', id),
      event_type: 'user.created',
      occurred_at: time,
      details: { a: 1 },
    });
  });

  it('omit why a webhook was disabled while it is not', () => {
    const settings = { filter: null, payload: 'full' as const, headerNames: [] as string[] };
    const row: WebhookRow = {
      id,
      callbackUrl: 'https://x.org',
      events: ['*'],
      active: true,
      createdAt: at,
      ...settings,
    };
    const shown = { id: encodeId('webhook', id), callback_url: 'https://x.org', events: ['*'], created_at: time };
    expect(sent(presentWebhook({ ...row, disabledAt: null, disabledReason: null }))).toEqual({
      ...shown,
      active: true,
    });
    expect(sent(presentWebhook({ ...row, active: false, disabledAt: at, disabledReason: 'gone' }))).toEqual({
      ...shown,
      active: false,
      disabled_at: time,
      disabled_reason: 'gone',
    });
  });
});

describe('an API key', () => {
  const row = { id, name: 'k', scopes: ['users:read'], createdAt: at } as ApiKeyRow;
  const unused = { ...row, expiresAt: null, lastUsedAt: null, revokedAt: null };

  it('omits its expiry, last use and revocation while there are none', () => {
    const shown = { id: encodeId('apiKey', id), name: 'k', scopes: ['users:read'], created_at: time };
    expect(sent(presentApiKey(unused))).toEqual(shown);
    expect(sent(presentApiKey({ ...unused, expiresAt: at, lastUsedAt: at, revokedAt: at }))).toEqual({
      ...shown,
      expires_at: time,
      last_used_at: time,
      revoked_at: time,
    });
  });

  it('is shown without scopes as a token of a connector', () => {
    expect(sent(presentConnectorToken(unused))).not.toHaveProperty('scopes');
  });
});

describe('a connector', () => {
  const row = {
    id,
    tenantId,
    type: 'csv',
    name: 'HR',
    priority: 1,
    records: 'user',
    config: { path: 'a.csv' },
    secrets: ['password'],
    failures: 0,
    schedule: null,
    nextRunAt: null,
    skippedAt: null,
    skippedBecause: null,
    checkpointAt: null,
    completeAsOf: null,
    lastRun: null,
    createdAt: at,
    updatedAt: at,
  } as unknown as ConnectorRow;
  const connector = (parts: Partial<ConnectorRow> = {}) => sent(presentConnector({ ...row, ...parts }));
  const run: LastRun = {
    id: other,
    status: 'failed',
    mode: 'full',
    startedAt: null,
    completedAt: '2026-01-01 00:00:00+00',
    errorMessage: null,
    errorCode: null,
    sourceMessage: null,
    recordsRead: 3,
    recordsFailed: 2,
    recordsDeleted: 1,
  };

  it('omits its schedule and its runs while there are none', () => {
    const shown = connector();
    expect(shown).toMatchObject({ id: encodeId('connector', id), secrets: ['password'], health: 'ok' });
    for (const name of ['schedule', 'next_run_at', 'skipped', 'checkpoint_at', 'complete_as_of', 'last_run']) {
      expect(shown).not.toHaveProperty(name);
    }
  });

  it.each([
    [0, 'ok'],
    [2, 'failing'],
    [3, 'suspended'],
  ])('after %d failed jobs is %s', (failures, health) => {
    expect(connector({ failures })).toMatchObject({ failures, health });
  });

  it('is quarantined while a job waits for a decision', () => {
    expect(connector({ quarantined: true, failures: 2 })).toMatchObject({ health: 'quarantined', failures: 2 });
  });

  it('shows its last run and why a run was skipped', () => {
    expect(connector({ lastRun: run, skippedAt: at, skippedBecause: 'running' })).toMatchObject({
      last_run: { job_id: encodeId('job', other), status: 'failed', completed_at: time, records_failed: 2 },
      skipped: { at: time, reason: 'running' },
    });
    expect(connector({ lastRun: { ...run, startedAt: time, errorMessage: 'no' } })).toMatchObject({
      last_run: { started_at: time, error_message: 'no' },
    });
  });

  it('shows a failing record without a line and an id if the source gave none', () => {
    const failing = {
      message: 'no id',
      firstFailedAt: at,
      lastFailedAt: at,
      jobId: other,
      retries: 0,
    } as FailingRecordRow;
    const unknown = { externalId: null, line: null, sourceMessage: null, field: null };
    const shown = {
      message: 'no id',
      first_failed_at: time,
      last_failed_at: time,
      job_id: encodeId('job', other),
      retries: 0,
    };
    expect(sent(presentFailingRecord({ ...failing, ...unknown }))).toEqual(shown);
    const known = { externalId: 'e', line: 0, sourceMessage: 's', field: 'hire_date' };
    expect(sent(presentFailingRecord({ ...failing, ...known }))).toEqual({
      ...shown,
      external_id: 'e',
      line: 0,
      field: 'hire_date',
      source_message: 's',
    });
  });
});

const job = {
  id,
  connectorId: other,
  status: 'completed',
  progressPct: 100,
  createdAt: at,
  startedAt: at,
  completedAt: at,
  errorMessage: null,
  errorCode: null,
  sourceMessage: null,
  batchesProcessed: 2,
  batchesTotal: 2,
  recordsRead: 4,
  recordsApplied: 3,
  recordsFailed: 1,
  recordsDeleted: 0,
  dryRun: false,
  mode: 'full',
  scheduledFor: null,
  lastRecordAt: null,
  note: null,
  whyFull: null,
  externalId: null,
  outcome: null,
  decision: null,
  stalled: false,
  waitsFor: null,
  record: null,
} as JobRow;

describe('a sync job', () => {
  const status = (parts: Partial<JobRow>) => sent(presentJob({ ...job, ...parts }));

  it('omits what is not known yet', () => {
    const queued = { status: 'queued', progressPct: 0, startedAt: null, completedAt: null } as const;
    expect(status({ ...queued, batchesProcessed: 0, batchesTotal: null })).toEqual({
      job_id: encodeId('job', id),
      status: 'queued',
      progress_pct: 0,
      batches_processed: 0,
    });
  });

  it('has no total of batches after a failure, but after an end with errors', () => {
    expect(status({})).toMatchObject({ batches_total: 2 });
    expect(status({ status: 'failed', errorMessage: 'no' })).not.toHaveProperty('batches_total');
    expect(status({ status: 'completed_with_errors', errorMessage: 'no' })).toMatchObject({ batches_total: 2 });
    expect(status({ batchesTotal: 0 })).toMatchObject({ batches_total: 0 });
  });

  it('shows its note as the error only while it is quarantined, and an error first', () => {
    expect(status({ status: 'quarantined', note: 'too many' })).toMatchObject({ error_message: 'too many' });
    expect(status({ status: 'quarantined', note: 'too many', errorMessage: 'no' })).toMatchObject({
      error_message: 'no',
    });
    expect(status({ note: 'too many' })).not.toHaveProperty('error_message');
  });

  it('shows the message of the source, and why it read everything, to operators only', () => {
    const parts = { sourceMessage: 'secret', whyFull: 'no checkpoint', note: 'a note' };
    expect(JSON.stringify(status(parts))).not.toMatch(/secret|checkpoint|a note/);
    expect(sent(presentOperatorJob({ ...job, ...parts }))).toMatchObject({
      source_message: 'secret',
      note: 'no checkpoint; a note',
      connector_id: encodeId('connector', other),
    });
    expect(sent(presentOperatorJob(job))).not.toHaveProperty('note');
  });

  it('names the job that it waits for', () => {
    expect(sent(presentOperatorJob(job))).not.toHaveProperty('waits_for');
    const waitsFor = { id: other, status: 'quarantined' } as const;
    expect(sent(presentOperatorJob({ ...job, status: 'queued', waitsFor }))).toMatchObject({
      waits_for: { job_id: encodeId('job', other), status: 'quarantined' },
    });
  });

  it('of one record names the record and its identity', () => {
    const record = { id: other, kind: 'account', identityId: id } as const;
    expect(sent(presentOperatorJob({ ...job, record }))).toMatchObject({
      record_id: encodeId('account', other),
      identity_id: encodeId('identity', id),
    });
    expect(sent(presentOperatorJob({ ...job, record: { ...record, identityId: null } }))).not.toHaveProperty(
      'identity_id',
    );
  });
});

describe('the plan of a job', () => {
  const basedOn = new Date();
  const entry = {
    action: 'delete',
    recordId: other,
    kind: 'user',
    externalId: 'e',
    identityId: id,
    basedOn,
    done: false,
  };
  const entries = [
    { ...entry, changes: [] },
    { ...entry, action: 'create', identityId: null, basedOn: null, changes: [] },
  ] as PlanEntryRow[];

  it('counts every action, and omits the id of a record that it will create', () => {
    expect(sent(presentPlan(job, { counts: { delete: 1, create: 1 }, entries, examples: [] }))).toMatchObject({
      job_id: encodeId('job', id),
      state: 'open',
      reasons: [],
      counts: { create: 1, update: 0, disable: 0, delete: 1 },
      data: [
        {
          action: 'delete',
          record: { id: encodeId('user', other), kind: 'user', external_id: 'e' },
          identity_id: encodeId('identity', id),
        },
        { action: 'create', record: { kind: 'user', external_id: 'e' } },
      ],
    });
    const [, created] = presentPlan(job, { counts: {}, entries, examples: [] }).data;
    expect([created?.record.id, created?.identity_id]).toEqual([undefined, undefined]);
  });
});

describe('the plan of a quarantined job', () => {
  it('shows examples for each reason', () => {
    const reason = { rule: 'created', count: 30, of: 100, text: 'create 30 records beside 100' };
    const plan = { state: 'held', known: 100, note: 'quarantined', reasons: [reason] } as unknown as JobPlan['plan'];
    const shown = presentPlan(job, { plan, counts: { create: 30 }, entries: [], examples: [['e1', 'e2']] });
    expect(sent(shown)).toMatchObject({ state: 'held', reasons: [{ ...reason, examples: ['e1', 'e2'] }] });
    const cancelled = presentPlan({ ...job, status: 'cancelled' }, { plan, counts: {}, entries: [], examples: [] });
    expect(cancelled.state).toBe('cancelled');
  });
});

describe('an operation', () => {
  const row = {
    id,
    tenantId,
    type: 'identity.split',
    input: {},
    status: 'queued',
    createdAt: at,
    endedAt: null,
    result: null,
    revertedBy: null,
    announcedAt: at,
  } as OperationRow;

  it('omits its result until it has ended', () => {
    expect(sent(presentOperation(row))).toEqual({
      operation_id: encodeId('operation', id),
      type: 'identity.split',
      status: 'queued',
      created_at: time,
    });
  });

  it('shows its result with public ids, its reason, and the operation that reverted it', () => {
    const result = { identity_id: id, new_identity_id: other };
    const input = { reason: 'two people', preview: false };
    expect(sent(presentOperation({ ...row, status: 'done', endedAt: at, result, input, revertedBy: other }))).toEqual({
      operation_id: encodeId('operation', id),
      type: 'identity.split',
      status: 'done',
      created_at: time,
      ended_at: time,
      reason: 'two people',
      result: { identity_id: encodeId('identity', id), new_identity_id: encodeId('identity', other) },
      reverted_by: encodeId('operation', other),
    });
    expect(presentOperation({ ...row, input: { preview: true } }).preview).toBe(true);
  });
});

describe('a review case', () => {
  const row: CaseRow = {
    id,
    status: 'open',
    kind: 'weak',
    reason: 'same name',
    recordId: other,
    recordKind: 'account',
    connectorId: tenantId,
    externalId: 'e',
    document: '{"identifier":"ann"}',
    identityId: null,
    candidates: [{ identity_id: id, display_name: null, score: 1, evidence: ['full_name is the same'] }],
    openedAt: at,
    closedAt: null,
    operationId: null,
  };

  it('shows its record and candidates with public ids, without unknown names', () => {
    expect(sent(presentCase(row))).toEqual({
      id: encodeId('case', id),
      status: 'open',
      kind: 'weak',
      reason: 'same name',
      opened_at: time,
      record: {
        id: encodeId('account', other),
        kind: 'account',
        connector_id: encodeId('connector', tenantId),
        external_id: 'e',
        document: { identifier: 'ann' },
      },
      candidates: [{ identity_id: encodeId('identity', id), score: 1, evidence: ['full_name is the same'] }],
    });
  });

  it('shows when and by which operation it was closed', () => {
    expect(sent(presentCase({ ...row, closedAt: at, operationId: other, identityId: id }))).toMatchObject({
      closed_at: time,
      operation_id: encodeId('operation', other),
      record: { identity_id: encodeId('identity', id) },
    });
  });
});

describe('the details of a machine', () => {
  const row = {
    id,
    connectorId: other,
    externalId: 'm',
    identityId: null,
    status: 'active',
    fields: { classification: ['bot'], owned_by: ['ann'] },
    dueAt: at,
    createdAt: at,
    updatedAt: at,
    machine: null,
    references: [],
  } as unknown as MachineRow;

  it('list every role, with the text of the source and the identity that it means', () => {
    const references = [{ role: 'owned_by', identityId: other }] as MachineRow['references'];
    expect(sent(presentMachine({ ...row, references }, new Map([[other, 'Ann Lee']])))).toMatchObject({
      display_name: 'm',
      classification: 'bot',
      values: row.fields,
      handed_over: false,
      people: [
        { role: 'owned_by', named: 'ann', identity_id: encodeId('identity', other), name: 'Ann Lee' },
        { role: 'manager_id' },
        { role: 'technical_inheritor' },
      ],
      risk_score: 0,
      risk_factors: [],
      next_review_at: time,
    });
  });

  it('contain the risk, and no next review once it is decommissioned', () => {
    const factors = [{ factor: 'shared', points: 10 } as const];
    const machine = { people: {}, handedOver: true, risk: { score: 10, factors } };
    const shown = sent(presentMachine({ ...row, machine, status: 'decommissioned' }, new Map()));
    expect(shown).toMatchObject({ handed_over: true, risk_score: 10, risk_factors: factors });
    expect(shown).not.toHaveProperty('next_review_at');
  });
});
