import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Button } from '../../components/button';
import { ConfirmDialog } from '../../components/confirm-dialog';
import type { Column } from '../../components/data-table';
import { choicesOf } from '../../components/fields';
import { ListScreen } from '../../components/list-screen';
import { shownValue } from '../../components/shown-value';
import { EmptyState } from '../../components/states';
import { wordsOf } from '../../components/status';
import { StatusBadge } from '../../components/status-badge';
import { Ago } from '../../components/time';
import { useMay } from '../../data/access';
import { answerOf, api } from '../../data/api';
import { cursorPages } from '../../data/pages';
import { liveByEvents } from '../../data/query-client';
import { type FindingsSearch, kinds, states } from './findings-search';

const route = getRouteApi('/signed-in/$tenantId/findings');

const findingsQuery = (tenantId: string, { kind, state = 'open' }: FindingsSearch) => ({
  ...cursorPages(['findings', tenantId, { kind, state }], (cursor) =>
    answerOf(
      api.GET('/admin/v1/tenants/{tenantId}/findings', {
        params: { path: { tenantId }, query: { kind, state, limit: 50, ...(cursor && { cursor }) } },
      }),
    ),
  ),
  ...liveByEvents,
});

type Finding = Awaited<ReturnType<NonNullable<ReturnType<typeof findingsQuery>['queryFn']>>>['data'][number];

const columnsOf = (onAccept?: (finding: Finding) => void): readonly Column<Finding>[] => [
  { id: 'kind', header: 'Finding', width: 'minmax(0, 1.6fr)', cell: ({ kind }) => wordsOf(kind) },
  {
    id: 'subject',
    header: 'About',
    width: 'minmax(0, 1.2fr)',
    cell: ({ identity_id, name, subject_id }) =>
      identity_id ? (
        <Link
          from="/$tenantId/findings"
          to="/$tenantId/people/$identityId"
          params={{ identityId: identity_id }}
          dir="auto"
        >
          {name ?? identity_id}
        </Link>
      ) : (
        <span dir="auto">{name ?? subject_id}</span>
      ),
  },
  {
    id: 'evidence',
    header: 'Evidence',
    width: 'minmax(0, 2.4fr)',
    from: 'wide',
    cell: ({ evidence }) => {
      const text = Object.entries(evidence)
        .map(([name, value]) => `${name.replaceAll('_', ' ')}: ${shownValue(value)}`)
        .join(' · ');
      return (
        <span title={text} dir="auto">
          {text || '—'}
        </span>
      );
    },
  },
  { id: 'state', header: 'State', width: '90px', from: 'medium', cell: ({ state }) => <StatusBadge status={state} /> },
  {
    id: 'opened',
    header: 'Opened',
    width: '100px',
    align: 'end',
    from: 'small',
    cell: ({ opened_at }) => <Ago at={opened_at} />,
  },
  ...(onAccept
    ? [
        {
          id: 'accept',
          header: 'Decision',
          width: '100px',
          align: 'end' as const,
          cell: (finding: Finding) =>
            finding.state === 'open' && (
              <Button small onClick={() => onAccept(finding)}>
                Accept…
              </Button>
            ),
        },
      ]
    : []),
];

export function FindingsScreen() {
  const { tenantId } = route.useParams();
  const filters = route.useSearch();
  const navigate = route.useNavigate();
  const query = useInfiniteQuery(findingsQuery(tenantId, filters));
  const client = useQueryClient();
  const mayAccept = useMay('operator');
  const [accepted, setAccepted] = useState<Finding>();
  const accept = async (reason: string | undefined) => {
    if (!accepted || !reason) return;
    await answerOf(
      api.POST('/admin/v1/tenants/{tenantId}/findings/{findingId}/accept', {
        params: { path: { tenantId, findingId: accepted.id } },
        body: { reason, by: 'operator' },
      }),
    );
    await client.invalidateQueries({ queryKey: ['findings', tenantId] });
  };
  return (
    <ListScreen<Finding, FindingsSearch>
      title="Findings"
      description="What looks wrong in the directory. A finding closes by itself when its cause is gone."
      api={`/admin/v1/tenants/${tenantId}/findings`}
      parameters={{ kind: filters.kind, state: filters.state ?? 'open' }}
      cli={`idsync findings list --state ${filters.state ?? 'open'}${filters.kind ? ` --kind ${filters.kind}` : ''}`}
      filters={[
        { of: 'kind', label: 'Kind', choices: choicesOf(kinds) },
        { of: 'state', label: 'State', choices: choicesOf(states), otherwise: 'open' },
      ]}
      search={filters}
      onSearch={(change) => navigate({ search: (old) => ({ ...old, ...change }), replace: true })}
      columns={columnsOf(mayAccept ? setAccepted : undefined)}
      rowKey={({ id }) => id}
      query={query}
      noMatch={<EmptyState title="No finding matches" />}
      nothing={<EmptyState title="Nothing found">The directory is checked after every run and every hour.</EmptyState>}
    >
      <ConfirmDialog
        open={accepted !== undefined}
        onOpenChange={(open) => setAccepted(open ? accepted : undefined)}
        title={`Accept “${accepted ? wordsOf(accepted.kind) : ''}”?`}
        action="Accept"
        reason="required"
        onConfirm={accept}
      >
        <p>It is no longer listed as open. You can open it again at any time.</p>
      </ConfirmDialog>
    </ListScreen>
  );
}
