import { AsyncLocalStorage } from 'node:async_hooks';
import { Database, isRetryable, lockNotAvailable, sqlState, type Transaction, uniqueViolation } from '@idsync/database';
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

/**
 * Applies the pushes of a connector one after another. Pushes that arrive while others are applied share the next
 * transaction, and are answered after its commit. A push that fails is rolled back alone.
 */
@Injectable()
export class PushGroups {
  /** By connector, while a group of it is applied. */
  private readonly waiting = new Map<string, Waiting[]>();

  constructor(private readonly database: Database) {}

  /** Throws a 409 if a user name is taken, a 503 if the connector is busy, and the errors of `work`. */
  run<Result>(connector: Connector, work: Work<Result>): Promise<Result> {
    return new Promise<unknown>((resolve, reject) => {
      const push = { work, since: performance.now(), inRequest: AsyncLocalStorage.snapshot(), resolve, reject };
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
    try {
      // The first request counts for the tenant's share of connections.
      const outcomes = await first.inRequest(() =>
        this.database.transaction(connector.tenantId, (tx) => applyGroup(tx, connector, group)),
      );
      for (const [at, outcome] of outcomes.entries()) settle(group[at], outcome);
      return group.slice(outcomes.length);
    } catch (error) {
      for (const push of group) settle(push, { error });
      return [];
    }
  }
}

/** Throws if the transaction must be rolled back or repeated. */
async function applyGroup(tx: Transaction, connector: Connector, group: readonly Waiting[]): Promise<Outcome[]> {
  const begun = performance.now();
  const first = await beginPush(tx, connector.tenantId, connector.connectorId, group.length);
  const outcomes: Outcome[] = [];
  let changed: Waiting | undefined;
  for (const [at, push] of group.entries()) {
    if (outcomes.length > 0 && performance.now() - begun > groupMs) break;
    const apply = () => push.inRequest(() => push.work({ tx, position: first + at }));
    const outcome = group.length === 1 ? await apply() : await outcomeOf(tx, apply);
    if ('changed' in outcome && outcome.changed) changed ??= push;
    outcomes.push(outcome);
  }
  await changed?.inRequest(() => queueJob(tx, connector));
  return outcomes;
}

async function outcomeOf(tx: Transaction, apply: () => ReturnType<Work<unknown>>): Promise<Outcome> {
  try {
    return await tx.attempt(apply);
  } catch (error) {
    if (isRetryable(error)) throw error;
    return { error };
  }
}

/** Triggers a sync job for the changes, unless a queued job will read them too. */
async function queueJob(tx: Transaction, { tenantId, connectorId }: Connector): Promise<void> {
  if ((await triggerSync(tx, tenantId, { connectorId })).kind !== 'accepted') throw notFound();
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
