import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { buttonClass } from '../../components/button';
import { CopyAs } from '../../components/copy-as';
import { IdChip } from '../../components/id-chip';
import { Missing } from '../../components/missing';
import { Page } from '../../components/page';
import { RecordEvents } from '../../components/record-events';
import { RecordFindings } from '../../components/record-findings';
import { RecordValues } from '../../components/record-values';
import { ErrorState, Loading } from '../../components/states';
import { wordsOf } from '../../components/status';
import { StatusBadge } from '../../components/status-badge';
import { Ago } from '../../components/time';
import { isNotFound } from '../../data/api';
import { useConnectorNames } from '../../data/connectors';
import { machineQuery } from './machine-queries';
import { ResponsiblePeople } from './responsible-people';
import { Risk } from './risk';

const route = getRouteApi('/signed-in/$tenantId/machines/$machineId');

/** One machine: its risk and the reasons, who is responsible, and the record of its source. */
export function MachineScreen() {
  const { tenantId, machineId } = route.useParams();
  const { data: machine, error, refetch } = useQuery(machineQuery(tenantId, machineId));
  const sourceName = useConnectorNames(tenantId);
  if (!machine && isNotFound(error))
    return (
      <Missing
        title="There is no such machine"
        action={
          <Link to="/$tenantId/machines" params={{ tenantId }} className={buttonClass({ look: 'primary' })}>
            All machines
          </Link>
        }
      >
        No machine of this tenant has the id <code>{machineId}</code>.
      </Missing>
    );
  if (!machine) return error ? <ErrorState error={error} onRetry={refetch} /> : <Loading />;
  const source = sourceName(machine.connector_id);
  return (
    <Page
      title={machine.display_name}
      beside={<StatusBadge status={machine.status} />}
      description={
        <>
          <span>{wordsOf(machine.classification ?? 'unknown kind')}</span>
          <span dir="auto">{source}</span>
          <IdChip id={machine.id} />
          <span>
            changed <Ago at={machine.updated_at} />
          </span>
        </>
      }
      actions={
        <CopyAs
          path={`/admin/v1/tenants/${tenantId}/machine-identities/${machineId}`}
          cli={`idsync machines show ${machineId}`}
          json={machine}
        />
      }
    >
      <Risk machine={machine} />
      <ResponsiblePeople machine={machine} sourceName={source} />
      <RecordFindings tenantId={tenantId} recordId={machineId} noun="machine" />
      <RecordValues tenantId={tenantId} record={machine} sourceName={source} />
      <RecordEvents tenantId={tenantId} recordId={machineId} identityId={machine.identity_id} sourceName={sourceName} />
    </Page>
  );
}
