import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../../components/button';
import { ConfirmDialog } from '../../components/confirm-dialog';
import { formatCount } from '../../components/format-time';
import { notify } from '../../components/notices';
import { useMay } from '../../data/access';
import { call, type OperatorJobWithErrors, type SyncPlan } from '../../data/api';
import { isApproval, operationDone } from '../../data/operations';

interface PlanActionsProps {
  tenantId: string;
  job: OperatorJobWithErrors;
  plan: SyncPlan;
  source: string;
}

/** The decision about a held run, or about the plan of a dry run. */
export function PlanActions({ tenantId, job, plan, source }: PlanActionsProps) {
  const [asked, setAsked] = useState<'release' | 'cancel' | 'apply'>();
  const mayDecide = useMay('operator');
  const client = useQueryClient();
  const ids = { tenantId, jobId: job.job_id };
  if (!mayDecide) return null;
  const isHeld = job.status === 'quarantined';
  // The button of a plan that removes access does not invite to press it.
  const removes = plan.counts.delete + plan.counts.disable > 0;
  const isReady = job.dry_run && plan.state === 'ready';
  const decide = async (reason = '') => {
    const body = { reason };
    if (asked === 'apply') {
      const answer = await call('POST /sync-jobs/{jobId}/apply', ids, body);
      await operationDone(tenantId, answer, 'The plan was applied');
    } else if (asked === 'release') {
      const answer = await call('POST /sync-jobs/{jobId}/release', ids, body);
      notify(
        isApproval(answer) ? 'Requested. A second operator must approve it.' : 'Released. The plan is applied now.',
      );
    } else {
      await call('POST /sync-jobs/{jobId}/cancel', ids, body);
      notify('Cancelled. The plan is not applied.');
    }
    await client.invalidateQueries();
  };
  return (
    <>
      {isHeld && (
        <>
          <Button onClick={() => setAsked('cancel')}>Cancel the run…</Button>
          <Button look={removes ? 'plain' : 'primary'} onClick={() => setAsked('release')}>
            Release…
          </Button>
        </>
      )}
      {isReady && (
        <Button look={removes ? 'plain' : 'primary'} onClick={() => setAsked('apply')}>
          Apply exactly this…
        </Button>
      )}
      <ConfirmDialog
        open={asked !== undefined}
        onOpenChange={(open) => !open && setAsked(undefined)}
        title={
          {
            release: `Release the run of ${source}?`,
            cancel: `Cancel the run of ${source}?`,
            apply: 'Apply this plan?',
          }[asked ?? 'apply']
        }
        action={{ release: 'Release', cancel: 'Cancel the run', apply: 'Apply' }[asked ?? 'apply']}
        danger={asked === 'release' && plan.counts.delete > 0}
        reason="required"
        onConfirm={decide}
      >
        {asked === 'cancel' ? (
          'Nothing of the plan is applied. The next run of the source decides again.'
        ) : (
          <p>
            {summaryOf(plan.counts)} This is applied once, for this run only; it can be undone afterwards with{' '}
            <code>idsync jobs undo</code>.
          </p>
        )}
      </ConfirmDialog>
    </>
  );
}

function summaryOf({ create, update, disable, delete: deleted }: SyncPlan['counts']): string {
  const parts = [
    [create, 'added'],
    [update, 'changed'],
    [disable, 'disabled'],
    [deleted, 'deleted'],
  ] as const;
  const shown = parts.filter(([count]) => count > 0).map(([count, verb]) => `${formatCount(count)} ${verb}`);
  return shown.length > 0 ? `Records: ${shown.join(', ')}.` : 'The plan is empty.';
}
