import { Link, useNavigate } from '@tanstack/react-router';
import type { ComponentProps } from 'react';
import { useTenantId } from '../data/use-tenant';
import { pathOfId } from './id-targets';

type Anchor = Pick<ComponentProps<'a'>, 'className' | 'title' | 'dir' | 'children'>;

/** A link to a path below the tenant with its query: `/findings?kind=unmatched_account`. Its text alone without a path. */
export function TenantLink({ path, children, ...rest }: Anchor & { path: string | undefined }) {
  const tenantId = useTenantId();
  return path === undefined ? (
    <span {...rest}>{children}</span>
  ) : (
    <Link {...targetOf(tenantId, path)} {...rest}>
      {children}
    </Link>
  );
}

/** A link to the screen that shows what an id names. */
export function IdLink({ id, ...rest }: Anchor & { id: string }) {
  return <TenantLink path={pathOfId(id)} {...rest} />;
}

/** Opens a path below the tenant. */
export function useOpenPath(): (path: string) => Promise<void> {
  const navigate = useNavigate();
  const tenantId = useTenantId();
  return (path) => navigate(targetOf(tenantId, path));
}

function targetOf(tenantId: string, path: string): { to: string; search: Record<string, string> } {
  const { pathname, searchParams } = new URL(path, location.origin);
  return { to: `/${tenantId}${pathname}`, search: Object.fromEntries(searchParams) };
}
