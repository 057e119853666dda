import type { LoggerService } from '@nestjs/common';
import { type DestinationStream, type Logger, pino } from 'pino';
import { logContext } from './log-context.js';
import { plainError } from './plain-error.js';
import { traceId } from './tracing/traced.js';
import { withoutCredentials } from './without-credentials.js';

/** Names of headers, settings and fields of bodies whose values nobody reads in logs. */
const secretName =
  /^(.*authorization|(set-)?cookie|.*(secret|password|passphrase|token|(access|account|api|encryption|private)[-_]?key)s?)$/i;

/**
 * Structured logs of one service, on standard error: standard output belongs to people. It is Node's own stream, so that a reader that
 * has gone is noticed.
 */
export function createLogger(service: string, level: string, into: DestinationStream = process.stderr): Logger {
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
      formatters: { log: (told) => cleaned(told, 0) as Record<string, unknown> },
      // A copy: what is learnt later belongs to later lines.
      mixin: () => {
        const trace = traceId();
        return trace === undefined ? { ...logContext() } : { ...logContext(), trace_id: trace };
      },
      timestamp: pino.stdTimeFunctions.isoTime,
    },
    into,
  );
}

/** Lets Nest write to the same logs. */
export class NestLogger implements LoggerService {
  constructor(private readonly logger: Logger) {}

  log(message: unknown, context?: unknown): void {
    this.logger.debug({ context }, String(message));
  }

  warn(message: unknown, context?: unknown): void {
    this.logger.warn({ context }, String(message));
  }

  error(message: unknown, ...details: unknown[]): void {
    if (message instanceof Error) this.logger.error({ err: message });
    else this.logger.error({ details }, String(message));
  }

  fatal(message: unknown): void {
    this.logger.fatal(String(message));
  }
}

/** What is told deeper than this is left out: nobody has looked at it. */
const deepest = 5;

function cleaned(told: unknown, depth: number): unknown {
  if (typeof told === 'string') return withoutCredentials(told);
  if (told instanceof Error) return plainError(told);
  if (typeof told !== 'object' || told === null) return told;
  if (depth > deepest) return '[deeper]';
  if (Array.isArray(told)) return told.map((each) => cleaned(each, depth + 1));
  const entries = Object.entries(told).map(([name, value]) => {
    return [name, secretName.test(name) ? '[redacted]' : cleaned(value, depth + 1)];
  });
  return Object.fromEntries(entries);
}
