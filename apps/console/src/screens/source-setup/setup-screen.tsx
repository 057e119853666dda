import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { Button, buttonClass, Icon } from '../../components/button';
import { useSending } from '../../components/form';
import { notify } from '../../components/notices';
import { EmptyState, ErrorState, Loading, Page, Section } from '../../components/page';
import { settingOf } from '../../components/words';
import { type Connector, call, type Input, useTenantId } from '../../data/api';
import { type ConnectorType, connectorTypesQuery } from '../../data/connector-types';
import { changeDone } from '../../data/operations';
import { connectorQuery, startRun } from '../../data/queries';
import { type SetupStep, setupSteps } from '../../data/searches';
import { useMay } from '../../data/session';
import { configOf, type Draft, drafts, notMapped, scheduleBody, useDraft } from './draft';
import { ConnectionStep, ScheduleStep, type Secrets, TypeStep } from './draft-steps';
import { DryRunStep } from './dry-run-step';
import { MapStep } from './map-step';
import styles from './setup.module.css';
import { describeType, isPushed, pushedSteps, stepNames } from './steps';
import { TestStep } from './test-step';

const route = getRouteApi('/signed-in/$tenantId/source-setup');

/** Sets a source up, or changes it, step by step. */
export function SetupScreen() {
  const { tenantId } = route.useParams();
  const { source: sourceId } = route.useSearch();
  const mayChange = useMay('admin');
  const types = useQuery(connectorTypesQuery);
  const source = useQuery({
    ...connectorQuery(tenantId, sourceId ?? ''),
    enabled: sourceId !== undefined,
    refetchInterval: false,
  });
  const error = types.error ?? source.error;
  if (!mayChange)
    return (
      <Page title="New source">
        <EmptyState title="Your role does not allow this">Only administrators set up sources.</EmptyState>
      </Page>
    );
  if (!types.data || (sourceId && !source.data)) {
    const onRetry = () => (types.error ? types.refetch() : source.refetch());
    return error ? <ErrorState error={error} onRetry={onRetry} /> : <Loading />;
  }
  return (
    <SetupPath
      key={`${tenantId} ${sourceId ?? 'new'}`}
      types={types.data}
      source={sourceId ? source.data : undefined}
    />
  );
}

function SetupPath({ types, source }: { types: readonly ConnectorType[]; source: Connector | undefined }) {
  const tenantId = useTenantId();
  const { step: asked } = route.useSearch();
  const navigate = route.useNavigate();
  const client = useQueryClient();
  const [draft, change] = useDraft(tenantId, source);
  const [secrets, setSecrets] = useState<Secrets>({});
  const { error, isSending, send } = useSending();
  const type = types.find((each) => each.type === draft.type);
  const path = isPushed(draft.type) ? pushedSteps : setupSteps;
  const reached: SetupStep = source ? 'schedule' : type ? 'connection' : 'type';
  const current = currentStep(asked, path, source !== undefined, type !== undefined);
  const needsMapping = type?.config.required?.includes('fields') ?? false;
  const isMapped = source !== undefined && source.config.external_id !== notMapped;

  const go = (next: SetupStep, sourceId = source?.id) => navigate({ search: { source: sourceId, step: next } });
  /** Returns the stored source, or undefined after a refusal, which is shown. */
  const store = (): Promise<Connector | undefined> =>
    send(async () => {
      const stored = await saveSource(tenantId, source, draft, secrets, needsMapping);
      if (stored === source) return source;
      setSecrets({});
      client.removeQueries({ queryKey: ['probes', tenantId, stored.id] });
      client.setQueryData(connectorQuery(tenantId, stored.id).queryKey, stored);
      await client.invalidateQueries({ queryKey: ['connectors', tenantId] });
      return stored;
    });
  const finish = () =>
    send(async () => {
      if (!source) return;
      const ids = { tenantId, connectorId: source.id };
      await call('PATCH /connectors/{connectorId}', ids, { schedule: scheduleBody(draft) });
      const job = draft.readNow ? await startRun(tenantId, source.id, false) : undefined;
      drafts.clear(tenantId, source.id);
      await client.invalidateQueries({ queryKey: ['connectors', tenantId] });
      notify(job ? 'The source is set up, and is read now.' : 'The source is set up.');
      if (job) await navigate({ to: '/$tenantId/runs/$jobId', params: { jobId: job.job_id } });
      else await navigate({ to: '/$tenantId/sources/$connectorId', params: { connectorId: source.id } });
    });
  const onNext = async (event: FormEvent) => {
    event.preventDefault();
    if (isSending) return;
    if (current === 'schedule') return void (await finish());
    if (current === 'test') return void (await go('map'));
    if (current === 'dry-run') return void (await go('schedule'));
    const stored = await store();
    if (!stored) return;
    if (!source) {
      drafts.write(tenantId, stored.id, draft);
      drafts.clear(tenantId, undefined);
    }
    if (isPushed(draft.type)) {
      drafts.clear(tenantId, stored.id);
      await navigate({ to: '/$tenantId/sources/$connectorId', params: { connectorId: stored.id } });
    } else await go(current === 'connection' ? 'test' : 'dry-run', stored.id);
  };
  const before = current === 'connection' && source ? undefined : path[path.indexOf(current) - 1];
  return (
    <Page
      title={source ? `Set up ${source.name}` : 'New source'}
      description={type ? describeType(type.type).title : 'Where do people, accounts or machines come from?'}
      actions={
        source && (
          <Link
            from="/$tenantId/source-setup"
            to="/$tenantId/sources/$connectorId"
            params={{ connectorId: source.id }}
            className={buttonClass({ look: 'quiet' })}
          >
            Finish later
          </Link>
        )
      }
    >
      <div className={styles.layout}>
        <Stepper steps={path} current={current} first={source ? 'connection' : 'type'} reached={reached} />
        <Section title={stepNames[current]}>
          <form className={styles.content} onSubmit={onNext}>
            {current === 'type' && (
              <TypeStep
                types={types}
                chosen={draft.type}
                onChoose={(chosen) => {
                  if (chosen !== draft.type) change({ type: chosen, config: {}, fields: [], externalId: '' });
                  return go('connection');
                }}
              />
            )}
            {current === 'connection' && type && (
              <ConnectionStep
                type={type}
                draft={draft}
                secrets={secrets}
                stored={source?.secrets ?? []}
                isStored={source !== undefined}
                error={error}
                onChange={change}
                onSecrets={setSecrets}
              />
            )}
            {current === 'test' && source && <TestStep sourceId={source.id} isMapped={isMapped} />}
            {current === 'map' && source && (
              <MapStep
                sourceId={source.id}
                draft={draft}
                hasDefault={!needsMapping}
                onChange={change}
                onSave={async () => (await store()) !== undefined}
              />
            )}
            {current === 'dry-run' && source && (
              <DryRunStep sourceId={source.id} jobId={draft.dryRun} onStarted={(dryRun) => change({ dryRun })} />
            )}
            {current === 'schedule' && <ScheduleStep draft={draft} onChange={change} />}
            {error && (current !== 'connection' || settingOf(error) === undefined) && (
              <p role="alert" className={styles.failure}>
                {error}
              </p>
            )}
            {current !== 'type' && (
              <div className={styles.footer}>
                {before ? <Button onClick={() => go(before)}>Back</Button> : <span />}
                <Button type="submit" look="primary" disabled={isSending}>
                  {isSending ? 'Saving…' : current === 'schedule' || isPushed(draft.type) ? 'Finish' : 'Continue'}
                </Button>
              </div>
            )}
          </form>
        </Section>
      </div>
    </Page>
  );
}

/** The step of the URL, or the first one that is possible: a stored source has its type, others have nothing to test. */
function currentStep(
  asked: SetupStep | undefined,
  path: readonly SetupStep[],
  isStored: boolean,
  hasType: boolean,
): SetupStep {
  if (isStored) return asked && asked !== 'type' && path.includes(asked) ? asked : 'connection';
  return asked && asked !== 'type' && hasType ? 'connection' : 'type';
}

/** Creates the source of a draft, or changes what differs from the stored one. Returns it as it is stored then. */
async function saveSource(
  tenantId: string,
  source: Connector | undefined,
  draft: Draft,
  given: Secrets,
  needsMapping: boolean,
): Promise<Connector> {
  const config = configOf(draft, needsMapping);
  const secrets = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== ''));
  const name = draft.name.trim();
  const priority = Number(draft.priority);
  if (!source) {
    const body = { type: draft.type, name, records: draft.records, priority, config, secrets };
    // The service checks it, since its form depends on the type.
    return call('POST /connectors', { tenantId }, body as unknown as Input<'POST /connectors'>);
  }
  const body = {
    ...(name !== source.name && { name }),
    ...(priority !== source.priority && { priority }),
    ...(!isSame(config, source.config) && { config }),
    ...(Object.keys(secrets).length > 0 && { secrets }),
  };
  if (Object.keys(body).length === 0) return source;
  const ids = { tenantId, connectorId: source.id };
  const answer = await call('PATCH /connectors/{connectorId}', ids, body);
  return (await changeDone(tenantId, answer)) ? call('GET /connectors/{connectorId}', ids) : source;
}

/** Whether the stored configuration has the given settings; those that the service has added are its defaults. */
function isSame(given: Record<string, unknown>, stored: Record<string, unknown>): boolean {
  const withDefaults = { ...stored, ...given };
  const removed = Object.keys(stored).some((name) => !(name in given));
  return !removed && JSON.stringify(sorted(withDefaults)) === JSON.stringify(sorted(stored));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => a.localeCompare(b))
      .map(([name, each]) => [name, sorted(each)]),
  );
}

interface StepperProps {
  steps: readonly SetupStep[];
  current: SetupStep;
  /** Steps before it can no longer be changed. */
  first: SetupStep;
  /** Steps after it cannot be opened yet. */
  reached: SetupStep;
}

/** The path with its steps. Each is a link, so that the back button works. */
function Stepper({ steps, current, first, reached }: StepperProps) {
  const at = steps.indexOf(current);
  return (
    <nav className={styles.stepper} aria-label="Steps">
      <ol>
        {steps.map((step, index) => {
          const isOpen = index >= steps.indexOf(first) && index <= Math.max(steps.indexOf(reached), at);
          const isDone = index < at;
          const mark = (
            <>
              <span className={isDone ? `${styles.mark} ${styles.done}` : styles.mark}>
                {isDone ? <Icon name="check" size={12} /> : index + 1}
              </span>
              {stepNames[step]}
            </>
          );
          return (
            <li key={step}>
              {isOpen ? (
                <Link
                  from="/$tenantId/source-setup"
                  to="."
                  search={(old) => ({ ...old, step })}
                  className={styles.step}
                  aria-current={step === current ? 'step' : undefined}
                >
                  {mark}
                </Link>
              ) : (
                <span className={styles.step} aria-disabled="true">
                  {mark}
                </span>
              )}
            </li>
          );
        })}
      </ol>
    </nav>
  );
}
