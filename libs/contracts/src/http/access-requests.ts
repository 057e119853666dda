import { z } from 'zod';
import { operatorRoles, scopes } from '../fixed-values.js';
import { maxNetworks, network } from '../network.js';
import { text } from '../text.js';
import { choice, expiry, name } from './request-parts.js';

/** Body of a request for a token that pushes to one connector. */
export const connectorTokenBody = z.strictObject({ name, expires_at: expiry });
/** Body of a request for a token of an operator or a program. */
export const serviceTokenBody = z.strictObject({
  name: name.describe('Name of the actor in the audit log.'),
  role: choice(operatorRoles),
  tenants: z
    .array(text.min(1).max(100))
    .min(1)
    .max(100)
    .transform((list) => [...new Set(list)])
    .optional()
    .describe('Ids of the tenants that the token may access; all of them if absent.'),
  expires_at: expiry,
});
/** A sign-in in the browser reports what fails by the address that it redirects to, so nothing is refused here. */
const anyText = (description: string) => z.string().optional().catch(undefined).describe(description);
export const oidcStartQuery = z.object({ return_to: anyText('Path below `/console/`.') });
const ofProvider = anyText('Set by the identity provider.');
export const oidcCallbackQuery = z.object({ code: ofProvider, state: ofProvider, iss: ofProvider, error: ofProvider });
/** Body of a sign-in with ADMIN_TOKEN or a service token. */
export const signInBody = z.strictObject({ token: text.min(1).max(1_000) });
/** Body of a request whether a sign-in on another device is complete. */
export const deviceTokenBody = z.strictObject({ handle: text.min(1).max(4_000) });
export const logoutTokenBody = z.strictObject({ logout_token: text.min(1) });
const keyScopes = z
  .array(z.enum(scopes, { error: `must be any of ${scopes.join(', ')}` }))
  .min(1)
  .transform((list) => [...new Set(list)]);
const networks = z
  .array(network)
  .min(1)
  .max(maxNetworks)
  .transform((list) => [...new Set(list)]);
export const apiKeyPatch = z.strictObject({
  name: name.optional(),
  scopes: keyScopes.optional().describe('Replaces the scopes of the key.'),
  expires_at: expiry.nullable().describe('null: the key never expires.'),
  allowed_networks: networks.nullish().describe('Replaces the networks of the key; null: any address.'),
});
export const apiKeyBody = z.strictObject({
  name,
  scopes: keyScopes.default([...scopes]),
  expires_at: expiry,
  allowed_networks: networks
    .optional()
    .describe('Addresses and CIDR ranges from which the key may be used; absent: any.'),
});
