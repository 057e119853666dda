import { type RecordError, sourceErrors } from '@idsync/contracts';
import {
  CheckpointExpired,
  type Connector,
  type FieldProblem,
  type FoundRecord,
  type ReadRecord,
  SourceError,
} from '../connector.js';
import { SecretFilter } from './secret-filter.js';

/** Wraps a connector so that its errors can be stored and shown: text of the source is redacted. */
export function guarded(connector: Connector, secrets: readonly string[]): Connector {
  const filter = new SecretFilter(secrets);
  const guard = <T>(work: Promise<T>, signal: AbortSignal) =>
    work.catch((error: unknown) => {
      throw safeError(error, filter, signal);
    });
  const { readOne, describe, discover } = connector;
  return {
    ...connector,
    async *read(options) {
      try {
        for await (const page of connector.read(options)) {
          yield {
            ...page,
            records: page.records.map((record) => safeRecord(record, filter)),
            errors: page.errors.map((error) => safeRecordError(error, filter)),
          };
        }
      } catch (error) {
        throw safeError(error, filter, options.signal);
      }
    },
    ...(readOne && {
      readOne: async (externalId, signal): Promise<FoundRecord> => {
        const found = await guard(readOne(externalId, signal), signal);
        if (found === 'absent') return found;
        if ('error' in found) return { error: safeRecordError(found.error, filter) };
        return { record: safeRecord(found.record, filter) };
      },
    }),
    ...(describe && { describe: (signal) => guard(describe(signal), signal) }),
    ...(discover && { discover: (signal) => guard(discover(signal), signal) }),
  };
}

/** Redacts an error that occurred before the connector was created. */
export function guardedError(error: unknown, secrets: readonly string[]): unknown {
  return safeError(error, new SecretFilter(secrets));
}

function safeError(error: unknown, filter: SecretFilter, signal?: AbortSignal): unknown {
  if (signal?.aborted && error === signal.reason) return error;
  if (error instanceof SourceError) {
    const { code, said, transient } = error;
    const message = filter.isRepeatedBy(error.message) ? sourceErrors[code] : error.message;
    return new SourceError(message, { code, transient, ...(said !== undefined && { said: filter.text(said) }) });
  }
  if (error instanceof CheckpointExpired) {
    return filter.isRepeatedBy(error.message) ? new CheckpointExpired('the checkpoint has expired') : error;
  }
  return withoutText(error, filter);
}

/** Redacts an unexpected error and keeps only its stack frames, because driver errors contain text of servers. */
function withoutText(error: unknown, filter: SecretFilter): Error {
  const { name, message, stack = '' } = error instanceof Error ? error : new Error(String(error));
  const safe = new Error(filter.text(message));
  safe.name = name;
  const frames = stack.split('\n').filter((line) => /^ {4}at /.test(line));
  safe.stack = [`${safe.name}: ${safe.message}`, ...frames].join('\n');
  return safe;
}

function safeRecord(record: ReadRecord, filter: SecretFilter): ReadRecord {
  if (!record.problems) return record;
  return { ...record, problems: record.problems.map((problem) => safeRecordError(problem, filter)) };
}

function safeRecordError<Problem extends RecordError | FieldProblem>(error: Problem, filter: SecretFilter): Problem {
  const message = filter.isRepeatedBy(error.message) ? 'the record cannot be used' : error.message;
  return { ...error, message, ...(error.said !== undefined && { said: filter.text(error.said) }) };
}
