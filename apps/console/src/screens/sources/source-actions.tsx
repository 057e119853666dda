import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Button } from '../../components/button';
import { notify } from '../../components/notices';
import { useMay } from '../../data/access';
import { answerOf, api, type Connector } from '../../data/api';

/** Starts a run, or a dry run that only shows its plan, and opens it. */
export function SourceActions({ tenantId, source }: { tenantId: string; source: Connector }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  if (!useMay('operator')) return null;
  const start = async (dryRun: boolean) => {
    try {
      const { job_id: jobId } = await answerOf(
        api.POST('/admin/v1/tenants/{tenantId}/sync-jobs', {
          params: { path: { tenantId } },
          body: { connector_id: source.id, dry_run: dryRun, mode: 'auto' },
        }),
      );
      await client.invalidateQueries({ queryKey: ['jobs', tenantId] });
      await navigate({ to: '/$tenantId/runs/$jobId', params: { tenantId, jobId } });
    } catch (failure) {
      notify((failure as Error).message);
    }
  };
  return (
    <>
      <Button onClick={() => start(true)}>Dry run</Button>
      <Button look="primary" onClick={() => start(false)}>
        Run now
      </Button>
    </>
  );
}
