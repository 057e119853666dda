import { portalAccesses, portalLinkLimits } from '@idsync/contracts';
import { Option } from 'commander';
import type { CliCommand } from '../cli-command.js';
import { wholeNumber } from '../whole-number.js';

const { seconds } = portalLinkLimits;

const help = `
The holder of the link sees these webhooks in a browser, without an API key. It is printed once.

Example:
  $ idsync webhooks portal whk_… --access read --expires-in 900`;

interface PortalOptions {
  access: (typeof portalAccesses)[number];
  bodies: boolean;
  expiresIn?: number;
}

/** Adds the commands for links to the subscriber portal. */
export function addPortalCommands(webhooks: CliCommand): void {
  webhooks
    .add('portal', 'create a short-lived link with which a subscriber examines its webhooks')
    .argument('<webhooks...>', 'ids of the webhooks that the link shows')
    .addOption(
      new Option('--access <access>', 'what the subscriber may do, each including those before it')
        .choices([...portalAccesses])
        .default('send'),
    )
    .option('--no-bodies', 'do not show the bodies of deliveries')
    .option(
      '--expires-in <seconds>',
      `validity, ${seconds.min} to ${seconds.max} (default: ${seconds.default})`,
      wholeNumber,
    )
    .addHelpText('after', help)
    .does(async (session, ids: string[], { access, bodies, expiresIn }: PortalOptions) => {
      const body = { webhook_ids: ids, access, bodies, ...(expiresIn !== undefined && { expires_in: expiresIn }) };
      session.printOne(await session.client.call('POST /portal-links', {}, body));
      session.note('the link can be used by its holder until it expires');
    });

  webhooks
    .add('revoke-portal <webhook>', 'revoke all portal links of a webhook', 'whk_…')
    .does(async (session, id: string) => {
      await session.client.call('DELETE /webhooks/{webhookId}/portal-links', id);
      session.note(`the portal links of ${id} are revoked`);
    });
}
