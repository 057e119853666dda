import { z } from 'zod';
import { safeguard } from '../connector-config.js';
import { connectorHealths } from '../connector-health.js';
import { machineReferences, riskFactors } from '../machines.js';
import { caseStatuses, operationStatuses } from '../operations.js';
import { probeKinds, probeResult, probeStatuses } from '../probes.js';
import { schedule } from '../schedule.js';
import { recordOutcomes } from '../statuses.js';
import { dateTime, pageFields, syncStatusFields, text } from './resources.js';

export const tenant = z.strictObject({ id: text, name: text, created_at: dateTime });
const apiKeyFields = {
  id: text,
  name: text,
  scopes: z.array(text),
  created_at: dateTime,
  expires_at: dateTime.optional(),
  last_used_at: dateTime.optional(),
  revoked_at: dateTime.optional(),
};
const apiKey = z.strictObject(apiKeyFields);
const connectorToken = apiKey.omit({ scopes: true });
export const createdConnectorToken = connectorToken.extend({
  token: text.describe('Shown here and never again.'),
  path: text.describe('Of the SCIM service that it opens.'),
});
export const createdApiKey = z.strictObject({ ...apiKeyFields, key: text.describe('Shown here and never again.') });
const lastRun = z
  .strictObject({
    job_id: text,
    status: text,
    mode: text.describe('full | changes'),
    started_at: dateTime.optional(),
    completed_at: dateTime,
    error_message: text.optional(),
    records_read: z.int(),
    records_failed: z.int(),
    records_deleted: z.int(),
  })
  .describe('The last job that ended and was no dry run.');
export const connector = z.strictObject({
  id: text,
  tenant_id: text,
  type: text,
  name: text,
  priority: z.int(),
  records: text,
  config: z.record(text, z.unknown()),
  secrets: z.array(text).describe('The names of the secrets that are set.'),
  safeguard,
  health: z
    .enum(connectorHealths)
    .describe(
      'failing: its last job failed | suspended: three in a row did, and its schedule looks at it more and more seldom',
    ),
  failures: z.int().describe('Jobs in a row that failed.'),
  schedule: schedule.optional(),
  next_run_at: dateTime.optional().describe('When its schedule makes the next job.'),
  skipped: z
    .strictObject({ at: dateTime, reason: text })
    .optional()
    .describe('The last time its schedule made no job although one was due.'),
  checkpoint_at: dateTime.optional().describe('The next run of changes reads what has changed since then.'),
  last_run: lastRun.optional(),
  created_at: dateTime,
  updated_at: dateTime,
});
export const connectorProbe = z.strictObject({
  probe_id: text,
  connector_id: text,
  kind: z.enum(probeKinds),
  status: z.enum(probeStatuses),
  created_at: dateTime,
  ended_at: dateTime.optional(),
  ...probeResult.shape,
});
const decision = z.strictObject({
  action: text.describe('released | cancelled'),
  reason: text.optional(),
  by: text.optional(),
  at: dateTime,
});
const operatorJobFields = {
  ...syncStatusFields,
  connector_id: text,
  created_at: dateTime,
  records_read: z.int(),
  records_applied: z.int(),
  records_failed: z.int(),
  records_deleted: z.int().describe('Records that the source no longer listed.'),
  dry_run: z.boolean(),
  scheduled_for: dateTime.optional().describe('When it was due, if the schedule made it.'),
  last_record_at: dateTime.optional().describe('When its source last gave a page.'),
  stalled: z.boolean().describe('A worker has waited for the source alone for five minutes; after ten it gives up.'),
  mode: text.describe('What it reads: full | changes | record; auto until that is settled.'),
  external_id: text.optional().describe('Of the record, if it reads one alone.'),
  outcome: text
    .optional()
    .describe(
      `What came of that record: ${recordOutcomes.join(' | ')} (absent: not in its source, and nothing to delete).`,
    ),
  record_id: text.optional().describe('That record as the directory has it; without one it was never known.'),
  identity_id: text.optional().describe('The identity of that record.'),
  note: text.optional().describe('Why nothing was deleted, what was held back, or why everything was read.'),
  decision: decision
    .extend({ after: decision.optional().describe('What was decided before.') })
    .optional()
    .describe('What an operator decided, for this run only.'),
};
const operatorJob = z.strictObject(operatorJobFields);
export const operatorJobWithErrors = z.strictObject({
  ...operatorJobFields,
  errors: z.array(z.strictObject({ line: z.int().optional(), external_id: text.optional(), message: text })),
});
export const syncPlan = z.strictObject({
  job_id: text,
  status: text.describe('Of the job.'),
  dry_run: z.boolean(),
  state: text.describe('open: still being made | held: waits for an operator | ready | done'),
  known: z.int().optional().describe('Living records of the connector before the job.'),
  note: text.optional(),
  counts: z.strictObject({ create: z.int(), update: z.int(), disable: z.int(), delete: z.int() }),
  data: z.array(
    z.strictObject({
      action: text.describe('create | update | disable | delete'),
      record: z.strictObject({ id: text.optional(), kind: text, external_id: text }),
      identity_id: text
        .optional()
        .describe('The identity it belongs to or would join; absent if it would be a new one.'),
      changes: z.array(z.record(text, z.unknown())),
      done: z.boolean(),
    }),
  ),
  ...pageFields,
});
export const failingRecordPage = z.strictObject({
  data: z.array(
    z.strictObject({
      external_id: text.optional(),
      line: z.int().optional(),
      message: text,
      first_failed_at: dateTime,
      last_failed_at: dateTime,
      job_id: text.describe('The last in which it failed.'),
    }),
  ),
  ...pageFields,
});
export const tenantPage = z.strictObject({ data: z.array(tenant), ...pageFields });
export const connectorTokenPage = z.strictObject({ data: z.array(connectorToken), ...pageFields });
export const apiKeyPage = z.strictObject({ data: z.array(apiKey), ...pageFields });
export const connectorPage = z.strictObject({ data: z.array(connector), ...pageFields });
export const operatorJobPage = z.strictObject({ data: z.array(operatorJob), ...pageFields });

export const operation = z.strictObject({
  operation_id: text,
  type: text,
  status: text.describe(operationStatuses.join(' | ')),
  created_at: dateTime,
  ended_at: dateTime.optional(),
  reason: text.optional(),
  result: z.record(text, z.unknown()).optional().describe('What it did, or the error for which it was refused.'),
  reverted_by: text.optional().describe('The operation that took it back.'),
  preview: z.literal(true).optional().describe('It only told what it would do.'),
});
export const operationPage = z.strictObject({ data: z.array(operation), ...pageFields });
export const reviewCase = z.strictObject({
  id: text,
  status: text.describe(caseStatuses.join(' | ')),
  kind: text.describe('contested: a certain key fits several people | weak: only a likeness'),
  reason: text,
  opened_at: dateTime,
  closed_at: dateTime.optional(),
  operation_id: text.optional(),
  record: z.strictObject({
    id: text,
    kind: text,
    connector_id: text,
    external_id: text,
    identity_id: text.optional(),
    document: z.record(text, z.unknown()),
  }),
  candidates: z.array(
    z.strictObject({
      identity_id: text,
      display_name: text.optional(),
      score: z.number(),
      evidence: z.array(text),
    }),
  ),
});
export const reviewCasePage = z.strictObject({ data: z.array(reviewCase), ...pageFields });

export const machineIdentityDetails = z.strictObject({
  id: text,
  identity_id: text.optional().describe('The identity it stands under.'),
  connector_id: text,
  external_id: text,
  status: text.describe('active | disabled | orphaned | decommissioned'),
  classification: text.optional(),
  handed_over: z.boolean().describe('Whether the technical inheritor stands in for an owner who left.'),
  people: z.array(
    z.strictObject({
      role: z.enum(machineReferences),
      named: text.optional().describe('What its source wrote.'),
      identity_id: text.optional().describe('Who that is.'),
    }),
  ),
  risk_score: z.int().min(0).max(100),
  risk_factors: z.array(z.strictObject({ factor: z.enum(riskFactors), points: z.int() })),
  next_review_at: dateTime.optional().describe('When time alone may add a factor.'),
});

const candidate = z.strictObject({
  value: text,
  connector_id: text,
  connector: text.optional().describe('The name of the connector.'),
  priority: z.int(),
  updated_at: dateTime,
});
export const explanation = z.strictObject({
  identity_id: text,
  display_name: text.optional(),
  fields: z.array(
    z.strictObject({ field: text, winner: candidate, over: z.array(candidate), because: text.describe('In words.') }),
  ),
  records: z.array(
    z.strictObject({
      id: text,
      kind: text,
      connector_id: text,
      external_id: text,
      status: text,
      linked: text.describe('keys: by what it says | operator: somebody placed it'),
      by: text.optional().describe('The job or operation that linked it.'),
    }),
  ),
});
