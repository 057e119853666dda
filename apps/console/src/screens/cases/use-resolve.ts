import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { notify } from '../../components/notices';
import { call } from '../../data/api';
import { operationDone } from '../../data/operations';

export type Resolution = { resolution: 'link'; identity_id: string } | { resolution: 'new' } | { resolution: 'ignore' };

/** A touch screen shows no hints of keys. */
const hasKeys = () => !matchMedia('(pointer: coarse)').matches;

/** Resolves cases at once, without a question, because the last one can be undone. */
export function useResolve(tenantId: string) {
  const client = useQueryClient();
  const [last, setLast] = useState<{ caseId: string; operationId: string }>();
  // Not awaited, so that the next decision need not wait for the list.
  const refresh = () => void client.invalidateQueries({ queryKey: ['cases', tenantId] });
  const resolve = useMutation({
    mutationFn: async ({ caseId, done: _, ...body }: Resolution & { caseId: string; done: string }) => {
      const answer = await call('POST /cases/{caseId}/resolve', { tenantId, caseId }, body);
      const operation = await operationDone(tenantId, answer);
      if (operation) setLast({ caseId, operationId: operation.operation_id });
    },
    onSuccess: (_, { done }) => notify(hasKeys() ? `${done}. Press u to undo.` : `${done}.`),
    onError: (error) => notify(error.message, 'bad'),
    onSettled: refresh,
  });
  const undo = useMutation({
    mutationFn: async ({ operationId }: { caseId: string; operationId: string }) => {
      const answer = await call('POST /operations/{operationId}/revert', { tenantId, operationId }, {});
      await operationDone(tenantId, answer, 'Undone. The case is open again.');
      setLast((old) => (old?.operationId === operationId ? undefined : old));
    },
    onError: (error) => notify(error.message, 'bad'),
    onSettled: refresh,
  });
  return { last, resolve, undo, isBusy: resolve.isPending || undo.isPending };
}
