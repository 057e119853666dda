import { setTimeout as sleep } from 'node:timers/promises';
import { CheckpointExpired, SourceError } from '../connector.js';
import { NoAnswer } from './answered.js';
import type { Dialect, Session, Target } from './session.js';

/** Before the second and the third try of what a restart or a conflict has ended. */
const retryAfterMs = [500, 2_000];

/** Runs read-only transactions, on one connection for as long as it lives. */
export class Link {
  private session: Session | undefined;

  constructor(
    private readonly dialect: Dialect,
    private readonly target: Target,
    private readonly signal: AbortSignal,
  ) {}

  /** `work` may be run again, from its beginning. Throws SourceError, or the signal's reason. */
  async transaction<T>(work: (session: Session) => Promise<T>): Promise<T> {
    for (let attempt = 0; ; attempt += 1) {
      try {
        this.signal.throwIfAborted();
        if (this.session?.isLost()) this.close();
        this.session ??= await this.dialect.open(this.target, this.signal);
        await this.session.begin();
        const result = await work(this.session);
        await this.session.end();
        return result;
      } catch (error) {
        const lost = this.session?.isLost() === true && !(error instanceof NoAnswer);
        this.close();
        this.signal.throwIfAborted();
        if (error instanceof SourceError || error instanceof CheckpointExpired) throw error;
        const wait = retryAfterMs[attempt];
        if (wait === undefined || !(lost || this.isTransient(error))) throw this.sourceError(error);
        await sleep(wait, undefined, { signal: this.signal }).catch(() => this.signal.throwIfAborted());
      }
    }
  }

  close(): void {
    this.session?.close();
    this.session = undefined;
  }

  private isTransient(error: unknown): boolean {
    if (/^(ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT)$/.test(errnoOf(error))) return true;
    return (
      /^Connection terminated/.test(textOf(error)) || codesOf(error).some((code) => this.dialect.isTransient(code))
    );
  }

  private sourceError(error: unknown): SourceError {
    const { host, port, password, timeoutMs } = this.target;
    const [code] = codesOf(error);
    // Whoever knows the password could say it.
    const text = textOf(error).replaceAll(password, '…').slice(0, 300);
    const told = `${this.dialect.product} at ${host}:${port}: ${text}${code ? ` (${code})` : ''}`;
    const late = error instanceof NoAnswer || codesOf(error).some((one) => this.dialect.isTimeout(one));
    return new SourceError(
      late ? `${told}; a page may take ${timeoutMs / 1_000} s: is there an index on its key?` : told,
    );
  }
}

const errnoOf = (error: unknown) => String((error as { code?: unknown }).code ?? '');

/** What a driver's error is known by: SQLSTATE of PostgreSQL, number or name of MySQL. */
function codesOf(error: unknown): string[] {
  const { code, errno } = error as { code?: unknown; errno?: unknown };
  return [errno, code].filter((one) => one !== undefined && one !== '').map(String);
}

function textOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '')
    return String(error.errors[0]?.message ?? 'no connection');
  return error instanceof Error ? error.message : String(error);
}
