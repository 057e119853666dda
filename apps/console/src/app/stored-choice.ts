import { Store } from '../data/store';

/** A setting that this browser keeps, such as the theme. */
export class StoredChoice<Value extends string> extends Store<Value> {
  constructor(
    private readonly key: string,
    readonly values: readonly [Value, ...Value[]],
  ) {
    super(values.find((value) => value === storedAt(key)) ?? values[0]);
  }

  override set(value: Value): void {
    localStorage.setItem(this.key, value);
    super.set(value);
  }
}

/** A browser may refuse its storage to a page in the frame of another origin. */
function storedAt(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}
