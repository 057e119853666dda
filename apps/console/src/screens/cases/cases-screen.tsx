import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useEffect } from 'react';
import { Button } from '../../components/button';
import { apartWords } from '../../components/describe-case';
import { FilterBar, SelectFilter } from '../../components/fields';
import { formatCount } from '../../components/format-time';
import { Screen } from '../../components/screen';
import { EmptyState, ErrorState, Loading } from '../../components/states';
import { useMay } from '../../data/access';
import { call, type ReviewCase } from '../../data/api';
import { itemsOf, offsetPages } from '../../data/pages';
import { liveByEvents } from '../../data/query-client';
import { CaseDetail } from './case-detail';
import { CaseList } from './case-list';
import { caseStatuses, caseStatusWords } from './case-statuses';
import styles from './cases-screen.module.css';
import { useResolve } from './use-resolve';

/** Cases, oldest first. */
const casesQuery = (tenantId: string, status: ReviewCase['status']) =>
  offsetPages(['cases', tenantId, { status }], (offset) =>
    call('GET /cases', { tenantId }, { status, limit: 50, offset }),
  );

const route = getRouteApi('/signed-in/$tenantId/cases');

/** Records that matching could not assign, decided one after the other by keyboard. */
export function CasesScreen() {
  const { tenantId } = route.useParams();
  const { status, case: chosen } = route.useSearch();
  const navigate = route.useNavigate();
  const query = useInfiniteQuery({ ...casesQuery(tenantId, status ?? 'open'), ...liveByEvents });
  const mayDecide = useMay('operator');
  const { last, resolve, undo, isBusy } = useResolve(tenantId);
  const cases = itemsOf(query.data);
  const position = Math.max(
    0,
    cases.findIndex(({ id }) => id === chosen),
  );
  const current = cases[position];
  const show = (id: string | undefined) => navigate({ search: (old) => ({ ...old, case: id }), replace: true });

  const decide = (key: string) => {
    if (!current || isBusy || !mayDecide || current.status !== 'open') return;
    const next = cases[position + 1] ?? cases[position - 1];
    const candidate = current.candidates[Number(key) - 1];
    if (candidate)
      resolve.mutate({ caseId: current.id, resolution: 'link', identity_id: candidate.identity_id, done: 'Linked' });
    else if (key === 'n') resolve.mutate({ caseId: current.id, resolution: 'new', done: apartWords(current).done });
    else if (key === 'i') resolve.mutate({ caseId: current.id, resolution: 'ignore', done: 'Ignored' });
    else return;
    void show(next?.id);
  };
  const onKey = (event: KeyboardEvent) => {
    const isTyping = event.target instanceof HTMLElement && event.target.matches('input, textarea, select');
    const isOpenDialog = document.querySelector('[role="dialog"], [role="alertdialog"], [role="menu"]') !== null;
    if (isTyping || isOpenDialog || event.metaKey || event.ctrlKey || event.altKey) return;
    if (event.key === 'j') void show(cases[position + 1]?.id ?? current?.id);
    else if (event.key === 'k') void show(cases[position - 1]?.id ?? current?.id);
    else if (event.key === 'u' && last && !isBusy) {
      undo.mutate(last);
      void show(last.caseId);
    } else decide(event.key);
  };
  useEffect(() => {
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  });

  const total = query.data?.pages[0]?.total;
  return (
    <Screen
      title="Cases"
      description={
        total !== undefined && `${formatCount(total)} ${status ? caseStatusWords[status].toLowerCase() : 'open'}`
      }
      api={`/cases?status=${status ?? 'open'}`}
      cli={`idsync cases list --status ${status ?? 'open'}`}
      json={query.data?.pages[0]}
      actions={
        last && (
          <Button onClick={() => undo.mutate(last)} disabled={isBusy}>
            Undo <kbd>u</kbd>
          </Button>
        )
      }
    >
      <FilterBar>
        <SelectFilter
          label="Status"
          any="Open"
          value={status}
          choices={caseStatuses.map((value) => ({ value, label: caseStatusWords[value] }))}
          onChange={(value) => navigate({ search: { status: value as (typeof caseStatuses)[number] } })}
        />
      </FilterBar>
      {query.isPending && <Loading />}
      {query.error && <ErrorState error={query.error} onRetry={() => query.refetch()} />}
      {query.data && !current && (
        <EmptyState title={status ? 'No such case' : 'No case is open'}>
          {status
            ? 'Cases that were decided appear here, and an operator can undo the decision.'
            : 'A case is a record that fits several people, or resembles one. Matching leaves it to you.'}
        </EmptyState>
      )}
      {current && (
        <div className={styles.panes}>
          <CaseList
            cases={cases}
            current={current.id}
            onShow={show}
            onEnd={query.hasNextPage && !query.isFetchingNextPage ? query.fetchNextPage : undefined}
          />
          <CaseDetail
            key={current.id}
            listed={current}
            onDecide={mayDecide && current.status === 'open' && !isBusy ? decide : undefined}
            onUndo={
              mayDecide && !isBusy ? (operationId) => undo.mutate({ caseId: current.id, operationId }) : undefined
            }
          />
        </div>
      )}
    </Screen>
  );
}
