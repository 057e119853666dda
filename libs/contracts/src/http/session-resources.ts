import { z } from 'zod';
import { actorKinds } from '../audit.js';
import { operatorRoles } from '../fixed-values.js';
import { dateTime, oneOf, pageFields, text } from './resources.js';

export const sessionActor = z.strictObject({
  id: text.describe('Id of the service token, issuer and subject of the identity provider, or `admin_token`.'),
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
  end_session_url: text
    .optional()
    .describe('After a sign-out, this path ends the session at the identity provider too. OIDC only.'),
});
export const createdSession = session.required({ csrf_token: true, expires_at: true, idle_expires_at: true });

/** Without anything of the cookie: the id alone does not sign in. */
export const listedSession = z.strictObject({
  id: text.describe('Not a credential.'),
  actor: sessionActor,
  created_at: dateTime,
  last_used_at: dateTime.describe('Accurate to 30 seconds.'),
  expires_at: dateTime.describe('The session ends at this time, even if it is used.'),
  idle_expires_at: dateTime.describe('The session ends at this time if it is not used before.'),
  current: z.boolean().describe('It is the session of this request.'),
});
export const sessionPage = z.strictObject({ data: z.array(listedSession), ...pageFields });

export const sessionMethods = z.strictObject({
  token: z.boolean().describe('Sign-in with the operator token or a service token is possible.'),
  oidc: z
    .strictObject({ name: text.describe('Name of the identity provider, for people.') })
    .optional()
    .describe('Sign-in with an identity provider is possible, at `/admin/v1/session/oidc/start`.'),
});

export const deviceSignIn = z.strictObject({
  handle: text.describe('For the requests whether the sign-in is complete.'),
  user_code: text.describe('Shown to the person, who confirms it in a browser.'),
  verification_uri: text,
  verification_uri_complete: text.optional().describe('With the code.'),
  expires_in: z.int().describe('Seconds.'),
  interval: z.int().describe('Seconds between two requests.'),
});
export const deviceSession = z.strictObject({
  status: oneOf(['pending', 'complete'], 'pending: the person has not confirmed the code yet'),
  token: text.optional().describe('The session as a bearer token.'),
  session: session.optional(),
});

export type DeviceSignIn = z.infer<typeof deviceSignIn>;
export type DeviceSession = z.infer<typeof deviceSession>;
export type Session = z.infer<typeof session>;
export type CreatedSession = z.infer<typeof createdSession>;
export type ListedSession = z.infer<typeof listedSession>;
export type SessionMethods = z.infer<typeof sessionMethods>;
