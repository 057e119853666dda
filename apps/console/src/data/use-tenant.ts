import { useNavigate, useParams, useSearch } from '@tanstack/react-router';

/** Id of the tenant whose screen is open. */
export function useTenantId(): string {
  return useParams({ from: '/signed-in/$tenantId' }).tenantId;
}

/** The filters in the URL of the open screen, and a function that changes some of them. */
export function useFilters<Search extends object>(): [Search, (change: Search) => Promise<void>] {
  const navigate = useNavigate();
  const search: object = useSearch({ strict: false });
  const change = (changed: Search) =>
    navigate({ to: '.', search: (old: object) => ({ ...old, ...changed }) as never, replace: true });
  return [search as Search, change];
}
