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

export const theme = new StoredChoice('idsync.theme', ['system', 'light', 'dark']);
export const timeZone = new StoredChoice('idsync.time-zone', ['local', 'UTC']);

/** Called before the first rendering, because an inline script is not allowed. */
export function applyTheme(): void {
  const apply = () => {
    const chosen = theme.get();
    if (chosen === 'system') document.documentElement.removeAttribute('data-theme');
    else document.documentElement.setAttribute('data-theme', chosen);
  };
  apply();
  theme.subscribe(apply);
}

const lastTenantKey = 'idsync.tenant';
export const lastTenant = {
  get: () => localStorage.getItem(lastTenantKey) ?? undefined,
  set: (id: string) => localStorage.setItem(lastTenantKey, id),
};
