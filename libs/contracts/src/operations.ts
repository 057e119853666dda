import { z } from 'zod';
import { matchingKeys, type ResultList, recordKinds } from './fixed-values.js';
import { encodeId, type IdKind, recordIds } from './ids.js';
import { lifecyclePolicy } from './lifecycle-policy.js';
import { matchingRules } from './matching-rules.js';

const uuid = z.guid();
/** A record is suppressed by its anchor, or by a match key with the name of the person. */
export const suppressedBy = ['anchor', ...matchingKeys] as const;
export type SuppressedBy = (typeof suppressedBy)[number];

const reason = z.string().min(1).max(1000).optional();

/**
 * Input of each operation. The gateway stores it; the directory runs the operation and stores its result in one
 * transaction. Ids are bare uuids here.
 */
export const operationInputs = {
  'case.resolve': z.strictObject({
    case_id: uuid,
    resolution: z.enum(['link', 'new', 'ignore']),
    /** With `link`: the identity to link the record to. */
    identity_id: uuid.optional(),
    reason,
  }),
  'identity.merge': z.strictObject({ into_id: uuid, from_ids: z.array(uuid).min(1).max(50), reason }),
  'identity.split': z.strictObject({ identity_id: uuid, record_ids: z.array(uuid).min(1).max(1000), reason }),
  /** Erases all data of one person permanently. */
  'identity.erase': z.strictObject({
    identity_id: uuid,
    /** Keyed hashes of what the sources would list again; base64. */
    suppress: z.array(z.strictObject({ record_id: uuid, kind: z.enum(suppressedBy), hash: z.string() })).optional(),
    reason,
  }),
  /** Reverts a merge, a split or a resolved case. */
  'operation.revert': z.strictObject({ operation_id: uuid, reason }),
  /** Performs an operation that is held. */
  'operation.confirm': z.strictObject({ operation_id: uuid, reason }),
  /** Stops an operation that is made in parts. */
  'operation.cancel': z.strictObject({ operation_id: uuid, reason }),
  'attributes.rank': z.strictObject({
    priorities: z.array(z.strictObject({ field: z.string(), connector_id: uuid, priority: z.int() })).optional(),
    /** The new rank of a connector, which the directory stores when it applies it. */
    connector: z
      .strictObject({ id: uuid, priority: z.int().optional(), fields: z.record(z.string(), z.unknown()).optional() })
      .optional(),
    reason,
  }),
  /** Restores what a job changed, except where something else has changed since. */
  'job.undo': z.strictObject({ job_id: uuid, preview: z.boolean(), reason }),
  /** Applies exactly the changes that a dry run stored. */
  'plan.apply': z.strictObject({ job_id: uuid, reason }),
  /** Moves the records of a deleted connector to another one. */
  'connector.hand_over': z.strictObject({ from_id: uuid, to_id: uuid, reason }),
  /** Ids of connectors in the policy are bare uuids. */
  'lifecycle.change': z.strictObject({ policy: lifecyclePolicy, reason }),
  'rules.change': z.strictObject({ rules: matchingRules, preview: z.boolean(), reason }),
  'finding.accept': z.strictObject({
    finding_id: uuid,
    reason: z.string().min(1).max(1000),
    by: z.string().min(1).max(200),
    /** ISO 8601; permanently if absent. */
    until: z.string().optional(),
  }),
  /** Withdraws an acceptance. */
  'finding.reopen': z.strictObject({ finding_id: uuid, reason }),
} as const;

export type OperationType = keyof typeof operationInputs;
export type OperationInput<T extends OperationType> = z.infer<(typeof operationInputs)[T]>;

/** Input is the bare uuid that the directory writes, output the public id that the API shows. */
const idOf = (kind: IdKind) => z.guid().transform((id) => encodeId(kind, id));
const count = z.int();
/** A record of any kind. */
const record = z
  .object({ id: z.guid(), kind: z.enum(recordKinds) })
  .transform(({ id, kind }) => encodeId(recordIds[kind], id));
/** The link between two records that was decisive. Names and values are added when the result is read. */
const link = {
  kind: z.string().optional(),
  rule: z.string().optional(),
  other: idOf('user').optional(),
  score: z.number().optional(),
  fields: z.array(z.string()).optional(),
  record: record.optional(),
};

/**
 * Result of each operation. The directory writes the input of the schema, the API shows its output. The fields are in
 * the order in which `jsonb` stores them.
 */
const operationResults = {
  'case.resolve': z.object({ case_id: idOf('case'), resolution: z.string(), identity_id: idOf('identity').optional() }),
  'identity.merge': z.object({ identity_id: idOf('identity'), merged_identity_ids: z.array(idOf('identity')) }),
  'identity.split': z.object({ identity_id: idOf('identity'), new_identity_id: idOf('identity') }),
  'identity.erase': z.object({ identity_id: idOf('identity'), records_erased: count }),
  'operation.revert': z.object({ reverted_operation_id: idOf('operation') }),
  'operation.confirm': z.object({ confirmed_operation_id: idOf('operation') }),
  'operation.cancel': z.object({ cancelled_operation_id: idOf('operation') }),
  'attributes.rank': z.object({ identities_changed: count }),
  /** `conflicts` are public ids of records. */
  'connector.hand_over': z.object({
    conflicts: z.array(z.string()),
    records_moved: count,
    records_joined: count,
    records_in_conflict: count,
  }),
  'job.undo': z.object({
    removed: z.array(z.string()),
    restored: z.array(z.string()),
    records_removed: count,
    records_restored: count,
  }),
  'lifecycle.change': z.object({ identities_changed: count }),
  'plan.apply': z.object({ records_created: count, records_deleted: count, records_updated: count }),
  'rules.change': z.object({
    /** With a preview: review cases that the fuzzy match would open. */
    cases: z
      .array(
        z.object({
          rule: z.string(),
          record,
          candidates: z.array(
            z.object({ other: idOf('user').optional(), score: z.number(), identity_id: idOf('identity') }),
          ),
        }),
      )
      .optional(),
    /** Accounts that get another person, or none. */
    moved: z
      .array(
        z.object({
          ...link,
          from_identity_id: idOf('identity').optional(),
          into_identity_id: idOf('identity').optional(),
        }),
      )
      .optional(),
    joined: z.array(z.object({ ...link, from_identity_id: idOf('identity'), into_identity_id: idOf('identity') })),
    parted: z.array(z.object({ ...link, new_identity_id: idOf('identity'), from_identity_id: idOf('identity') })),
    cases_opened: count.optional(),
    records_moved: count,
    accounts_moved: count.optional(),
    identities_joined: count,
    identities_parted: count,
    /** With a preview: records beyond the number that it compares by the fuzzy rules. */
    records_not_compared: count.optional(),
  }),
  'finding.accept': z.object({ state: z.string(), finding_id: idOf('finding') }),
  'finding.reopen': z.object({ state: z.string(), finding_id: idOf('finding') }),
} as const satisfies Record<OperationType, z.ZodObject>;
/** The result as the directory writes it. */
export type OperationResult<T extends OperationType> = z.input<(typeof operationResults)[T]>;

/**
 * Converts an operation's result to its API form. A refusal, or a result that another version wrote, is returned
 * unchanged.
 */
export function publicResult(type: string, result: Record<string, unknown>): Record<string, unknown> {
  const schema = (operationResults as Record<string, z.ZodObject>)[type];
  return schema?.loose().safeParse(result).data ?? result;
}

/** People who lose access, or get it again, by an operation that is done, held or previewed; with public ids. */
export interface ShownAccess {
  access_changes: { identity_id: string; from: string; to: string }[];
  access_changes_total: number;
}

/** Converts items of one list of the result of an operation to their API form. */
export function publicItems(list: ResultList, items: readonly Record<string, unknown>[]): Record<string, unknown>[] {
  const counts = { records_moved: 0, identities_joined: 0, identities_parted: 0 };
  const result = publicResult('rules.change', { joined: [], parted: [], ...counts, [list]: items });
  return result[list] as Record<string, unknown>[];
}

/**
 * `refused`: the operation was not possible and changed nothing; the error says why. `held`: it would take access from many
 * people, and changed nothing; it is performed when it is confirmed. `running`: it changes the tenant in parts, and other
 * work continues between them. `cancelled`: it was stopped before its end; what it has changed stays.
 */
export const operationStatuses = ['queued', 'running', 'done', 'cancelled', 'refused', 'held'] as const;
export type OperationStatus = (typeof operationStatuses)[number];
