import type { LoggerService } from '@nestjs/common';
import { type Logger, pino } from 'pino';
import { plainError } from './plain-error.js';
import { withoutCredentials } from './without-credentials.js';

const secrets = [
  'authorization',
  '["x-api-key"]',
  'apiKey',
  'api_key',
  'secret',
  'password',
  'token',
  'signing_secret',
];
const depths = ['', '*', '*.*'];

/** Structured logs of one service, on standard error: standard output belongs to people. */
export function createLogger(service: string, level: string): Logger {
  return pino(
    {
      level,
      base: { service },
      redact: { paths: secrets.flatMap((name) => depths.map((depth) => joined(depth, name))), censor: '[redacted]' },
      hooks: {
        logMethod(words, method) {
          const clean = words.map((word: unknown) => (typeof word === 'string' ? withoutCredentials(word) : word));
          method.apply(this, clean as typeof words);
        },
      },
      serializers: { err: plainError },
      timestamp: pino.stdTimeFunctions.isoTime,
    },
    // Node's own stream, so that a reader that has gone is noticed.
    process.stderr,
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

function joined(depth: string, name: string): string {
  if (depth === '' || name.startsWith('[')) return depth + name;
  return `${depth}.${name}`;
}
