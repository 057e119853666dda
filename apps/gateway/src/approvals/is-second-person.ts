import type { AuditActor } from '@idsync/database/gateway';

/** An actor, with the name of the operator who issued the actor's token, and whether that was revoked since. */
export type IssuedActor = AuditActor & { issuer?: string; isRevoked?: boolean };

/**
 * Returns whether an approver is another person than the requester, as far as tokens show. A token counts as the one who
 * issued it, because the issuer knew it. Names count and not only ids, because a person may have several tokens.
 */
export function isSecondPerson(requester: IssuedActor, approver: IssuedActor): boolean {
  const names = ({ name, issuer }: IssuedActor) => [name, ...(issuer === undefined ? [] : [issuer])];
  if (requester.id !== undefined && requester.id === approver.id) return false;
  return !names(approver).includes(requester.name) && !names(requester).includes(approver.name);
}
