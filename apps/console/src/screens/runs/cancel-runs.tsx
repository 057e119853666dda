import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../../components/button';
import choices from '../../components/choices.module.css';
import { ConfirmDialog } from '../../components/confirm-dialog';
import { notify } from '../../components/notices';
import { StatusBadge } from '../../components/status-badge';
import { Ago } from '../../components/time';
import { useMay } from '../../data/access';
import { call } from '../../data/api';
import { useSourceName } from '../../data/connectors';
import { useTenantId } from '../../data/use-tenant';
import { cancellable } from './describe-run';
import type { OperatorJob } from './runs-queries';

/** Cancels several of the listed runs with one reason. */
export function CancelRuns({ runs }: { runs: readonly OperatorJob[] }) {
  const tenantId = useTenantId();
  const sourceName = useSourceName();
  const [kept, setKept] = useState<ReadonlySet<string>>();
  const client = useQueryClient();
  const unfinished = runs.filter(({ status }) => cancellable.includes(status));
  if (!useMay('operator') || (unfinished.length === 0 && !kept)) return null;
  const chosen = unfinished.filter(({ job_id }) => !kept?.has(job_id));
  const toggle = (id: string) => {
    const next = new Set(kept);
    if (!next.delete(id)) next.add(id);
    setKept(next);
  };
  const cancel = async (reason: string | undefined) => {
    const refusals: string[] = [];
    for (const { job_id: jobId, connector_id } of chosen)
      await call('POST /sync-jobs/{jobId}/cancel', { tenantId, jobId }, { ...(reason && { reason }) }).catch(
        (error: Error) => refusals.push(`${sourceName(connector_id)}: ${error.message}`),
      );
    await client.invalidateQueries({ queryKey: ['jobs', tenantId] });
    if (refusals.length > 0) throw new Error(`Not cancelled: ${refusals.join('; ')}`);
    notify(chosen.length === 1 ? '1 run was cancelled' : `${chosen.length} runs were cancelled`);
  };
  return (
    <>
      <Button onClick={() => setKept(new Set())}>Cancel runs…</Button>
      <ConfirmDialog
        open={kept !== undefined}
        onOpenChange={(open) => !open && setKept(undefined)}
        title="Cancel runs"
        action={chosen.length === 1 ? 'Cancel 1 run' : `Cancel ${chosen.length} runs`}
        danger
        reason="required"
        isComplete={chosen.length > 0}
        onConfirm={cancel}
        fields={
          <fieldset className={choices.choices}>
            <legend className={choices.legend}>Unfinished runs of the list</legend>
            {unfinished.map(({ job_id, connector_id, status, created_at }) => (
              <label key={job_id} className={choices.choice}>
                <input type="checkbox" checked={!kept?.has(job_id)} onChange={() => toggle(job_id)} />
                <span className={choices.head}>
                  <strong dir="auto">{sourceName(connector_id)}</strong>
                  <StatusBadge status={status} />
                  <span className={choices.muted}>
                    <Ago at={created_at} />
                  </span>
                </span>
              </label>
            ))}
          </fieldset>
        }
      >
        <p>Records that are already applied stay. What held runs have set aside is discarded.</p>
      </ConfirmDialog>
    </>
  );
}
