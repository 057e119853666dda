import { Link, useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';

interface TenantLinkProps {
  tenantId: string;
  /** Path below the tenant with its query: `/findings?kind=unmatched_account`. */
  path: string;
  className?: string;
  children: ReactNode;
}

/** A link to a path that is computed. A path that is known in the source is checked by `Link` instead. */
export function TenantLink({ tenantId, path, className, children }: TenantLinkProps) {
  return (
    <Link {...targetOf(tenantId, path)} className={className}>
      {children}
    </Link>
  );
}

/** Opens a computed path below the tenant. */
export function useOpenPath(): (tenantId: string, path: string) => unknown {
  const navigate = useNavigate();
  return (tenantId, path) => navigate(targetOf(tenantId, path));
}

function targetOf(tenantId: string, path: string): { to: string; search: Record<string, string> } {
  const { pathname, searchParams } = new URL(path, location.origin);
  return { to: `/${tenantId}${pathname}`, search: Object.fromEntries(searchParams) };
}
