import { encodeId } from '@idsync/contracts';
import { type Database, eachTenant } from '@idsync/database';
import { type NewEvent, recordEvents } from '@idsync/database/bus';
import {
  disableFailingWebhooks,
  disableWebhooks,
  type EndpointResult,
  type FinishedAttempt,
  finishAttempts,
  saveEndpointResults,
} from '@idsync/database/delivery';
import { type Logger, pause } from '@idsync/runtime';

/** The result of an attempt, with the state of its endpoint afterwards. */
export interface EndedAttempt extends FinishedAttempt {
  webhookId: string;
  tenantId: string;
  /** Circuit breaker of the endpoint after this attempt. */
  openUntil?: Date;
  trips: number;
}

export interface RecorderSettings {
  /** An endpoint without a success for this long is disabled if a delivery became dead meanwhile. */
  disableAfterMs: number;
  /** Maximum number of attempts in one write. */
  batch: number;
  /** Wait before a write, so that results which arrive shortly after each other share one transaction. */
  gatherMs: number;
  retryMs: number;
}

/** Tenants written concurrently; each takes a connection. */
const tenantsAtOnce = 3;
/** Minimum interval between two writes of a success for an endpoint without failures. */
const successNoticeMs = 10_000;

/**
 * Writes attempt results in batches, one transaction per tenant. Results of a failed write are retried after newer
 * ones; a result whose lease has expired by then changes nothing.
 */
export class AttemptRecorder {
  private ended: EndedAttempt[] = [];
  private left = 0;
  private writing: Promise<void> | undefined;
  private readonly stopping = new AbortController();
  /** Time of the last written success by webhook; absent if a failure was written last. */
  private readonly noted = new Map<string, number>();

  constructor(
    private readonly database: Database,
    private readonly settings: RecorderSettings,
    private readonly log: Logger,
  ) {}

  add(attempt: EndedAttempt): void {
    this.ended.push(attempt);
    this.writing ??= this.writeAll();
  }

  /** Writes the remaining results; throws if the database no longer accepts them. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await this.writing;
    if (this.left > 0) throw new Error(`the results of ${this.left} attempts could not be written`);
  }

  private async writeAll(): Promise<void> {
    try {
      while (this.ended.length > 0) {
        await pause(this.settings.gatherMs, this.stopping.signal);
        const batch = this.ended.splice(0, this.settings.batch);
        const unwritten = await this.writeEach(batch);
        if (unwritten.length === 0) continue;
        this.ended.push(...unwritten);
        // During shutdown, retry only while a batch makes progress.
        if (this.stopping.signal.aborted && unwritten.length === batch.length) {
          this.left = this.ended.length;
          return;
        }
        await pause(this.settings.retryMs, this.stopping.signal);
      }
    } finally {
      // Same turn as the last check of `ended`, so that a later add() starts a new write.
      this.writing = undefined;
    }
  }

  /** Returns the attempts that could not be written. */
  private async writeEach(batch: readonly EndedAttempt[]): Promise<EndedAttempt[]> {
    const unwritten = new Set(batch);
    const write = async (tenantId: string, own: readonly EndedAttempt[]) => {
      await this.write(tenantId, own);
      for (const attempt of own) unwritten.delete(attempt);
    };
    try {
      await eachTenant(batch, write, tenantsAtOnce);
    } catch (err) {
      this.log.warn({ err, attempts: unwritten.size }, 'recording attempts failed, will retry');
    }
    return [...unwritten];
  }

  private async write(tenantId: string, batch: readonly EndedAttempt[]): Promise<void> {
    const news = this.changesOf(batch);
    const gone = [...new Set(batch.filter(({ statusCode }) => statusCode === 410).map(({ webhookId }) => webhookId))];
    const failing = news.filter(({ failures }) => failures > 0).map(({ webhookId }) => webhookId);
    const outcomes = finishAttempts(tenantId, batch);
    // The usual case is one round trip.
    if (news.length === 0 && gone.length === 0) {
      await this.database.write(tenantId, outcomes);
      return;
    }
    const disabled = await this.database.transaction(tenantId, async (tx) => {
      await tx.query(outcomes.text, outcomes.values);
      if (news.length > 0) await saveEndpointResults(tx, news);
      const disabledAsGone = await disableWebhooks(tx, gone, 'the receiver answered 410 Gone');
      const disabledAsFailing =
        failing.length === 0 ? [] : await disableFailingWebhooks(tx, failing, this.settings.disableAfterMs);
      await recordEvents(tx, [
        ...disabledAsGone.map((webhookId) => disabledEvent(webhookId, 'gone')),
        ...disabledAsFailing.map((webhookId) => disabledEvent(webhookId, 'failing')),
      ]);
      return [...disabledAsGone, ...disabledAsFailing];
    });
    for (const { webhookId, failures } of news) {
      if (failures > 0) this.noted.delete(webhookId);
      else this.noted.set(webhookId, Date.now());
    }
    for (const webhook_id of disabled) this.log.info({ webhook_id, tenant_id: tenantId }, 'webhook disabled');
  }

  /** Returns one row for each endpoint that failed, recovered, or has no success written within `successNoticeMs`. */
  private changesOf(batch: readonly EndedAttempt[]): EndpointResult[] {
    const news = new Map<string, EndpointResult>();
    for (const attempt of batch) {
      if (!attempt.counts) continue;
      const { webhookId, tenantId, openUntil, trips } = attempt;
      const succeeded = attempt.outcome === 'delivered';
      const before = news.get(webhookId);
      news.set(webhookId, {
        webhookId,
        tenantId,
        failures: succeeded ? 0 : (before?.failures ?? 0) + 1,
        succeeded: succeeded || before?.succeeded === true,
        exhausted: !succeeded && (attempt.status === 'dead' || before?.exhausted === true),
        openUntil,
        trips,
      });
    }
    const stale = Date.now() - successNoticeMs;
    return [...news.values()].filter(
      ({ webhookId, failures }) => failures > 0 || (this.noted.get(webhookId) ?? 0) < stale,
    );
  }
}

function disabledEvent(webhookId: string, reason: 'gone' | 'failing'): NewEvent {
  return {
    type: 'webhook.disabled',
    subjectId: webhookId,
    details: { webhook_id: encodeId('webhook', webhookId), reason },
  };
}
