import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { ApprovalBanner } from '../../components/approval-banner';
import { Button } from '../../components/button';
import { ConfirmButton } from '../../components/dialog';
import { IdLink, TabLinks } from '../../components/links';
import { EmptyState, ErrorState, Loading, Section } from '../../components/page';
import { Screen } from '../../components/screen';
import { type Connector, call, read, useTenantId } from '../../data/api';
import { operationDone } from '../../data/operations';
import { connectorsQuery } from '../../data/queries';
import { useMay } from '../../data/session';
import type { Precedence } from './edit-rules';
import { EditableRows } from './editable-rows';
import { MatchingRules } from './matching-rules';
import styles from './rules.module.css';

const whileEdited = { refetchOnWindowFocus: false };

const route = getRouteApi('/signed-in/$tenantId/rules');

/** Which records are one person, and which source wins when they disagree. */
export function RulesScreen() {
  const { tenantId } = route.useParams();
  const { view = 'matching' } = route.useSearch();
  const rules = useQuery({ ...read('matching-rules', 'GET /matching-rules', { tenantId }), ...whileEdited });
  const precedence = useQuery({
    ...read('attribute-priorities', 'GET /attribute-priorities', { tenantId }),
    ...whileEdited,
  });
  const sources = useQuery(connectorsQuery(tenantId));
  const error = rules.error ?? precedence.error ?? sources.error;
  if (!rules.data || !precedence.data || !sources.data) {
    const onRetry = () => Promise.all([rules.refetch(), precedence.refetch()]);
    return error ? <ErrorState error={error} onRetry={onRetry} /> : <Loading />;
  }
  return (
    <Screen
      title="Rules"
      description="Which records are one person, and which source wins when they disagree."
      api={view === 'matching' ? '/matching-rules' : '/attribute-priorities'}
      cli={view === 'matching' ? 'idsync rules show' : 'idsync priorities show'}
      json={view === 'matching' ? rules.data : precedence.data}
    >
      <ApprovalBanner actions={['replaceMatchingRules', 'replaceAttributePriorities', 'confirmOperation']} />
      <TabLinks label="Rules" views={{ matching: 'Matching', precedence: 'Source precedence' }} current={view} />
      {view === 'matching' ? (
        <MatchingRules key={JSON.stringify(rules.data)} stored={rules.data} />
      ) : (
        <PrecedenceForm key={JSON.stringify(precedence.data)} stored={precedence.data} sources={sources.data.data} />
      )}
    </Screen>
  );
}

type Rank = Precedence['priorities'][number];

/** The order of the sources, and fields that follow another one. */
function PrecedenceForm({ stored, sources }: { stored: Precedence; sources: readonly Connector[] }) {
  const tenantId = useTenantId();
  const mayChange = useMay('admin');
  const [ranks, setRanks] = useState<readonly Rank[]>(stored.priorities);
  const isChanged = JSON.stringify(ranks) !== JSON.stringify(stored.priorities);
  const names = Object.fromEntries(sources.map(({ id, name }) => [id, name]));
  const apply = async () => {
    const answer = await call('PUT /attribute-priorities', { tenantId }, { priorities: [...ranks] });
    await operationDone(tenantId, answer, 'The source precedence was changed.');
  };
  return (
    <>
      <Section title="Order of the sources">
        <ol className={styles.order}>
          {sources
            .toSorted((a, b) => a.priority - b.priority)
            .map(({ id, name, priority }) => (
              <li key={id}>
                <span className={styles.number}>{priority}</span>
                <IdLink id={id} dir="auto">
                  {name}
                </IdLink>
              </li>
            ))}
        </ol>
      </Section>
      <Section title="Fields with another order">
        <div className={styles.form}>
          <p className={styles.note}>
            The lowest number wins. A field without an entry follows the order of the sources; * stands for all fields.
          </p>
          {ranks.length === 0 && (
            <EmptyState title="No exception">All fields follow the order of the sources.</EmptyState>
          )}
          <EditableRows
            label="Exceptions"
            rows={ranks}
            isReadOnly={!mayChange}
            className={styles.key}
            nameOf={({ field }) => field}
            fresh={sources[0] && { field: 'job_title', connector_id: sources[0].id, priority: 1 }}
            add="Add a field"
            onChange={setRanks}
          >
            {(_rank, { text, number, choice }, remove) => (
              <>
                {text('Field', 'field')}
                {choice('Source', 'connector_id', names)}
                {number('Priority', 'priority', { min: 0 })}
                {remove && <span className={styles.acts}>{remove}</span>}
              </>
            )}
          </EditableRows>
        </div>
      </Section>
      {mayChange && (
        <div className={styles.bar}>
          <span className={styles.note}>{isChanged ? 'Not applied yet.' : 'No change.'}</span>
          <Button disabled={!isChanged} onClick={() => setRanks(stored.priorities)}>
            Discard
          </Button>
          <ConfirmButton
            label="Apply…"
            look="primary"
            disabled={!isChanged}
            title="Change the source precedence?"
            action="Apply"
            refresh={[]}
            onConfirm={apply}
          >
            <p>
              The winning values of all people are computed again. No record is lost: every source keeps its values.
            </p>
          </ConfirmButton>
        </div>
      )}
    </>
  );
}
