import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
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
import { subjectPath } from '../../components/subject-path';
import { TenantLink } from '../../components/tenant-link';
import { Ago } from '../../components/time';
import { useMay } from '../../data/access';
import { call } from '../../data/api';
import { cursorPages } from '../../data/pages';
import { liveByEvents } from '../../data/query-client';
import { type FindingsSearch, kinds, states } from './findings-search';

const route = getRouteApi('/signed-in/$tenantId/findings');

const findingsQuery = (tenantId: string, { kind, state = 'open', subject }: FindingsSearch) => ({
  ...cursorPages(['findings', tenantId, { kind, state, subject }], (cursor) =>
    call('GET /findings', { tenantId }, { kind, state, subject, limit: 50, cursor }),
  ),
  ...liveByEvents,
});

type Finding = Awaited<ReturnType<NonNullable<ReturnType<typeof findingsQuery>['queryFn']>>>['data'][number];

const columnsOf = (tenantId: string, onAccept?: (finding: Finding) => void): readonly Column<Finding>[] => [
  { id: 'kind', header: 'Finding', width: 'minmax(0, 1.6fr)', cell: ({ kind }) => wordsOf(kind) },
  {
    id: 'subject',
    header: 'About',
    width: 'minmax(0, 1.2fr)',
    cell: ({ identity_id, name, subject_id }) => {
      const path = subjectPath(subject_id, identity_id);
      const shown = <span dir="auto">{name ?? subject_id}</span>;
      return path ? (
        <TenantLink tenantId={tenantId} path={path}>
          {shown}
        </TenantLink>
      ) : (
        shown
      );
    },
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
    await call('POST /findings/{findingId}/accept', { tenantId, findingId: accepted.id }, { reason, by: 'operator' });
    await client.invalidateQueries({ queryKey: ['findings', tenantId] });
  };
  return (
    <ListScreen<Finding, FindingsSearch>
      title="Findings"
      description="What looks wrong in the directory. A finding closes by itself when its cause is gone."
      api={`/admin/v1/tenants/${tenantId}/findings`}
      parameters={{ kind: filters.kind, state: filters.state ?? 'open', subject: filters.subject }}
      cli={`idsync findings list --state ${filters.state ?? 'open'}${filters.kind ? ` --kind ${filters.kind}` : ''}`}
      filters={[
        { of: 'kind', label: 'Kind', choices: choicesOf(kinds) },
        { of: 'state', label: 'State', choices: choicesOf(states), otherwise: 'open' },
        { of: 'subject', label: 'Id of the subject', placeholder: 'About: any id', narrow: true },
      ]}
      search={filters}
      onSearch={(change) => navigate({ search: (old) => ({ ...old, ...change }), replace: true })}
      columns={columnsOf(tenantId, mayAccept ? setAccepted : undefined)}
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
