import { z } from 'zod';
import { safeguard } from '../connector-config.js';
import { connectorHealths } from '../connector-health.js';
import { caseStatuses, recordOutcomes } from '../fixed-values.js';
import { machineReferences, riskFactors } from '../machines.js';
import { operationStatuses } from '../operations.js';
import { probeKinds, probeResult, probeStatuses } from '../probes.js';
import { shownQuarantineReason } from '../quarantine-reason.js';
import { schedule } from '../schedule.js';
import { sourceErrorCode, sourceMessage } from '../source-errors.js';
import {
  dateTime,
  machineIdentity,
  machineIdentityPage,
  oneOf,
  pageFields,
  syncStatusFields,
  text,
} from './resources.js';

export const tenant = z.strictObject({
  id: text,
  name: text,
  created_at: dateTime,
  suspended_at: dateTime.optional(),
  deletion_requested_at: dateTime.optional().describe('Its rows are being deleted; afterwards the tenant answers 404.'),
});
export const tenantExport = text.describe(
  'One JSON object per line with its `kind`. The last line has the kind `end` and the number of lines of each kind; without it the export is incomplete. Some lines have a `position`, with which `after` continues an export that was cut; its first line then has the kind `continued` and the moment of what follows.',
);
export const tenantDeletion = z.strictObject({
  tenant_id: text,
  name: text,
  requested_at: dateTime.optional().describe('Absent before a deletion is requested.'),
  rows_deleted: z.int(),
  table: text.optional().describe('The table that is being emptied.'),
  contents: z
    .strictObject({
      connectors: z.int(),
      identities: z.int(),
      users: z.int(),
      sync_jobs: z.int(),
      events: z.int(),
      webhooks: z.int(),
      api_keys: z.int(),
    })
    .describe('Present contents of the tenant, which a deletion removes. `events` is the number of the last event.'),
});
const apiKeyFields = {
  id: text,
  name: text,
  scopes: z.array(text),
  created_at: dateTime,
  expires_at: dateTime.optional(),
  last_used_at: dateTime.optional(),
  revoked_at: dateTime.optional(),
  allowed_networks: z.array(text).optional().describe('Absent: the key may be used from any address.'),
};
export const apiKey = z.strictObject(apiKeyFields);
const connectorToken = apiKey.omit({ scopes: true, allowed_networks: true });
export const createdConnectorToken = connectorToken.extend({
  token: text.describe('Returned only once.'),
  path: text.describe('Path of the SCIM service for this token.'),
});
export const createdApiKey = z.strictObject({ ...apiKeyFields, key: text.describe('Returned only once.') });
const lastRun = z
  .strictObject({
    job_id: text,
    status: text,
    mode: text.describe('full | changes'),
    started_at: dateTime.optional(),
    completed_at: dateTime,
    error_message: text.optional(),
    error_code: sourceErrorCode.optional(),
    source_message: sourceMessage.optional(),
    records_read: z.int(),
    records_failed: z.int(),
    records_deleted: z.int(),
  })
  .describe('The last job that ended and was not a dry run.');
export const connector = z.strictObject({
  id: text,
  tenant_id: text,
  type: text,
  name: text,
  priority: z.int(),
  records: text,
  config: z.record(text, z.unknown()),
  secrets: z.array(text).describe('Names of the configured secrets.'),
  safeguard,
  health: z
    .enum(connectorHealths)
    .describe(
      'quarantined: a job waits for a decision | failing: the last job failed | suspended: at least three jobs in a row failed, and the schedule backs off',
    ),
  failures: z.int().describe('Number of consecutive failed jobs.'),
  schedule: schedule.optional(),
  next_run_at: dateTime.optional().describe('When the schedule creates the next job.'),
  skipped: z
    .strictObject({ at: dateTime, reason: text })
    .optional()
    .describe('The last time that the schedule skipped a due job.'),
  checkpoint_at: dateTime.optional().describe('The next incremental run reads changes since this time.'),
  complete_as_of: dateTime
    .optional()
    .describe(
      'Start of the last run that read the whole source. Absent: no run has. Later deletions may be unnoticed.',
    ),
  last_run: lastRun.optional(),
  created_at: dateTime,
  updated_at: dateTime,
});
export const suppression = z.strictObject({
  id: text,
  identity_id: text.describe('The erased identity.'),
  operation_id: text.describe('The erasure.'),
  created_at: dateTime,
});
export const suppressionPage = z.strictObject({ data: z.array(suppression), ...pageFields });
export const connectorDeletion = z.strictObject({
  connector_id: text,
  live_records: z.int().describe('Records that are not deleted; at most 10000 are counted.'),
});
export const deletedConnector = z.strictObject({
  id: text,
  tenant_id: text,
  type: text,
  name: text,
  records: text,
  live_records: z.int().describe('Records that are not deleted; at most 10000 are counted.'),
  deleted_at: dateTime,
});
export const deletedConnectorPage = z.strictObject({ data: z.array(deletedConnector), ...pageFields });
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
  source_message: sourceMessage.optional(),
  connector_id: text,
  created_at: dateTime,
  records_read: z.int(),
  records_applied: z.int(),
  records_failed: z.int(),
  records_suppressed: z
    .int()
    .describe(
      'Records of erased people that the source listed again. They were left out, and are not among those read.',
    ),
  fields_left_out: z
    .int()
    .optional()
    .describe(
      'Values that could not be used, and rows whose id a later row has. Their records were applied; a field keeps its earlier value.',
    ),
  records_deleted: z.int().describe('Deleted records, which the source no longer listed or reported as deleted.'),
  dry_run: z.boolean(),
  retires: z.literal(true).optional().describe('The job deletes the records of a deleted connector.'),
  scheduled_for: dateTime.optional().describe('Due time, if the schedule created the job.'),
  last_record_at: dateTime.optional().describe('When the source last returned a page.'),
  stalled: z.boolean().describe('The worker has waited for the source for five minutes; it times out after ten.'),
  waits_for: z
    .strictObject({ job_id: text, status: text })
    .optional()
    .describe('Job of the same connector that this queued or released job waits for.'),
  mode: text.describe('Reading mode: full | changes | record; auto until this is decided.'),
  external_id: text.optional().describe('External id of the record, if the job reads a single one.'),
  outcome: oneOf(
    recordOutcomes,
    `Result of that record: ${recordOutcomes.join(' | ')} (absent: not in the source, and nothing to delete).`,
  ).optional(),
  record_id: text.optional().describe('Id of that record in the directory; absent if it was never stored.'),
  identity_id: text.optional().describe('The identity of that record.'),
  note: text.optional().describe('Why nothing was deleted, what was quarantined, or why the run was a full one.'),
  decision: decision
    .extend({ after: decision.optional().describe('The previous decision.') })
    .optional()
    .describe("An operator's decision, for this run only."),
};
const operatorJob = z.strictObject(operatorJobFields);
export const operatorJobWithErrors = z.strictObject({
  ...operatorJobFields,
  errors: z.array(
    z.strictObject({
      line: z.int().optional(),
      external_id: text.optional(),
      field: text
        .optional()
        .describe(
          'The field that was left out; absent if the whole record was. `external_id`: a later row has the id.',
        ),
      message: text,
      source_message: sourceMessage.optional(),
    }),
  ),
});
export const syncPlan = z.strictObject({
  job_id: text,
  status: text.describe('Status of the job.'),
  dry_run: z.boolean(),
  state: text.describe('open: in preparation | held: quarantined | cancelled | ready | done'),
  known: z.int().optional().describe('Live records of the connector before the job.'),
  note: text.optional(),
  reasons: z
    .array(shownQuarantineReason)
    .describe('Why the safeguard stopped the job, or would stop a job like the dry run.'),
  counts: z.strictObject({ create: z.int(), update: z.int(), disable: z.int(), delete: z.int() }),
  data: z.array(
    z.strictObject({
      action: text.describe('create | update | disable | delete'),
      record: z.strictObject({ id: text.optional(), kind: text, external_id: text }),
      identity_id: text
        .optional()
        .describe('The identity that it belongs to or would be linked to; absent for a new identity.'),
      display_name: text.optional().describe('Name of this identity.'),
      changes: z.array(z.record(text, z.unknown())),
      done: z.boolean(),
    }),
  ),
  ...pageFields,
});
const failingRecord = z.strictObject({
  external_id: text.optional(),
  line: z.int().optional(),
  field: text
    .optional()
    .describe('The field whose value was left out, the last one of several; absent if the whole record was.'),
  message: text,
  source_message: sourceMessage.optional(),
  first_failed_at: dateTime,
  last_failed_at: dateTime,
  job_id: text.describe('The last job in which the record failed.'),
  retries: z.int().describe('How often incremental runs have read it again. Full runs always read it.'),
  retry_at: dateTime.optional().describe('Incremental runs from this time on read it again. Absent: the next one.'),
});
export const failingRecordPage = z.strictObject({ data: z.array(failingRecord), ...pageFields });
export const operationItemPage = z.strictObject({
  data: z.array(z.record(text, z.unknown())).describe('Items of the list, as in the result of the operation.'),
  ...pageFields,
});
export const tenantPage = z.strictObject({ data: z.array(tenant), ...pageFields });
export const connectorTokenPage = z.strictObject({ data: z.array(connectorToken), ...pageFields });
export const apiKeyPage = z.strictObject({ data: z.array(apiKey), ...pageFields });
export const changedConnector = connector.extend({
  operation_id: text.optional().describe('The operation that stores a changed rank.'),
});
export const connectorPage = z.strictObject({ data: z.array(connector), ...pageFields });
const boundedFields = {
  ...pageFields,
  total_is_estimate: z
    .literal(true)
    .optional()
    .describe('Present if there are more than the 10000 that `total` counts.'),
};
export const operatorJobPage = z.strictObject({ data: z.array(operatorJob), ...boundedFields });

export const operation = z.strictObject({
  operation_id: text,
  type: text,
  status: oneOf(operationStatuses),
  created_at: dateTime,
  ended_at: dateTime.optional(),
  reason: text.optional(),
  result: z
    .record(text, z.unknown())
    .optional()
    .describe(
      'Result of the operation with the people whose access it has changed (`access_changes`), the error for which it was refused, or whose access would change and why it is held.',
    ),
  progress: z
    .strictObject({ done: z.int(), total: z.int() })
    .optional()
    .describe('Number of records, while the operation changes the tenant in parts, or if it was cancelled.'),
  reverted_by: text.optional().describe('The operation that reverted this one.'),
  preview: z.literal(true).optional().describe('A preview, which changed nothing.'),
});
export const operationPage = z.strictObject({ data: z.array(operation), ...boundedFields });
export const reviewCase = z.strictObject({
  id: text,
  status: oneOf(caseStatuses),
  kind: text.describe('contested: a deterministic match key fits several people | weak: a fuzzy match'),
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
      compared: z
        .array(
          z.strictObject({
            field: text,
            value: text.optional().describe('Of the record; several are separated by commas.'),
            other: text.optional().describe('Of the candidate.'),
            agrees: z
              .boolean()
              .optional()
              .describe('Both have a common value, whatever its case; absent if one of them has no value.'),
          }),
        )
        .optional()
        .describe('The present values of both, in the response for one case.'),
    }),
  ),
});
export const reviewCasePage = z.strictObject({ data: z.array(reviewCase), ...boundedFields });

export const operatorMachineIdentity = machineIdentity.extend({
  owner_name: text.optional().describe('Name of the identity `owned_by`, if there is one with a name.'),
});
export const operatorMachineIdentityPage = machineIdentityPage.extend({ data: z.array(operatorMachineIdentity) });
export const machineIdentityDetails = z.strictObject({
  id: text,
  identity_id: text.optional().describe('The identity that it belongs to.'),
  connector_id: text,
  external_id: text,
  display_name: text,
  status: text.describe('active | disabled | orphaned | decommissioned'),
  classification: text.optional(),
  handed_over: z.boolean().describe('Whether the technical inheritor replaces an owner who left.'),
  people: z.array(
    z.strictObject({
      role: z.enum(machineReferences),
      named: text.optional().describe('Value from the source.'),
      identity_id: text.optional().describe('The identity found for the value.'),
      name: text.optional().describe('Name of this identity, if it has one.'),
    }),
  ),
  values: z.record(text, z.array(text)).describe('Values of the record in its source, by field.'),
  risk_score: z.int().min(0).max(100),
  risk_factors: z.array(z.strictObject({ factor: z.enum(riskFactors), points: z.int() })),
  next_review_at: dateTime.optional().describe('When a factor may be added without new data.'),
  created_at: dateTime,
  updated_at: dateTime,
});

export const accountDetails = z.strictObject({
  id: text,
  identity_id: text.optional().describe('The identity that it is linked to; absent if not matched.'),
  identity_name: text.optional().describe('Name of this identity, if it has one.'),
  connector_id: text,
  external_id: text,
  identifier: text,
  display_name: text.optional(),
  status: text.describe('active | disabled | locked | deleted'),
  values: z.record(text, z.array(text)).describe('Values of the record in its source, by field.'),
  created_at: dateTime,
  updated_at: dateTime.describe('When the source last changed the account.'),
});

const candidate = z.strictObject({
  value: text,
  connector_id: text,
  connector: text.optional().describe('Name of the connector.'),
  connector_deleted_at: dateTime.optional().describe('The connector was deleted: nothing updates this value.'),
  priority: z.int(),
  updated_at: dateTime,
});
const rejectedCandidate = candidate.extend({
  value: text.describe('Empty if the source has no value.'),
  because: text.optional().describe('Why it did not win.'),
});
const linkEvidence = z.strictObject({
  kind: text.describe('first: nothing to compare it with | keys: an equal match key | fuzzy: a fuzzy rule | operator'),
  actor: text.describe('matching | operator'),
  at: dateTime.describe('Time of the link.'),
  rule: text.optional().describe('The match key, or the name of the fuzzy rule.'),
  score: z.number().optional().describe('Of a fuzzy rule, from 0 to 1.'),
  values: z
    .array(z.strictObject({ field: text, value: text.optional(), other: text.optional() }))
    .optional()
    .describe('Values at the time of the link: of the record and of the other one.'),
  record_id: text.optional().describe('The other record; absent if the identity no longer has it.'),
  job_id: text.optional(),
  operation_id: text.optional(),
  reason: text.optional().describe('Reason of the operation.'),
  case_id: text.optional().describe('The review case that the operation resolved.'),
});
export const explanation = z.strictObject({
  identity_id: text,
  display_name: text.optional(),
  fields: z.array(
    z.strictObject({
      field: text,
      winner: candidate,
      over: z.array(rejectedCandidate),
      because: text.describe('Explanation of the choice.'),
    }),
  ),
  records: z.array(
    z.strictObject({
      id: text,
      kind: text,
      connector_id: text,
      connector_deleted_at: dateTime.optional().describe('The connector was deleted: nothing updates this record.'),
      external_id: text,
      status: text,
      linked: text.describe(
        'operator: manually linked | keys, fuzzy: linked by matching | first: first record of the identity | owner, technical_inheritor: a machine of the person',
      ),
      by: text.optional().describe('The job or operation that linked it.'),
      evidence: linkEvidence.optional().describe('Why it belongs to the identity; absent for machine identities.'),
    }),
  ),
});

export type Tenant = z.infer<typeof tenant>;
export type TenantDeletion = z.infer<typeof tenantDeletion>;
export type ApiKey = z.infer<typeof apiKey>;
export type CreatedApiKey = z.infer<typeof createdApiKey>;
export type ConnectorToken = z.infer<typeof connectorToken>;
export type CreatedConnectorToken = z.infer<typeof createdConnectorToken>;
export type Connector = z.infer<typeof connector>;
export type Suppression = z.infer<typeof suppression>;
export type ConnectorDeletion = z.infer<typeof connectorDeletion>;
export type DeletedConnector = z.infer<typeof deletedConnector>;
export type ConnectorProbe = z.infer<typeof connectorProbe>;
export type OperatorJob = z.infer<typeof operatorJob>;
export type JobDetails = z.infer<typeof operatorJobWithErrors>;
export type SyncPlan = z.infer<typeof syncPlan>;
export type FailingRecord = z.infer<typeof failingRecord>;
export type Operation = z.infer<typeof operation>;
export type ReviewCase = z.infer<typeof reviewCase>;
export type OperatorMachineIdentityPage = z.infer<typeof operatorMachineIdentityPage>;
export type AccountDetails = z.infer<typeof accountDetails>;
export type MachineIdentityDetails = z.infer<typeof machineIdentityDetails>;
export type Explanation = z.infer<typeof explanation>;
