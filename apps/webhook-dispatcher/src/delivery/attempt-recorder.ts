import {
  type Database,
  disableFailingWebhooks,
  disableWebhooks,
  type EndpointNews,
  type FinishedAttempt,
  finishAttempts,
  saveEndpointNews,
} from '@idsync/database';
import { pause } from '@idsync/messaging';

/** How an attempt ended, and what it says of its endpoint. */
export interface EndedAttempt extends FinishedAttempt {
  webhookId: string;
  tenantId: string;
  succeeded: boolean;
  /** The receiver says that it is gone for good. */
  gone: boolean;
  /** Of the endpoint's breaker after this attempt. */
  openUntil?: Date;
  trips: number;
}

export interface RecorderSettings {
  /** An endpoint without a success for so long is switched off, if a delivery was given up meanwhile. */
  disableAfterMs: number;
  /** Attempts that are written down together, at the most. */
  batch: number;
  /** How long what has ended waits for others that end soon after it. */
  gatherMs: number;
  retryMs: number;
}

/** How often a success is worth a row of its own where nothing has failed. */
const successNoticeMs = 10_000;

/**
 * Writes down how attempts ended, many in one transaction: while one batch is written, the next one gathers. A database that is
 * away is asked again; what comes too late then has lost its lease and changes nothing.
 */
export class AttemptRecorder {
  private ended: EndedAttempt[] = [];
  private left = 0;
  private writing: Promise<void> | undefined;
  private readonly stopping = new AbortController();
  /** When a success was last written, by webhook; absent where failures were the last thing to be written. */
  private readonly noted = new Map<string, number>();

  constructor(
    private readonly database: Database,
    private readonly settings: RecorderSettings,
    private readonly log: { warn(message: string): void; info(message: string): void },
  ) {}

  add(attempt: EndedAttempt): void {
    this.ended.push(attempt);
    this.writing ??= this.writeAll();
  }

  /** Writes what is left; throws where the database does not take it any more. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await this.writing;
    if (this.left > 0) throw new Error(`how ${this.left} attempts ended was not written down`);
  }

  private async writeAll(): Promise<void> {
    try {
      while (this.ended.length > 0) {
        await pause(this.settings.gatherMs, this.stopping.signal);
        const batch = this.ended.splice(0, this.settings.batch);
        if (!(await this.writeSurely(batch))) {
          this.left = batch.length + this.ended.length;
          return;
        }
      }
    } finally {
      // In the same turn as the last look at what is left: what is added afterwards begins anew.
      this.writing = undefined;
    }
  }

  /** False if it was stopped before the database answered. */
  private async writeSurely(batch: readonly EndedAttempt[]): Promise<boolean> {
    for (;;) {
      try {
        await this.write(batch);
        return true;
      } catch (error) {
        this.log.warn(`${batch.length} attempts not written down yet: ${String(error)}`);
        if (this.stopping.signal.aborted) return false;
        await pause(this.settings.retryMs, this.stopping.signal);
      }
    }
  }

  private async write(batch: readonly EndedAttempt[]): Promise<void> {
    const news = this.newsOf(batch);
    const gone = [...new Set(batch.filter((attempt) => attempt.gone).map(({ webhookId }) => webhookId))];
    const failing = news.filter(({ failures }) => failures > 0).map(({ webhookId }) => webhookId);
    const disabled = await this.database.transaction(undefined, async (tx) => {
      await finishAttempts(tx, batch);
      if (news.length > 0) await saveEndpointNews(tx, news);
      const told = await disableWebhooks(tx, gone, 'the receiver answered 410 Gone');
      if (failing.length === 0) return told;
      return [...told, ...(await disableFailingWebhooks(tx, failing, this.settings.disableAfterMs))];
    });
    for (const { webhookId, failures } of news) {
      if (failures > 0) this.noted.delete(webhookId);
      else this.noted.set(webhookId, Date.now());
    }
    for (const id of disabled) this.log.info(`webhook ${id} switched off`);
  }

  /** A row for each endpoint that failed, or succeeded after a failure, or has not been seen to succeed for a while. */
  private newsOf(batch: readonly EndedAttempt[]): EndpointNews[] {
    const news = new Map<string, EndpointNews>();
    for (const attempt of batch) {
      if (!attempt.counts) continue;
      const { webhookId, tenantId, succeeded, openUntil, trips } = attempt;
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
