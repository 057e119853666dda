import { setTimeout as sleep } from 'node:timers/promises';
import { CheckpointExpired, SourceError } from '../connector.js';
import { isLostConnection } from '../open-socket.js';
import { ResponseTimeout } from './answer-within.js';
import { codesOf, failureOf, textOf } from './failure-of.js';
import type { Dialect, Session, Target } from './session.js';

/** Pauses before the second and third attempt after a restart or a conflict. */
const retryAfterMs = [500, 2_000];

/** Runs read-only transactions on one connection, which is replaced if it is lost. */
export class Link {
  private session: Session | undefined;

  constructor(
    private readonly dialect: Dialect,
    private readonly target: Target,
    private readonly signal: AbortSignal,
  ) {}

  /** Runs `work`, possibly several times. Throws SourceError or the abort reason. */
  async transaction<T>(work: (session: Session) => Promise<T>): Promise<T> {
    for (let attempt = 0; ; attempt += 1) {
      try {
        this.signal.throwIfAborted();
        if (this.session?.isLost()) this.close();
        const isNew = this.session === undefined;
        this.session ??= await this.dialect.open(this.target, this.signal);
        await this.session.begin();
        if (isNew) await this.requireReader(this.session);
        const result = await work(this.session);
        await this.session.end();
        return result;
      } catch (error) {
        const lost = this.session?.isLost() === true && !(error instanceof ResponseTimeout);
        this.close();
        this.signal.throwIfAborted();
        if (error instanceof SourceError || error instanceof CheckpointExpired) throw error;
        const wait = retryAfterMs[attempt];
        const transient = lost || this.isTransient(error);
        if (wait === undefined || !transient) throw failureOf(error, this.dialect, this.target, transient);
        await sleep(wait, undefined, { signal: this.signal }).catch(() => this.signal.throwIfAborted());
      }
    }
  }

  close(): void {
    this.session?.close();
    this.session = undefined;
  }

  /**
   * Requires a login without write privileges, because a read-only transaction does not prevent all functions with side
   * effects.
   */
  private async requireReader(session: Session): Promise<void> {
    const writes = await session.writes();
    if (writes.length === 0) return;
    const { product, createReader } = this.dialect;
    const { host, port, user } = this.target;
    throw new SourceError(
      `${product} at ${host}:${port}: the login "${user}" may do more than read. Use a login that may only read: ${createReader(user)}`,
      // Names of tables and roles are text of the source.
      { code: 'misconfigured', said: `the login ${writes.join('; it ')}` },
    );
  }

  private isTransient(error: unknown): boolean {
    if (isLostConnection(error)) return true;
    return (
      /^Connection terminated/.test(textOf(error)) || codesOf(error).some((code) => this.dialect.isTransient(code))
    );
  }
}
