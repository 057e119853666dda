import { z } from 'zod';
import { matchingRules } from './matching-rules.js';

const uuid = z.guid();
const reason = z.string().min(1).max(1000).optional();

/**
 * What an operator asks of the directory: the gateway writes it down, the directory does it in one transaction and
 * writes the outcome beside it. Ids are bare uuids here.
 */
export const operationInputs = {
  'case.resolve': z.strictObject({
    case_id: uuid,
    resolution: z.enum(['link', 'new', 'ignore']),
    /** With `link`: whom the record belongs to. */
    identity_id: uuid.optional(),
    reason,
  }),
  'identity.merge': z.strictObject({ into_id: uuid, from_ids: z.array(uuid).min(1).max(50), reason }),
  'identity.split': z.strictObject({ identity_id: uuid, record_ids: z.array(uuid).min(1).max(1000), reason }),
  /** Removes every trace of one person, for good. */
  'identity.erase': z.strictObject({ identity_id: uuid, reason }),
  /** Takes back a merge, a split or a resolved case. */
  'operation.revert': z.strictObject({ operation_id: uuid, reason }),
  /** Without priorities: those of the connectors have changed. */
  'attributes.rank': z.strictObject({
    priorities: z.array(z.strictObject({ field: z.string(), connector_id: uuid, priority: z.int() })).optional(),
    reason,
  }),
  /** Puts back what a job changed and nobody changed since. */
  'job.undo': z.strictObject({ job_id: uuid, preview: z.boolean(), reason }),
  /** Does exactly what a dry run wrote down. */
  'plan.apply': z.strictObject({ job_id: uuid, reason }),
  'rules.change': z.strictObject({ rules: matchingRules, preview: z.boolean(), reason }),
} as const;

export type OperationType = keyof typeof operationInputs;
export type OperationInput<T extends OperationType> = z.infer<(typeof operationInputs)[T]>;

/** `refused`: it could not be done as things stand; the error says why, and nothing has changed. */
export const operationStatuses = ['queued', 'done', 'refused'] as const;
export type OperationStatus = (typeof operationStatuses)[number];

/** A case asks an operator: `open`, then decided by them, or `settled` by evidence that came later. */
export const caseStatuses = ['open', 'linked', 'new', 'ignored', 'settled'] as const;
export type CaseStatus = (typeof caseStatuses)[number];
