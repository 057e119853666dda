import { useSyncExternalStore } from 'react';

/** A setting of this browser, such as the theme. Changes are seen by all components that use it. */
export class StoredChoice<Value extends string> {
  private readonly listeners = new Set<() => void>();

  constructor(
    private readonly key: string,
    readonly values: readonly [Value, ...Value[]],
  ) {}

  get = (): Value => {
    return this.values.find((value) => value === this.stored()) ?? this.values[0];
  };

  /** A browser may refuse its storage to a page in the frame of another origin. */
  private stored(): string | null {
    try {
      return localStorage.getItem(this.key);
    } catch {
      return null;
    }
  }

  set(value: Value): void {
    localStorage.setItem(this.key, value);
    for (const listener of this.listeners) listener();
  }

  subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };
}

export function useChoice<Value extends string>(choice: StoredChoice<Value>): Value {
  return useSyncExternalStore(choice.subscribe, choice.get);
}
