import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { buttonClass } from '../../components/button';
import { formatCount } from '../../components/format-time';
import { NotLoaded, Screen } from '../../components/screen';
import { StatTile, StatTiles } from '../../components/stat-tile';
import { StatusBadge } from '../../components/status-badge';
import { DeadLetters } from './dead-letters';
import { brokerOf, countOf, missingServices, versionsOf } from './describe-system';
import { Processes } from './processes';
import { Queues } from './queues';
import { type System, systemQuery } from './system-queries';

const route = getRouteApi('/signed-in/$tenantId/system');

/** Versions, processes, queues and dead letters of the installation, for operators of all tenants. */
export function SystemScreen() {
  const { queue, letter } = route.useSearch();
  const navigate = route.useNavigate();
  const query = useQuery(systemQuery);
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
