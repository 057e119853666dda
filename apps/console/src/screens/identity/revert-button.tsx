import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../../components/button';
import { ConfirmDialog } from '../../components/confirm-dialog';
import { StatusBadge } from '../../components/status-badge';
import { useMay } from '../../data/access';
import { call } from '../../data/api';
import { operationDone } from '../../data/operations';
import { operationQuery } from './identity-queries';

const revertible: Record<string, string> = {
  'identity.merge': 'merge',
  'identity.split': 'split',
  'case.resolve': 'decision about the case',
};

/** Reverts the operation of an event, if it can be reverted and the operator may. */
export function RevertButton({ tenantId, operationId }: { tenantId: string; operationId: string }) {
  const [isAsked, setAsked] = useState(false);
  const { data: operation } = useQuery(operationQuery(tenantId, operationId));
  const mayRevert = useMay('operator');
  const client = useQueryClient();
  const what = operation && revertible[operation.type];
  if (!what || operation.status !== 'done') return null;
  if (operation.reverted_by) return <StatusBadge tone="neutral">Reverted</StatusBadge>;
  if (!mayRevert) return null;
  const revert = async (reason: string | undefined) => {
    const reverting = await call(
      'POST /operations/{operationId}/revert',
      { tenantId, operationId },
      reason ? { reason } : {},
    );
    await operationDone(tenantId, reverting, `The ${what} was reverted.`);
    await client.invalidateQueries();
  };
  return (
    <>
      <Button small onClick={() => setAsked(true)}>
        Revert the {what}…
      </Button>
      <ConfirmDialog
        open={isAsked}
        onOpenChange={setAsked}
        title={`Revert the ${what}?`}
        action="Revert"
        reason="required"
        onConfirm={revert}
      >
        <p>Every record moves back to where it was before. It is refused if one of them has moved since.</p>
        {operation.reason && (
          <p>
            The reason for the {what} was: <q dir="auto">{operation.reason}</q>
          </p>
        )}
      </ConfirmDialog>
    </>
  );
}
