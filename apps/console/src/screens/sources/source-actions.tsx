import { useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { Button, buttonClass } from '../../components/button';
import { notify } from '../../components/notices';
import { useMay } from '../../data/access';
import type { Connector } from '../../data/api';
import { startRun } from '../../data/connectors';

/** Starts a run, or a dry run that only shows its plan, and opens it. */
export function SourceActions({ tenantId, source }: { tenantId: string; source: Connector }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const mayChange = useMay('admin');
  if (!useMay('operator')) return null;
  const start = async (dryRun: boolean) => {
    try {
      const { job_id: jobId } = await startRun(tenantId, source.id, dryRun);
      await client.invalidateQueries({ queryKey: ['jobs', tenantId] });
      await navigate({ to: '/$tenantId/runs/$jobId', params: { tenantId, jobId } });
    } catch (failure) {
      notify((failure as Error).message, 'bad');
    }
  };
  return (
    <>
      {mayChange && (
        <Link
          from="/$tenantId/sources/$connectorId"
          to="/$tenantId/source-setup"
          search={{ source: source.id, step: source.type === 'scim-push' ? 'connection' : undefined }}
          className={buttonClass()}
        >
          {source.last_run ? 'Change' : 'Continue set-up'}
        </Link>
      )}
      <Button onClick={() => start(true)}>Dry run</Button>
      <Button look="primary" onClick={() => start(false)}>
        Run now
      </Button>
    </>
  );
}
