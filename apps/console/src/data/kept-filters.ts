/** Filters of a list that the operator has named. They stay in this browser. */
export interface KeptFilter {
  name: string;
  search: Record<string, string>;
}

const keyOf = (list: string) => `idsync.filters.${list}`;

export function keptFilters(list: string): KeptFilter[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(keyOf(list)) ?? '[]');
    return Array.isArray(stored) ? stored.filter(isKept) : [];
  } catch {
    return [];
  }
}

/** Keeps the filters; another one with this name is replaced. */
export function keepFilter(list: string, { name, search }: KeptFilter): void {
  store(list, [...keptFilters(list).filter((kept) => kept.name !== name), { name, search }]);
}

export function forgetFilter(list: string, name: string): void {
  store(
    list,
    keptFilters(list).filter((kept) => kept.name !== name),
  );
}

function store(list: string, filters: readonly KeptFilter[]): void {
  localStorage.setItem(keyOf(list), JSON.stringify(filters));
}

function isKept(value: unknown): value is KeptFilter {
  const { name, search } = (value ?? {}) as Partial<KeptFilter>;
  return typeof name === 'string' && typeof search === 'object' && search !== null;
}
