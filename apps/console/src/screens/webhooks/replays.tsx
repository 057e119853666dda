import type { WebhookDetails } from '@idsync/client/operator';
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type Column, DataTable } from '../../components/data-table';
import { FormButton } from '../../components/dialog';
import { TextArea, TextField } from '../../components/fields';
import { formatCount } from '../../components/format-time';
import { wordsOf } from '../../components/words';
import { call, type Replay, useTenantId } from '../../data/api';
import { live } from '../../data/query-client';
import { localTime, type ReplayWindow, windowOf } from './replay-window';

/** The most events that a preview counts: one request returns them. */
const maxCounted = 200;

/** How many events a replay of this time examines. */
const countedQuery = (tenantId: string, { since, until, events = [] }: ReplayWindow) =>
  queryOptions({
    queryKey: ['replayed-events', tenantId, { since, until, events }],
    queryFn: async () => {
      const { data, next_cursor } = await call(
        'GET /events',
        { tenantId },
        { since, until, types: events.join(','), limit: maxCounted },
      );
      // Tests are never sent again.
      const count = data.filter(({ event_type }) => event_type !== 'webhook.test').length;
      return { count, isAll: next_cursor === undefined };
    },
  });

const hourMs = 3_600_000;
const initial = () => ({ since: localTime(Date.now() - hourMs), until: '', events: '' });

/** Sends the events of a time again, after a preview of how many there are. */
export function ReplayButton({ webhook, refresh }: { webhook: WebhookDetails; refresh: () => unknown }) {
  const tenantId = useTenantId();
  const [input, setInput] = useState(initial);
  const set = (changed: Partial<typeof input>) => setInput((old) => ({ ...old, ...changed }));
  const given = windowOf(input);
  const start = async () => {
    const ids = { tenantId, webhookId: webhook.id };
    if (given) await call('POST /webhooks/{webhookId}/replay', ids, { ...given, by: 'operator' });
    return undefined;
  };
  return (
    <FormButton
      label="Replay…"
      title="Send the events of a time again"
      action="Replay"
      isReady={given !== undefined}
      done="The events are being sent again."
      onDone={refresh}
      onOpen={() => setInput(initial())}
      onSubmit={start}
    >
      <TextField label="From" type="datetime-local" required value={input.since} onChange={(since) => set({ since })} />
      <TextField
        label="Until (optional)"
        type="datetime-local"
        value={input.until}
        onChange={(until) => set({ until })}
      />
      <TextArea
        label="Events (optional)"
        hint={`One on each line. If empty, all that the webhook subscribes to: ${webhook.events.join(', ')}`}
        rows={2}
        spellCheck={false}
        value={input.events}
        onChange={(events) => set({ events })}
      />
      {given && (
        <Preview
          isFiltered={webhook.filter !== undefined}
          range={{ ...given, events: given.events ?? webhook.events }}
        />
      )}
      <p>Each keeps its webhook-id, so that a receiver recognises an event that it has handled already.</p>
    </FormButton>
  );
}

function Preview({ range, isFiltered }: { range: ReplayWindow; isFiltered: boolean }) {
  const { data, error } = useQuery({ ...countedQuery(useTenantId(), range), placeholderData: keepPreviousData });
  if (error) return <p role="status">{error.message}</p>;
  const remark = isFiltered ? ' The filter of the webhook may leave some out.' : '';
  return <p role="status">{data === undefined ? 'Counting events…' : `${eventsOf(data)} of this time.${remark}`}</p>;
}

/** A page may have no events although there are some: it examines a bounded number of others. */
function eventsOf({ count, isAll }: { count: number; isAll: boolean }): string {
  if (count === 0 && !isAll) return 'An unknown number of events';
  return `${formatCount(count, !isAll)} ${count === 1 && isAll ? 'event' : 'events'}`;
}

/** The newest replays of a webhook. */
const replaysQuery = (tenantId: string, webhookId: string) =>
  queryOptions({
    queryKey: ['replays', tenantId, webhookId],
    queryFn: async () => {
      const { data } = await call('GET /replays', { tenantId }, { limit: 200 });
      return data.filter((replay) => replay.webhook_id === webhookId).slice(0, 5);
    },
    ...live,
  });

const columns: readonly Column<Replay>[] = [
  { header: 'Kind', cell: ({ kind }) => wordsOf(kind) },
  { header: 'Status', as: 'status', cell: 'status' },
  { header: 'Sent again', as: 'count', width: '100px', cell: 'made_due' },
  { header: 'By', from: 'medium', cell: 'requested_by' },
  { header: 'Requested', as: 'ago', from: 'small', cell: 'created_at' },
];

/** The replays of a webhook, and how far they are. Absent if there is none. */
export function Replays({ webhookId }: { webhookId: string }) {
  const { data } = useQuery(replaysQuery(useTenantId(), webhookId));
  if (!data?.length) return null;
  return (
    <DataTable
      title="Sent again on request"
      label="Replays"
      columns={columns}
      rows={data}
      rowKey={({ replay_id }) => replay_id}
    />
  );
}
