import { useQuery } from '@tanstack/react-query';
import { type Approval, call, read, useTenantId } from '../data/api';
import { changeDone } from '../data/operations';
import { live } from '../data/query-client';
import { type Role, useMay, useSession } from '../data/session';
import styles from './approval-banner.module.css';
import { Icon } from './button';
import { ConfirmButton } from './dialog';
import { Ago } from './values';
import { wordsOf } from './words';

/** Acts on a resource, or changes of settings, that wait for a second operator, who approves or rejects them here. */
export function ApprovalBanner(shown: { resource: string } | { actions: readonly string[] }) {
  const tenantId = useTenantId();
  // At most 100 of a tenant wait.
  const { data } = useQuery({
    ...read('approvals', 'GET /approvals', { tenantId }, { status: 'pending', limit: 100 }),
    ...live,
  });
  return (data?.data ?? [])
    .filter(({ resource, action }) =>
      'actions' in shown ? shown.actions.includes(action) : shown.resource === resource,
    )
    .map((approval) => <Pending key={approval.approval_id} approval={approval} />);
}

function Pending({ approval }: { approval: Approval }) {
  const tenantId = useTenantId();
  const { actor } = useSession();
  const mayDecide = useMay(approval.role as Role);
  const isOwn = approval.requested_by === actor.name;
  const act = wordsOf(approval.action.replaceAll(/([A-Z])/g, (letter) => ` ${letter.toLowerCase()}`));
  const ids = { tenantId, approvalId: approval.approval_id };
  const reject = isOwn ? 'Withdraw' : 'Reject';
  const approve = async (reason: string | undefined) => {
    const { operation_id } = await call('POST /approvals/{approvalId}/approve', ids, { reason });
    await changeDone(tenantId, { operation_id });
  };
  return (
    <div className={styles.banner}>
      <Icon name="access" />
      <p className={styles.text}>
        <strong>{act}</strong> waits for a second operator. <span dir="auto">{approval.requested_by}</span> requested it{' '}
        <Ago at={approval.requested_at} />
        {approval.reason && <span dir="auto">: “{approval.reason}”</span>}
      </p>
      {mayDecide && (
        <div className={styles.actions}>
          <ConfirmButton
            label={reject}
            small
            title={isOwn ? 'Withdraw the request?' : `Reject: ${act}?`}
            action={reject}
            reason="optional"
            done={isOwn ? 'Withdrawn' : 'Rejected'}
            refresh={[]}
            onConfirm={(reason) => call('POST /approvals/{approvalId}/reject', ids, { reason })}
          >
            Nothing is changed.
          </ConfirmButton>
          {!isOwn && (
            <ConfirmButton
              label="Approve"
              small
              look="primary"
              title={`Approve: ${act}?`}
              action="Approve and perform"
              reason="optional"
              done="Approved"
              refresh={[]}
              onConfirm={approve}
            >
              It is performed at once, exactly as it was requested.
            </ConfirmButton>
          )}
        </div>
      )}
    </div>
  );
}
