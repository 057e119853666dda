import { useQuery } from '@tanstack/react-query';
import { includesRole, type Role, type Session, sessionQuery } from './session';

/** The session of a screen below `signedInRoute`, which has one. */
export function useSession(): Session {
  const { data } = useQuery(sessionQuery);
  if (!data) throw new Error('this screen needs a session');
  return data;
}

/** Whether the operator may do what needs this role. A screen shows no action that the role does not allow. */
export function useMay(needed: Role): boolean {
  return includesRole(useSession().actor.role, needed);
}
