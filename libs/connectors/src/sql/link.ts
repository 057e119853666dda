import { setTimeout as sleep } from 'node:timers/promises';
import type { SourceErrorCode } from '@idsync/contracts';
import { BlockedError, UnresolvedError } from '@idsync/runtime';
import { CheckpointExpired, SourceError } from '../connector.js';
import { isTlsFailure } from '../http/failures.js';
import { isLostConnection } from '../open-socket.js';
import { ResponseTimeout } from './connect.js';
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

type Meaning = readonly [SourceErrorCode, string];

/** Meanings of errors, by the SQLSTATE of PostgreSQL or the number of MySQL. */
const meanings: readonly (readonly [RegExp, ...Meaning])[] = [
  [/^(28...|1045|1698)$/, 'auth_failed', 'the user or password was rejected'],
  [/^(42501|1044|1142|1143|1227)$/, 'forbidden', 'the user lacks a privilege'],
  [/^(3D000|1049)$/, 'not_found', 'the database does not exist'],
  [/^(42P01|3F000|1146)$/, 'not_found', 'the table does not exist'],
  [/^(42703|1054)$/, 'misconfigured', 'the column does not exist'],
  [/^(42601|42P0.|1064)$/, 'misconfigured', 'the query is not a valid statement that returns rows'],
  [/^(25001|25006|1792|1290|1836)$/, 'misconfigured', 'the query writes, but the transaction is read-only'],
  [/^(53300|1040|57P03)$/, 'unavailable', 'the server accepts no more connections'],
  [/^(57P0[12]|1053)$/, 'unavailable', 'the server is shutting down'],
  [/^(40...|1205|1213)$/, 'unavailable', 'the transaction was aborted by a conflict'],
];

/** Translates a driver error to a fixed message, because its text and names come from the server. */
function failureOf(error: unknown, dialect: Dialect, target: Target, transient = false): SourceError {
  const { host, port, timeoutMs } = target;
  const codes = codesOf(error);
  const isLate = error instanceof ResponseTimeout || codes.some((code) => dialect.isTimeout(code));
  const [code, meaning] = isLate ? (['timed_out', lateText(error)] as const) : meaningOf(error, codes);
  const known = shownCode(error, codes);
  const message = `${dialect.product} at ${host}:${port}: ${meaning}${known ? ` (${known})` : ''}`;
  return new SourceError(
    isLate ? `${message}; the limit is ${timeoutMs / 1_000} s per page: is the key indexed?` : message,
    { code, said: textOf(error), transient, cause: error },
  );
}

function lateText(error: unknown): string {
  return error instanceof ResponseTimeout ? error.message : 'the server cancelled a statement after its timeout';
}

function meaningOf(error: unknown, codes: readonly string[]): Meaning {
  const text = textOf(error);
  if (error instanceof BlockedError) return ['not_allowed', `the address is not allowed: ${text}`];
  if (error instanceof UnresolvedError) return ['unreachable', 'the host cannot be resolved'];
  const meaning = meanings.find(([known]) => codes.some((code) => known.test(code)));
  if (meaning) return [meaning[1], meaning[2]];
  if (/does not support (SSL|secure connection)/.test(text)) return ['tls_failed', 'the server does not support TLS'];
  if (codes.some((one) => isTlsFailure(one) || one === 'HANDSHAKE_SSL_ERROR')) return ['tls_failed', 'TLS failed'];
  if (codes.includes('HANDSHAKE_NO_SSL_SUPPORT')) return ['tls_failed', 'the server does not support TLS'];
  if (/^Connection terminated/.test(text)) return ['unreachable', 'the server closed the connection'];
  if (codes.some((code) => /^(E[A-Z]+|08...|PROTOCOL_CONNECTION_LOST)$/.test(code))) {
    return ['unreachable', 'the connection failed'];
  }
  return ['bad_answer', 'the server returned an error'];
}

/** Returns the codes of a driver error: SQLSTATE of PostgreSQL, number or name of MySQL. */
function codesOf(error: unknown): string[] {
  const { code, errno } = error as { code?: unknown; errno?: unknown };
  return [errno, code].filter((one) => one !== undefined && one !== '').map(String);
}

/**
 * Returns a code that messages may contain. A server can send any text as SQLSTATE, so its codes have to be
 * well-formed.
 */
function shownCode(error: unknown, codes: readonly string[]): string | undefined {
  const isOfServer = typeof error === 'object' && error !== null && ('severity' in error || 'sqlState' in error);
  return codes.find((code) =>
    isOfServer ? /^\d{4,5}$/.test(code) || sqlState.test(code) : /^[A-Z][A-Z_]+$/.test(code),
  );
}

/** SQLSTATEs of the existing classes. */
const sqlState = /^(0[0-38-9ABFLPZ]|2[0-8BDF]|3[489BDF]|4[024]|5[34578]|72|F0|HV|P0|XX)[0-9A-Z]{3}$/;

function textOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '')
    return String(error.errors[0]?.message ?? 'no connection');
  return error instanceof Error ? error.message : String(error);
}
