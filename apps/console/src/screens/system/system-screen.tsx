import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { buttonClass } from '../../components/button';
import { type Column, DataTable, rowLink } from '../../components/data-table';
import { formatCount } from '../../components/format-time';
import { StatTile, StatTiles } from '../../components/page';
import { NotLoaded, Screen } from '../../components/screen';
import { StatusBadge } from '../../components/values';
import { callInstallation } from '../../data/api';
import { live } from '../../data/query-client';
import { DeadLetters } from './dead-letters';
import {
  brokerOf,
  countOf,
  lagOf,
  missingServices,
  type Process,
  type Queue,
  type System,
  stateOfProcess,
  stateOfQueue,
  versionsOf,
} from './describe-system';

const route = getRouteApi('/signed-in/$tenantId/system');

/** Versions, processes, queues and dead letters of the installation, for operators of all tenants. */
export function SystemScreen() {
  const { queue, letter } = route.useSearch();
  const navigate = route.useNavigate();
  const query = useQuery({ queryKey: ['system'], queryFn: () => callInstallation('GET /system', {}), ...live });
  const system = query.data;
  if (!system) return <NotLoaded query={query} />;
  return (
    <Screen
      title="System"
      beside={<SystemStatus system={system} />}
      description="Processes and queues of the whole installation, of all tenants."
      api="/admin/v1/system"
      cli="idsync system show"
      json={system}
      actions={
        system.metrics_url && (
          <a className={buttonClass({})} href={system.metrics_url} target="_blank" rel="noreferrer">
            Metrics
          </a>
        )
      }
    >
      <Tiles system={system} />
      <Processes processes={system.processes} />
      <Queues queues={system.queues} isCapped={system.broker.kind === 'postgresql'} />
      <DeadLetters
        queues={system.queues}
        queue={queue}
        letter={letter}
        onSearch={(change) => navigate({ search: (old) => ({ ...old, ...change }), replace: true, resetScroll: false })}
      />
    </Screen>
  );
}

function SystemStatus({ system }: { system: System }) {
  const missing = missingServices(system);
  if (!system.broker.connected) return <StatusBadge tone="bad">Broker away</StatusBadge>;
  if (missing.length > 0) return <StatusBadge tone="bad">{`No ${missing.join(', ')}`}</StatusBadge>;
  return <StatusBadge tone="ok">All services respond</StatusBadge>;
}

function Tiles({ system }: { system: System }) {
  const { versions, queues, fan_out: fanOut, processes } = system;
  const isCapped = system.broker.kind === 'postgresql';
  const counted = queues.map(({ messages }) => messages).filter((messages) => messages !== undefined);
  const waiting = counted.length === 0 ? undefined : counted.reduce((sum, messages) => sum + messages, 0);
  const dead = queues.reduce((sum, { dead_letters }) => sum + dead_letters, 0);
  const running = versionsOf(processes);
  return (
    <StatTiles>
      <StatTile
        label="Version"
        value={versions.idsync}
        about={running.length > 1 ? `Side by side: ${running.join(', ')}` : `Node.js ${versions.node}`}
        tone={running.length > 1 ? 'warn' : undefined}
      />
      <StatTile
        label="PostgreSQL"
        value={versions.postgresql}
        about={`Schema ${versions.schema.replace(/\D*17/, '17')}${versions.schema_state === 'current' ? '' : `, ${versions.schema_state}`}`}
        tone={versions.schema_state === 'current' ? undefined : 'warn'}
      />
      <StatTile label="Waiting messages" value={countOf(waiting, isCapped)} about={brokerOf(system.broker)} />
      <StatTile
        label="Events to fan out"
        value={formatCount(fanOut.events)}
        about={fanOut.events > 0 ? `Tenants: ${formatCount(fanOut.tenants)}` : 'Webhooks have all events'}
      />
      <StatTile label="Dead letters" value={countOf(dead)} tone={dead > 0 ? 'bad' : undefined} />
    </StatTiles>
  );
}

const columns: readonly Column<Process>[] = [
  { header: 'Service', width: 'minmax(0, 1.4fr)', cell: 'service' },
  { header: 'Host', width: 'minmax(0, 1.4fr)', from: 'medium', cell: 'host' },
  { header: 'Version', width: '100px', from: 'medium', cell: 'version' },
  { header: 'Outbox', as: 'count', from: 'wide', cell: 'outbox_messages' },
  { header: 'Started', as: 'ago', from: 'wide', cell: 'started_at' },
  { header: 'Reported', as: 'ago', from: 'medium', cell: 'seen_at' },
  { header: 'State', width: '140px', cell: stateOfProcess },
];

/** The processes that have reported within a day. */
function Processes({ processes }: { processes: readonly Process[] }) {
  return (
    <DataTable
      title="Processes"
      columns={columns}
      rows={processes}
      rowKey={({ service, host, started_at }) => `${service} ${host} ${started_at}`}
      empty={{ title: 'No process has reported yet', text: 'Each process reports every 30 seconds.' }}
    />
  );
}

const columnsOf = (isCapped: boolean): readonly Column<Queue>[] => [
  {
    header: 'Queue',
    width: 'minmax(0, 2fr)',
    cell: ({ name }) => (
      <Link
        from="/$tenantId/system"
        to="."
        search={(old) => ({ ...old, queue: name })}
        className={rowLink}
        resetScroll={false}
      >
        {name}
      </Link>
    ),
  },
  { header: 'Waiting', as: 'count', cell: ({ messages }) => countOf(messages, isCapped) },
  { header: 'Oldest', as: 'count', width: '110px', from: 'medium', cell: lagOf },
  { header: 'Consumers', as: 'count', width: '100px', from: 'wide', cell: 'consumers' },
  {
    header: 'Dead letters',
    as: 'count',
    width: '110px',
    from: 'medium',
    cell: ({ dead_letters }) => (dead_letters > 0 ? countOf(dead_letters) : undefined),
  },
  { header: 'State', width: '140px', from: 'medium', cell: stateOfQueue },
];

/** The queues of all services. A row opens the dead letters of its queue. */
function Queues({ queues, isCapped }: { queues: readonly Queue[]; isCapped: boolean }) {
  return <DataTable title="Queues" columns={columnsOf(isCapped)} rows={queues} rowKey={({ name }) => name} />;
}
