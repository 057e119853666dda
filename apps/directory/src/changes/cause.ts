import { defaultMatchingRules, type LifecyclePolicy, listsEmployments, type MatchingRules } from '@idsync/contracts';
import type { Transaction } from '@idsync/database';
import {
  type ConnectorInfo,
  type EarlierIdentity,
  findConnectors,
  type KeyedGroup,
  lockReferences,
} from '@idsync/database/directory';
import {
  findAttributePriorities,
  findFormerRules,
  findLifecyclePolicy,
  findMatchingRules,
} from '@idsync/database/settings';
import { type Ranking, rankSources } from '../lifecycle/rank-sources.js';
import type { AccessTally } from '../sweep/access.js';

/** Cause of a change of the directory, with the tenant's settings that the change needs. */
export interface Cause {
  tenantId: string;
  /** Sync job of the change, if any. */
  jobId?: string;
  /** Operation of the change, if any. */
  operationId?: string;
  /** Time of the decisions that depend on dates. */
  now: Date;
  /** Replaces PostgreSQL's clock as the time of the change, in tests. */
  fixedTime?: Date;
  /** Writes many records with a proposed time before the tenant's sequence is locked. It may then throw `Overtaken`. */
  proposesTime?: boolean;
  /** All of the tenant's connectors by id, deleted ones included. */
  connectors: ReadonlyMap<string, ConnectorInfo>;
  rules: MatchingRules;
  /** Earlier rules by which some records are still matched, while new ones are applied in parts. */
  formerRules?: readonly MatchingRules[];
  rankOf: Ranking;
  policy: LifecyclePolicy;
  /** Computes all links again, except manual ones, as if no records had been joined before. */
  reconsider?: boolean;
  /** Renders every affected identity again even if none of its records changed. */
  rerender?: boolean;
  /** Derives the fuzzy values of records again even if their fields are the same. */
  rederive?: boolean;
  /** Replaces an identity that loses all its records by a tombstone without personal data. */
  erase?: boolean;
  /** Counts the people who lose access by the parts of a change. */
  access?: AccessTally;
  /** Groups that the records of a run list by their keys and that are not stored yet, or with another name. */
  groups?: { jobId: string; connectorId: string; listed: readonly KeyedGroup[] } | undefined;
  /** Merged identities that may have records again, because of a revert or an unfinished job, as they were. */
  revived?: ReadonlyMap<string, EarlierIdentity>;
}

/** A cause whose change has a time, assigned under the lock of the tenant's sequence or proposed before it. */
export interface TimedCause extends Cause {
  at: Date;
}

/** Returns the time of decisions: now, or the fixed time of a test. */
export function causedAt(fixedTime: Date | undefined): Pick<Cause, 'now' | 'fixedTime'> {
  return { now: fixedTime ?? new Date(), fixedTime };
}

type TenantSettings = Pick<Cause, 'tenantId' | 'connectors' | 'rules' | 'formerRules' | 'rankOf' | 'policy'>;

/**
 * Loads the tenant's settings for a change. Changes that may include machines with references to people run alone, and
 * call this before they lock anything else of the tenant.
 */
export async function loadTenant(tx: Transaction, isAlone = false): Promise<TenantSettings> {
  await lockReferences(tx, isAlone ? 'alone' : 'shared');
  return readTenant(tx);
}

/** Reads the tenant's settings without a lock, for what changes nothing. */
export async function readTenant(tx: Transaction): Promise<TenantSettings> {
  const [all, priorities, rules, formerRules, policy] = await Promise.all([
    findConnectors(tx),
    findAttributePriorities(tx),
    findMatchingRules(tx),
    findFormerRules(tx),
    findLifecyclePolicy(tx),
  ]);
  const connectors = new Map(
    all.map((connector) => [connector.id, { ...connector, employments: listsEmployments(connector, policy) }]),
  );
  const rankOf = rankSources(connectors, priorities);
  return { tenantId: tx.tenantId, connectors, rankOf, rules: rules ?? defaultMatchingRules, formerRules, policy };
}
