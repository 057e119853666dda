import { useQueryClient } from '@tanstack/react-query';
import { buttonClass } from '../../components/button';
import { SendButton } from '../../components/send-button';
import { TenantLink, useOpenPath } from '../../components/tenant-link';
import { useMay } from '../../data/access';
import type { Connector } from '../../data/api';
import { startRun } from '../../data/connectors';
import { useTenantId } from '../../data/use-tenant';

/** Starts a run, or a dry run that only shows its plan, and opens it. */
export function SourceActions({ source }: { source: Connector }) {
  const tenantId = useTenantId();
  const client = useQueryClient();
  const openPath = useOpenPath();
  const mayChange = useMay('admin');
  if (!useMay('operator')) return null;
  const start = async (dryRun: boolean) => {
    const { job_id } = await startRun(tenantId, source.id, dryRun);
    await client.invalidateQueries({ queryKey: ['jobs', tenantId] });
    await openPath(`/runs/${job_id}`);
  };
  return (
    <>
      {mayChange && (
        <TenantLink
          path={`/source-setup?source=${source.id}${source.type === 'scim-push' ? '&step=connection' : ''}`}
          className={buttonClass()}
        >
          {source.last_run ? 'Change' : 'Continue set-up'}
        </TenantLink>
      )}
      <SendButton onSend={() => start(true)}>Dry run</SendButton>
      <SendButton look="primary" onSend={() => start(false)}>
        Run now
      </SendButton>
    </>
  );
}
