import { type QueryClient, useQuery } from '@tanstack/react-query';
import { createRootRouteWithContext, createRoute, Link, Outlet, redirect, useParams } from '@tanstack/react-router';
import { useEffect } from 'react';
import { buttonClass } from '../components/button';
import { EmptyState, ErrorState, Loading, Page } from '../components/page';
import { Missing } from '../components/screen';
import { isNotFound } from '../data/api';
import { tenantQuery } from '../data/queries';
import { sessionQuery } from '../data/session';
import { lastTenant } from './preferences';
import { Shell } from './shell';

interface RouterContext {
  queryClient: QueryClient;
}

export const rootRoute = createRootRouteWithContext<RouterContext>()({
  component: () => <Outlet />,
  notFoundComponent: () => <NotFound />,
  errorComponent: (props) => <RouteError {...props} />,
});

/** Parent of all screens that need a session. */
export const signedInRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'signed-in',
  beforeLoad: async ({ context, location }) => {
    const session = await context.queryClient.ensureQueryData(sessionQuery);
    if (!session) throw redirect({ to: '/sign-in', search: { return_to: location.href } });
    return { session };
  },
});

/** Parent of all screens of a tenant: the sidebar, and the screen beside it. */
export const tenantRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '$tenantId',
  component: TenantFrame,
  // Inside the frame, so that the navigation stays.
  notFoundComponent: NotFoundInTenant,
});

const form = /^ten_[0-9a-hjkmnp-tv-z]{26}$/;

/**
 * The frame of all screens of a tenant that exists. The screens of another one would send requests that all fail, so none
 * is shown until the tenant is known; the one that was open last is known already.
 */
function TenantFrame() {
  const { tenantId } = useParams({ from: '/signed-in/$tenantId' });
  const isPossible = form.test(tenantId);
  const { data, error } = useQuery({ ...tenantQuery(tenantId), enabled: isPossible });
  useEffect(() => {
    if (data) lastTenant.set(data.id);
  }, [data]);
  if (!isPossible || isNotFound(error)) return <NoTenant id={tenantId} />;
  if (!data && !error && lastTenant.get() !== tenantId) return <Loading rows={8} />;
  return <Shell tenantId={tenantId} />;
}

function NoTenant({ id }: { id: string }) {
  return (
    <main>
      <Missing
        title={`There is no tenant ${id}`}
        action={
          <>
            <Link to="/tenants" className={buttonClass({ look: 'primary' })}>
              All tenants
            </Link>
            <Link to="/" className={buttonClass()}>
              Home
            </Link>
          </>
        }
      >
        The address may be wrong, or the tenant was deleted.
      </Missing>
    </main>
  );
}

function NotFound() {
  return (
    <Page title="Page not found">
      <EmptyState
        title="There is no such page"
        action={
          <Link to="/" className={buttonClass({ look: 'primary' })}>
            Go to the start page
          </Link>
        }
      >
        The address may be wrong, or from another version.
      </EmptyState>
    </Page>
  );
}

/** An unknown address below a tenant. */
function NotFoundInTenant() {
  const { tenantId } = useParams({ from: '/signed-in/$tenantId' });
  return (
    <Missing
      title="Page not found"
      action={
        <Link to="/$tenantId" params={{ tenantId }} className={buttonClass({ look: 'primary' })}>
          Home
        </Link>
      }
    >
      The address may be wrong, or from another version.
    </Missing>
  );
}

function RouteError({ error, reset }: { error: unknown; reset: () => void }) {
  return (
    <Page title="Something went wrong">
      <ErrorState error={error as Error} onRetry={reset} />
    </Page>
  );
}
