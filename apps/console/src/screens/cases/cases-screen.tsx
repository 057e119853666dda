import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { Button } from '../../components/button';
import { apartWords, recordName } from '../../components/describe-case';
import { FilterBar, SelectFilter } from '../../components/fields';
import { formatCount } from '../../components/format-time';
import { notify } from '../../components/notices';
import { EmptyState, ErrorState, Loading } from '../../components/page';
import { Screen } from '../../components/screen';
import { Ago } from '../../components/values';
import { call, type ReviewCase } from '../../data/api';
import { operationDone } from '../../data/operations';
import { useSourceName } from '../../data/queries';
import { itemsOf, liveByEvents, offsetPages } from '../../data/query-client';
import { caseStatuses } from '../../data/searches';
import { useMay } from '../../data/session';
import { CaseDetail } from './case-detail';
import { caseStatusWords } from './case-rows';
import styles from './cases-screen.module.css';

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

  const first = query.data?.pages[0];
  return (
    <Screen
      title="Cases"
      description={
        first &&
        `${formatCount(first.total, first.total_is_estimate)} ${status ? caseStatusWords[status].toLowerCase() : 'open'}`
      }
      api={`/cases?status=${status ?? 'open'}`}
      cli={`idsync cases list --status ${status ?? 'open'}`}
      json={first}
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

interface CaseListProps {
  cases: readonly ReviewCase[];
  current: string;
  onShow: (id: string) => void;
  onEnd?: () => unknown;
}

function CaseList({ cases, current, onShow, onEnd }: CaseListProps) {
  const sourceName = useSourceName();
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => {
    if (current) list.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' });
  }, [current]);
  return (
    <nav className={styles.pane} aria-label="Cases">
      <ul ref={list}>
        {cases.map(({ id, record, opened_at, candidates }) => (
          <li key={id}>
            <button
              type="button"
              className={styles.case}
              aria-current={id === current ? 'true' : undefined}
              onClick={() => onShow(id)}
            >
              <span className={styles.name} dir="auto">
                {recordName(record)}
              </span>
              <span className={styles.about}>
                {sourceName(record.connector_id)} ·{' '}
                {candidates.length === 1 ? '1 candidate' : `${candidates.length} candidates`} · <Ago at={opened_at} />
              </span>
            </button>
          </li>
        ))}
      </ul>
      {onEnd && (
        <Button look="quiet" small onClick={onEnd}>
          Load more
        </Button>
      )}
      <p className={styles.keys}>
        <kbd>j</kbd> <kbd>k</kbd> next, previous
      </p>
    </nav>
  );
}

type Resolution = { resolution: 'link'; identity_id: string } | { resolution: 'new' } | { resolution: 'ignore' };

/** A touch screen shows no hints of keys. */
const hasKeys = () => !matchMedia('(pointer: coarse)').matches;

/** Resolves cases at once, without a question, because the last one can be undone. */
function useResolve(tenantId: string) {
  const client = useQueryClient();
  const [last, setLast] = useState<{ caseId: string; operationId: string }>();
  // Not awaited, so that the next decision need not wait for the list.
  const refresh = () => void client.invalidateQueries({ queryKey: ['cases', tenantId] });
  const resolve = useMutation({
    mutationFn: async ({ caseId, done: _, ...body }: Resolution & { caseId: string; done: string }) => {
      const answer = await call('POST /cases/{caseId}/resolve', { tenantId, caseId }, body);
      const operation = await operationDone(tenantId, answer);
      if (operation) setLast({ caseId, operationId: operation.operation_id });
    },
    onSuccess: (_, { done }) => notify(hasKeys() ? `${done}. Press u to undo.` : `${done}.`),
    onError: (error) => notify(error.message, 'bad'),
    onSettled: refresh,
  });
  const undo = useMutation({
    mutationFn: async ({ operationId }: { caseId: string; operationId: string }) => {
      const answer = await call('POST /operations/{operationId}/revert', { tenantId, operationId }, {});
      await operationDone(tenantId, answer, 'Undone. The case is open again.');
      setLast((old) => (old?.operationId === operationId ? undefined : old));
    },
    onError: (error) => notify(error.message, 'bad'),
    onSettled: refresh,
  });
  return { last, resolve, undo, isBusy: resolve.isPending || undo.isPending };
}
