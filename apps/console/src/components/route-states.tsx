import { Link, useParams } from '@tanstack/react-router';
import { buttonClass } from './button';
import { Page } from './page';
import { Missing } from './screen';
import { EmptyState, ErrorState } from './states';

export function NotFound() {
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
export function NotFoundInTenant() {
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

export function RouteError({ error, reset }: { error: unknown; reset: () => void }) {
  return (
    <Page title="Something went wrong">
      <ErrorState error={error as Error} onRetry={reset} />
    </Page>
  );
}
