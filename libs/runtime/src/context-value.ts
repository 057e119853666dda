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
