import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../../components/button';
import { useEventColumns } from '../../components/event-columns';
import { ListScreen } from '../../components/list-screen';
import { StatusBadge } from '../../components/values';
import { type OperatorEvent, useFilters, useTenantId } from '../../data/api';
import { eventsQuery, useSourceChoices } from '../../data/queries';
import { type EventsSearch, startOf } from '../../data/searches';

/** Groups of event types, as subscriptions name them. */
const groups: readonly string[] = [
  'identity.*',
  'lifecycle.*',
  'user.*',
  'account.*',
  'machine_identity.*',
  'group.*',
  'finding.*',
  'sync.job.*',
  'webhook.test',
];
const periodChoices = [
  { value: '1h', label: 'Last hour' },
  { value: '24h', label: 'Last 24 hours' },
  { value: '7d', label: 'Last 7 days' },
];

/** The feed of events as they occur. */
export function EventsScreen() {
  const tenantId = useTenantId();
  const [search] = useFilters<EventsSearch>();
  const [isPaused, setPaused] = useState(false);
  const { types, identity, job, source, since } = search;
  const filters = {
    types,
    identity_id: identity,
    job_id: job,
    connector_id: source,
    since: startOf(since, Date.now()),
  };
  const query = useInfiniteQuery({ ...eventsQuery(tenantId, filters, isPaused), placeholderData: (old) => old });
  const sources = useSourceChoices();
  const isLive = !isPaused && (query.data?.pages.length ?? 0) <= 1;
  const options = { '--types': types, '--identity': identity, '--job': job, '--connector': source };
  const flags = Object.entries(options).flatMap(([flag, value]) => (value === undefined ? [] : ` ${flag} '${value}'`));
  return (
    <ListScreen<OperatorEvent, EventsSearch>
      title="Events"
      beside={
        <StatusBadge tone={isLive ? 'ok' : 'neutral'}>
          {isLive ? 'Live' : isPaused ? 'Paused' : 'Paused at earlier events'}
        </StatusBadge>
      }
      description="What subscribers receive, the newest first."
      api="/events"
      parameters={filters}
      cli={`idsync events list${flags.join('')}`}
      filters={[
        {
          of: 'types',
          label: 'Type',
          // A type that a link has named is a choice, too.
          choices: [...groups, ...(types && !groups.includes(types) ? [types] : [])].map((value) => ({
            value,
            label: value,
          })),
        },
        { of: 'source', label: 'Source', choices: sources },
        { of: 'since', label: 'Time', choices: periodChoices },
        { of: 'identity', label: 'Id of a person', placeholder: 'Person id', narrow: true },
        { of: 'job', label: 'Id of a run', placeholder: 'Run id', narrow: true },
      ]}
      saved="events"
      columns={useEventColumns()}
      query={query}
      noMatch={{
        title: 'No event matches',
        text: 'New events appear here by themselves. A filter examines 5,000 events at a time.',
      }}
      nothing={{ title: 'No event yet', text: 'Events appear when the first source has been read.' }}
      actions={<Button onClick={() => setPaused(!isPaused)}>{isPaused ? 'Resume' : 'Pause'}</Button>}
    />
  );
}
