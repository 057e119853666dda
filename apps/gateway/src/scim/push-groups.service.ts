import { AsyncLocalStorage } from 'node:async_hooks';
import {
  Database,
  isRetryable,
  isTimeout,
  isUnavailable,
  lockNotAvailable,
  sqlState,
  type Transaction,
  uniqueViolation,
} from '@idsync/database';
import { triggerSync } from '@idsync/database/gateway';
import { beginPush, type ScimScope } from '@idsync/database/scim';
import { Injectable } from '@nestjs/common';
import { notFound } from '../http/api-error.js';
import { busy } from '../http/concurrency-limiter.js';
import { ScimError } from './scim-error.js';

/** A push in its transaction, with its number. */
export interface Push {
  tx: Transaction;
  position: number;
}

type Connector = Omit<ScimScope, 'kind'>;
/** May run more than once. */
type Work<Result> = (push: Push) => Promise<{ result: Result; changed: boolean }>;
type Outcome = { result: unknown; changed: boolean } | { error: unknown };

interface Waiting {
  work: Work<unknown>;
  isAddition: boolean;
  since: number;
  /** Runs a function in the context of the request, which traces and logs show. */
  inRequest: <Result>(run: () => Result) => Result;
  resolve: (result: unknown) => void;
  reject: (error: unknown) => void;
}

/** Pushes of one transaction; PostgreSQL tracks 64 savepoints of a transaction in memory. */
const groupSize = 32;
/** Maximum time from the begin of a group to that of its last push, so that a group does not block the connector. */
const groupMs = 2_000;
/** A push that has waited longer for earlier groups is refused. */
const waitMs = 10_000;
/** How long the groups of a connector have savepoints after a push of it has failed in a group without. */
const savepointsMs = 10_000;

/** Thrown if a push fails that has no savepoint, so that its group must be applied again with savepoints. */
class FailedPush extends Error {}

/**
 * Applies the pushes of a connector one after another. Pushes that arrive while others are applied share the next
 * transaction, and are answered after its commit. A push that fails does not affect its neighbours.
 */
@Injectable()
export class PushGroups {
  /** By connector, while a group of it is applied. */
  private readonly waiting = new Map<string, Waiting[]>();
  /** By connector: until when its groups have savepoints. */
  private readonly savepointsUntil = new Map<string, number>();

  constructor(private readonly database: Database) {}

  /**
   * Throws a 409 if a user name is taken, a 503 if the connector is busy, and the errors of `work`. `isAddition`: the
   * work always adds a resource, and reads nothing that another push writes, so that the two may run at the same time.
   */
  run<Result>(connector: Connector, work: Work<Result>, { isAddition = false } = {}): Promise<Result> {
    return new Promise<unknown>((resolve, reject) => {
      const inRequest = AsyncLocalStorage.snapshot();
      const push = { work, isAddition, since: performance.now(), inRequest, resolve, reject };
      const queue = this.waiting.get(connector.connectorId);
      if (queue) queue.push(push);
      else void this.applyAll(connector, [push]);
    }) as Promise<Result>;
  }

  private async applyAll(connector: Connector, queue: Waiting[]): Promise<void> {
    this.waiting.set(connector.connectorId, queue);
    while (queue.length > 0) {
      const group = queue.splice(0, groupSize);
      const left = await this.apply(connector, group.filter(isInTime));
      queue.unshift(...left);
    }
    this.waiting.delete(connector.connectorId);
  }

  /** Applies pushes and settles them. Returns those that it did not begin. */
  private async apply(connector: Connector, group: readonly Waiting[]): Promise<Waiting[]> {
    const [first] = group;
    if (!first) return [];
    // The first request counts for the tenant's share of connections.
    const inTransaction = (applyGroup: ApplyGroup) =>
      first.inRequest(() => this.database.transaction(connector.tenantId, (tx) => applyGroup(tx, connector, group)));
    const { connectorId } = connector;
    try {
      const outcomes = await inTransaction(this.howToApply(connectorId, group)).catch((error) => {
        if (!(error instanceof FailedPush)) throw error;
        if (group.length === 1) throw error.cause;
        this.savepointsUntil.set(connectorId, performance.now() + savepointsMs);
        return inTransaction(applyWithSavepoints);
      });
      for (const [at, outcome] of outcomes.entries()) settle(group[at], outcome);
      return group.slice(outcomes.length);
    } catch (error) {
      for (const push of group) settle(push, { error });
      return [];
    }
  }

  private howToApply(connectorId: string, group: readonly Waiting[]): ApplyGroup {
    const until = this.savepointsUntil.get(connectorId);
    if (until !== undefined && performance.now() >= until) this.savepointsUntil.delete(connectorId);
    else if (until !== undefined && group.length > 1) return applyWithSavepoints;
    return group.every(isAddition) ? applyAdditions : applyInOrder;
  }
}

/** Returns the outcomes of the pushes, maybe without the last ones. Throws if the transaction must be rolled back. */
type ApplyGroup = (tx: Transaction, connector: Connector, group: readonly Waiting[]) => Promise<Outcome[]>;
type ApplyPush = (tx: Transaction, push: Waiting, position: number) => Promise<Outcome>;

const isAddition = (push: Waiting) => push.isAddition;

const applyPush: ApplyPush = (tx, { work, inRequest }, position) =>
  inRequest(() => work({ tx, position })).catch((error) => {
    throw isOfTransaction(error) ? error : new FailedPush('', { cause: error });
  });

const applyInSavepoint: ApplyPush = (tx, { work, inRequest }, position) =>
  tx
    .attempt(() => inRequest(() => work({ tx, position })))
    .catch((error) => {
      if (isRetryable(error)) throw error;
      return { error };
    });

/** True for errors that all pushes of the transaction have in common, and that savepoints do not help against. */
function isOfTransaction(error: unknown): boolean {
  return isRetryable(error) || isUnavailable(error) || isTimeout(error);
}

/** Sends the statements of all pushes and of the job together, to save round trips. */
const applyAdditions: ApplyGroup = async (tx, connector, group) => {
  const first = await beginPush(tx, connector.connectorId, group.length);
  const additions = group.map((push, at) => applyPush(tx, push, first + at));
  const job = group[0]?.inRequest(() => queueJob(tx, connector));
  // No statement may run after a rollback.
  await Promise.allSettled([...additions, job]);
  const outcomes = await Promise.all(additions);
  await job;
  return outcomes;
};

const inOrder =
  (apply: ApplyPush): ApplyGroup =>
  async (tx, connector, group) => {
    const begun = performance.now();
    const first = await beginPush(tx, connector.connectorId, group.length);
    const outcomes: Outcome[] = [];
    let changed: Waiting | undefined;
    for (const [at, push] of group.entries()) {
      if (outcomes.length > 0 && performance.now() - begun > groupMs) break;
      const outcome = await apply(tx, push, first + at);
      if ('changed' in outcome && outcome.changed) changed ??= push;
      outcomes.push(outcome);
    }
    await changed?.inRequest(() => queueJob(tx, connector));
    return outcomes;
  };

const applyInOrder = inOrder(applyPush);
const applyWithSavepoints = inOrder(applyInSavepoint);

/** Triggers a sync job for the changes, unless a queued job will read them too. */
async function queueJob(tx: Transaction, { connectorId }: Connector): Promise<void> {
  if ((await triggerSync(tx, { connectorId })).kind !== 'accepted') throw notFound();
}

function isInTime(push: Waiting): boolean {
  const inTime = performance.now() - push.since <= waitMs;
  if (!inTime) push.reject(busy());
  return inTime;
}

function settle(push: Waiting | undefined, outcome: Outcome): void {
  if ('error' in outcome) push?.reject(answerTo(outcome.error));
  else push?.resolve(outcome.result);
}

function answerTo(error: unknown): unknown {
  const state = sqlState(error);
  if (state === uniqueViolation) return new ScimError(409, 'uniqueness', 'userName is taken by another user');
  return state === lockNotAvailable ? busy() : error;
}
