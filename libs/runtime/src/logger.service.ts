import type { LoggerService } from '@nestjs/common';
import { type DestinationStream, type Logger as PinoLogger, pino } from 'pino';
import { logContext } from './log-context.js';
import { traceId } from './tracing/traced.js';
import { plainError, withoutCredentials } from './without-credentials.js';

interface LogMethod {
  (fields: object, message: string): void;
  (message: string): void;
}

/**
 * Structured logger: a fixed message with fields, the error as `err`. A class, because it is also an injection token.
 */
export abstract class Logger {
  abstract readonly trace: LogMethod;
  abstract readonly debug: LogMethod;
  abstract readonly info: LogMethod;
  abstract readonly warn: LogMethod;
  abstract readonly error: LogMethod;
}

const ignore = () => undefined;

/** Writes nothing. */
export const silentLogger: Logger = { trace: ignore, debug: ignore, info: ignore, warn: ignore, error: ignore };

/** Names of headers, settings and body fields whose values are redacted. */
const secretName =
  /^(.*authorization|(set-)?cookie|.*(secret|password|passphrase|token|(access|account|api|encryption|private)[-_]?key)s?)$/i;

/**
 * Creates the structured logger of one service, which writes to standard error; standard output is for users. It uses
 * Node's own stream, so that a closed pipe is detected.
 */
export function createLogger(service: string, level: string, into: DestinationStream = process.stderr): PinoLogger {
  return pino(
    {
      level,
      base: { service },
      hooks: {
        logMethod(words, method) {
          const clean = words.map((word: unknown) => (typeof word === 'string' ? withoutCredentials(word) : word));
          method.apply(this, clean as typeof words);
        },
      },
      // The formatter has replaced errors; pino's serializer would name the type of the copy.
      serializers: { err: (error) => error },
      formatters: { log: (fields) => cleaned(fields, 0) as Record<string, unknown> },
      // A copy, so that fields added later do not change earlier lines.
      mixin: () => {
        const trace = traceId();
        return trace === undefined ? { ...logContext() } : { ...logContext(), trace_id: trace };
      },
      timestamp: pino.stdTimeFunctions.isoTime,
    },
    into,
  );
}

/** Nest logs these errors and then throws them; the program reports them itself in one line. */
const exceptionHandlerContext = 'ExceptionHandler';

/** Writes Nest's log lines to the same logger. */
export class NestLogger implements LoggerService {
  constructor(private readonly logger: Logger) {}

  log(message: unknown, context?: unknown): void {
    this.logger.debug({ context }, String(message));
  }

  warn(message: unknown, context?: unknown): void {
    this.logger.warn({ context }, String(message));
  }

  error(message: unknown, ...details: unknown[]): void {
    if (details.at(-1) === exceptionHandlerContext) return;
    if (message instanceof Error) this.logger.error({ err: message }, 'Nest reported an error');
    else this.logger.error({ details }, String(message));
  }

  fatal(message: unknown): void {
    this.logger.error(String(message));
  }
}

/** Deeper values are omitted, because they are not searched for secrets. */
const maxDepth = 5;

function cleaned(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return withoutCredentials(value);
  if (value instanceof Error) return plainError(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth > maxDepth) return '[deeper]';
  if (Array.isArray(value)) return value.map((each) => cleaned(each, depth + 1));
  const entries = Object.entries(value).map(([name, value]) => {
    return [name, secretName.test(name) ? '[redacted]' : cleaned(value, depth + 1)];
  });
  return Object.fromEntries(entries);
}
