import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { IdAndAge } from '../../components/id-chip';
import { RecordDetails } from '../../components/record-details';
import { NotLoaded, Screen } from '../../components/screen';
import { wordsOf } from '../../components/status';
import { StatusBadge } from '../../components/status-badge';
import { call } from '../../data/api';
import { useSourceName } from '../../data/connectors';
import { liveByEvents } from '../../data/query-client';
import { ResponsiblePeople } from './responsible-people';
import { Risk } from './risk';

const route = getRouteApi('/signed-in/$tenantId/machines/$machineId');

/** One machine: its risk and the reasons, who is responsible, and the record of its source. */
export function MachineScreen() {
  const { tenantId, machineId } = route.useParams();
  const query = useQuery({
    queryKey: ['machines', tenantId, machineId],
    queryFn: () => call('GET /machine-identities/{machineId}', { tenantId, machineId }),
    ...liveByEvents,
  });
  const sourceName = useSourceName();
  const machine = query.data;
  if (!machine) return <NotLoaded query={query} noun="machine" id={machineId} all={['/machines', 'All machines']} />;
  const source = sourceName(machine.connector_id);
  return (
    <Screen
      title={machine.display_name}
      beside={<StatusBadge status={machine.status} />}
      description={
        <>
          <span>{wordsOf(machine.classification ?? 'unknown kind')}</span>
          <span dir="auto">{source}</span>
          <IdAndAge id={machine.id} verb="changed" at={machine.updated_at} />
        </>
      }
      api={`/machine-identities/${machineId}`}
      cli={`idsync machines show ${machineId}`}
      json={machine}
    >
      <Risk machine={machine} />
      <ResponsiblePeople machine={machine} sourceName={source} />
      <RecordDetails record={machine} noun="machine" />
    </Screen>
  );
}
