import { useQuery } from '@tanstack/react-query';
import { ConfirmButton } from '../../components/confirm-dialog';
import { StatusBadge } from '../../components/status-badge';
import { useMay } from '../../data/access';
import { call } from '../../data/api';
import { operationDone } from '../../data/operations';
import { useTenantId } from '../../data/use-tenant';

const revertible: Record<string, string> = {
  'identity.merge': 'merge',
  'identity.split': 'split',
  'case.resolve': 'decision about the case',
};

/** Reverts the operation of an event, if it can be reverted and the operator may. */
export function RevertButton({ operationId }: { operationId: string }) {
  const tenantId = useTenantId();
  const { data: operation } = useQuery({
    queryKey: ['operations', tenantId, operationId],
    queryFn: () => call('GET /operations/{operationId}', { tenantId, operationId }),
  });
  const mayRevert = useMay('operator');
  const what = operation && revertible[operation.type];
  if (!what || operation.status !== 'done') return null;
  if (operation.reverted_by) return <StatusBadge tone="neutral">Reverted</StatusBadge>;
  if (!mayRevert) return null;
  return (
    <ConfirmButton
      label={`Revert the ${what}…`}
      small
      title={`Revert the ${what}?`}
      action="Revert"
      reason="required"
      refresh={[]}
      onConfirm={async (reason) => {
        const reverting = await call('POST /operations/{operationId}/revert', { tenantId, operationId }, { reason });
        await operationDone(tenantId, reverting, `The ${what} was reverted.`);
      }}
    >
      <p>Every record moves back to where it was before. It is refused if one of them has moved since.</p>
      {operation.reason && (
        <p>
          The reason for the {what} was: <q dir="auto">{operation.reason}</q>
        </p>
      )}
    </ConfirmButton>
  );
}
