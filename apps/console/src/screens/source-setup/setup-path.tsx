import { useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { Button, buttonClass } from '../../components/button';
import { notify } from '../../components/notices';
import { Page, Section } from '../../components/page';
import { settingOf } from '../../components/schema-labels';
import { useSending } from '../../components/use-sending';
import type { Connector } from '../../data/api';
import type { ConnectorType } from '../../data/connector-types';
import { changeConnector, startRun } from '../../data/connectors';
import { useTenantId } from '../../data/use-tenant';
import { ConnectionStep, type Secrets } from './connection-step';
import { drafts, notMapped, scheduleBody } from './draft';
import { DryRunStep } from './dry-run-step';
import { MapStep } from './map-step';
import { saveSource } from './save-source';
import { ScheduleStep } from './schedule-step';
import styles from './setup.module.css';
import { Stepper } from './stepper';
import { describeType, isPushed, pushedSteps, type Step, stepNames, steps } from './steps';
import { TestStep } from './test-step';
import { TypeStep } from './type-step';
import { useDraft } from './use-draft';

const route = getRouteApi('/signed-in/$tenantId/source-setup');

interface SetupPathProps {
  types: readonly ConnectorType[];
  source: Connector | undefined;
}

export function SetupPath({ types, source }: SetupPathProps) {
  const tenantId = useTenantId();
  const { step: asked } = route.useSearch();
  const navigate = route.useNavigate();
  const client = useQueryClient();
  const [draft, change] = useDraft(tenantId, source);
  const [secrets, setSecrets] = useState<Secrets>({});
  const { error, isSending, send } = useSending();
  const type = types.find((each) => each.type === draft.type);
  const path = isPushed(draft.type) ? pushedSteps : steps;
  const reached: Step = source ? 'schedule' : type ? 'connection' : 'type';
  const current = currentStep(asked, path, source !== undefined, type !== undefined);
  const needsMapping = type?.config.required?.includes('fields') ?? false;
  const isMapped = source !== undefined && source.config.external_id !== notMapped;

  const go = (next: Step, sourceId = source?.id) => navigate({ search: { source: sourceId, step: next } });
  /** Returns the stored source, or undefined after a refusal, which is shown. */
  const store = (): Promise<Connector | undefined> =>
    send(async () => {
      const stored = await saveSource(tenantId, source, draft, secrets, needsMapping);
      if (stored === source) return source;
      setSecrets({});
      client.removeQueries({ queryKey: ['probes', tenantId, stored.id] });
      client.setQueryData(['connectors', tenantId, stored.id], stored);
      await client.invalidateQueries({ queryKey: ['connectors', tenantId] });
      return stored;
    });
  const finish = () =>
    send(async () => {
      if (!source) return;
      await changeConnector(tenantId, source.id, { schedule: scheduleBody(draft) });
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
function currentStep(asked: Step | undefined, path: readonly Step[], isStored: boolean, hasType: boolean): Step {
  if (isStored) return asked && asked !== 'type' && path.includes(asked) ? asked : 'connection';
  return asked && asked !== 'type' && hasType ? 'connection' : 'type';
}
