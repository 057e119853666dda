import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Button } from '../../components/button';
import { ConfirmDialog } from '../../components/confirm-dialog';
import { CopyAs } from '../../components/copy-as';
import { type Column, DataTable } from '../../components/data-table';
import { FilterBar, SelectFilter } from '../../components/fields';
import { Page, Section } from '../../components/page';
import { shownValue } from '../../components/shown-value';
import { EmptyState } from '../../components/states';
import { wordsOf } from '../../components/status';
import { StatusBadge } from '../../components/status-badge';
import { Ago } from '../../components/time';
import { useMay } from '../../data/access';
import { answerOf, api } from '../../data/api';
import { cursorPages, itemsOf } from '../../data/pages';
import { live } from '../../data/query-client';
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
  ...live,
});

type Finding = Awaited<ReturnType<NonNullable<ReturnType<typeof findingsQuery>['queryFn']>>>['data'][number];

const columnsOf = (onAccept?: (finding: Finding) => void): readonly Column<Finding>[] => [
  { id: 'kind', header: 'Finding', width: 'minmax(0, 1.4fr)', cell: ({ kind }) => wordsOf(kind) },
  {
    id: 'subject',
    header: 'About',
    width: 'minmax(0, 1.6fr)',
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
    width: 'minmax(0, 2fr)',
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
  { id: 'state', header: 'State', width: '110px', from: 'medium', cell: ({ state }) => <StatusBadge status={state} /> },
  { id: 'opened', header: 'Opened', width: '110px', align: 'end', cell: ({ opened_at }) => <Ago at={opened_at} /> },
  ...(onAccept
    ? [
        {
          id: 'accept',
          header: '',
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
  const set = (change: FindingsSearch) => navigate({ search: (old) => ({ ...old, ...change }), replace: true });
  const accept = async (reason: string | undefined) => {
    if (!accepted || !reason) return;
    await answerOf(
      api.POST('/admin/v1/tenants/{tenantId}/findings/{findingId}/accept', {
        params: { path: { tenantId, findingId: accepted.id } },
        body: { reason } as never,
      }),
    );
    await client.invalidateQueries({ queryKey: ['findings', tenantId] });
  };
  return (
    <Page
      title="Findings"
      description="What looks wrong in the directory. A finding closes by itself when its cause is gone."
      actions={
        <CopyAs
          path={`/admin/v1/tenants/${tenantId}/findings`}
          cli="idsync findings list"
          json={query.data?.pages[0]}
        />
      }
    >
      <FilterBar>
        <SelectFilter
          label="Kind"
          value={filters.kind}
          choices={kinds.map((value) => ({ value, label: wordsOf(value) }))}
          onChange={(kind) => set({ kind: kind as FindingsSearch['kind'] })}
        />
        <SelectFilter
          label="State"
          value={filters.state ?? 'open'}
          choices={states.map((value) => ({ value, label: wordsOf(value) }))}
          onChange={(state) => set({ state: state as FindingsSearch['state'] })}
        />
      </FilterBar>
      <Section title="Findings" untitled flush>
        <DataTable
          label="Findings"
          columns={columnsOf(mayAccept ? setAccepted : undefined)}
          rows={itemsOf(query.data)}
          rowKey={({ id }) => id}
          query={query}
          empty={
            <EmptyState title="Nothing found">The directory is checked after every run and every hour.</EmptyState>
          }
        />
      </Section>
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
    </Page>
  );
}
