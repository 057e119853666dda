import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Page } from '../../components/page';
import { EmptyState, ErrorState, Loading } from '../../components/states';
import { useMay } from '../../data/access';
import { connectorTypesQuery } from '../../data/connector-types';
import { connectorQuery } from '../../data/connectors';
import { SetupPath } from './setup-path';

const route = getRouteApi('/signed-in/$tenantId/source-setup');

/** Sets a source up, or changes it, step by step. */
export function SetupScreen() {
  const { tenantId } = route.useParams();
  const { source: sourceId } = route.useSearch();
  const mayChange = useMay('admin');
  const types = useQuery(connectorTypesQuery);
  const source = useQuery({
    ...connectorQuery(tenantId, sourceId ?? ''),
    enabled: sourceId !== undefined,
    refetchInterval: false,
  });
  const error = types.error ?? source.error;
  if (!mayChange)
    return (
      <Page title="New source">
        <EmptyState title="Your role does not allow this">Only administrators set up sources.</EmptyState>
      </Page>
    );
  if (!types.data || (sourceId && !source.data)) {
    const onRetry = () => (types.error ? types.refetch() : source.refetch());
    return error ? <ErrorState error={error} onRetry={onRetry} /> : <Loading />;
  }
  return (
    <SetupPath
      key={`${tenantId} ${sourceId ?? 'new'}`}
      types={types.data}
      source={sourceId ? source.data : undefined}
    />
  );
}
