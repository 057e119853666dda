import { z } from 'zod';
import { portalAccesses, portalLinkLimits } from '../portal.js';
import { text } from '../text.js';
import { choice } from './request-parts.js';

const { seconds, webhooks } = portalLinkLimits;
const form = `must be an integer from ${seconds.min} to ${seconds.max}`;

/** Body of a request for a link to the subscriber portal. */
export const portalLinkBody = z.strictObject({
  webhook_ids: z
    .array(text.min(1).max(100))
    .min(1, 'must have at least one webhook')
    .max(webhooks, `must have at most ${webhooks} webhooks`)
    .transform((ids) => [...new Set(ids)])
    .describe('The webhooks that the link shows.'),
  access: choice(portalAccesses)
    .optional()
    .describe(
      'read: health, deliveries and attempts | send: also test, resend and requeue | change: also settings, signing secret and signing keys. Absent: `send`, or `read` if the API key lacks `webhooks:write`.',
    ),
  bodies: z
    .boolean()
    .optional()
    .describe('Shows the bodies of deliveries. Absent: true, unless the API key lacks `events:read`.'),
  expires_in: z
    .int({ error: form })
    .min(seconds.min, form)
    .max(seconds.max, form)
    .default(seconds.default)
    .describe('Seconds until the link expires.'),
});
