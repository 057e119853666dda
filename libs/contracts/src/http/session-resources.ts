import { z } from 'zod';
import { actorKinds, operatorRoles } from '../audit.js';
import { dateTime, oneOf, text } from './resources.js';

export const sessionActor = z.strictObject({
  id: text.describe('Id of the service token, or `admin_token`.'),
  name: text.describe('Name of the actor in the audit log.'),
  kind: oneOf(actorKinds),
  role: oneOf(operatorRoles),
  tenants: z.array(text).optional().describe('Absent: all tenants.'),
});

/** With a bearer token there is no session, and only the actor is shown. */
export const session = z.strictObject({
  actor: sessionActor,
  csrf_token: text
    .optional()
    .describe('Value of the header `X-CSRF-Token`, which every request with the cookie except GET and HEAD needs.'),
  expires_at: dateTime.optional().describe('The session ends at this time, even if it is used.'),
  idle_expires_at: dateTime.optional().describe('The session ends at this time if it is not used before.'),
});
export const createdSession = session.required();

export const sessionMethods = z.strictObject({
  token: z.boolean().describe('Sign-in with the operator token or a service token is possible.'),
});

export type Session = z.infer<typeof session>;
export type SessionMethods = z.infer<typeof sessionMethods>;
