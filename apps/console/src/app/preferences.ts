import { StoredChoice } from './stored-choice';

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
