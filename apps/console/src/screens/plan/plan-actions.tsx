import { ConfirmButton } from '../../components/dialog';
import { formatCount } from '../../components/format-time';
import { notify } from '../../components/notices';
import { call, type OperatorJobWithErrors, type SyncPlan, useTenantId } from '../../data/api';
import { isApproval, operationDone } from '../../data/operations';
import { useMay } from '../../data/session';

/** The decision about a held run, or about the plan of a dry run. */
export function PlanActions({ job, plan, source }: { job: OperatorJobWithErrors; plan: SyncPlan; source: string }) {
  const tenantId = useTenantId();
  const ids = { tenantId, jobId: job.job_id };
  if (!useMay('operator')) return null;
  // The button of a plan that removes access does not invite to press it.
  const look = plan.counts.delete + plan.counts.disable > 0 ? 'plain' : 'primary';
  const summary = (
    <p>
      {summaryOf(plan.counts)} This is applied once, for this run only; it can be undone afterwards with{' '}
      <code>idsync jobs undo</code>.
    </p>
  );
  return (
    <>
      {job.status === 'quarantined' && (
        <>
          <ConfirmButton
            label="Cancel the run…"
            title={`Cancel the run of ${source}?`}
            action="Cancel the run"
            reason="required"
            done="Cancelled. The plan is not applied."
            refresh={[]}
            onConfirm={(reason) => call('POST /sync-jobs/{jobId}/cancel', ids, { reason })}
          >
            Nothing of the plan is applied. The next run of the source decides again.
          </ConfirmButton>
          <ConfirmButton
            label="Release…"
            look={look}
            title={`Release the run of ${source}?`}
            action="Release"
            danger={plan.counts.delete > 0}
            reason="required"
            refresh={[]}
            onConfirm={async (reason = '') => {
              const isRequested = isApproval(await call('POST /sync-jobs/{jobId}/release', ids, { reason }));
              notify(
                isRequested ? 'Requested. A second operator must approve it.' : 'Released. The plan is applied now.',
              );
            }}
          >
            {summary}
          </ConfirmButton>
        </>
      )}
      {job.dry_run && plan.state === 'ready' && (
        <ConfirmButton
          label="Apply exactly this…"
          look={look}
          title="Apply this plan?"
          action="Apply"
          reason="required"
          refresh={[]}
          onConfirm={async (reason = '') =>
            operationDone(
              tenantId,
              await call('POST /sync-jobs/{jobId}/apply', ids, { reason }),
              'The plan was applied',
            )
          }
        >
          {summary}
        </ConfirmButton>
      )}
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
