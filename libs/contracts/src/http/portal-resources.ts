import { z } from 'zod';
import { portalAccesses } from '../portal.js';
import { dateTime, oneOf, text } from './resources.js';

export const portalLink = z.strictObject({
  id: text,
  url: text.describe('Address of the portal. The part after `#` is the credential, and is returned only once.'),
  webhook_ids: z.array(text).min(1),
  access: oneOf(portalAccesses),
  bodies: z.boolean().describe('The link shows the bodies of deliveries.'),
  expires_at: dateTime.describe('When the link expires; not after the API key that issued it.'),
});

export type PortalLink = z.infer<typeof portalLink>;
