import { AsyncLocalStorage } from 'node:async_hooks';

/** One for all values: before version 24, Node copies each storage to every promise. */
const storage = new AsyncLocalStorage<Readonly<Record<symbol, unknown>>>();

/** A value of the current work, including its asynchronous parts. */
export class ContextValue<Value> {
  private readonly key = Symbol('ContextValue');

  run<Result>(value: Value, work: () => Result): Result {
    return storage.run({ ...storage.getStore(), [this.key]: value }, work);
  }

  get(): Value | undefined {
    return storage.getStore()?.[this.key] as Value | undefined;
  }
}

/** Ids that are added to log lines. */
export interface LogContext {
  request_id?: string;
  tenant_id?: string;
  job_id?: string;
  message_id?: string;
  event_id?: string;
  delivery_id?: string;
}

const contexts = new ContextValue<LogContext>();

/** Adds `context` to every log line that `work` writes, including its asynchronous parts. */
export function withLogContext<Result>(context: LogContext, work: () => Result): Result {
  return contexts.run({ ...contexts.get(), ...context }, work);
}

/** Adds fields to the following lines of the current context. */
export function addLogContext(context: LogContext): void {
  Object.assign(contexts.get() ?? {}, context);
}

export function logContext(): LogContext {
  return contexts.get() ?? {};
}
