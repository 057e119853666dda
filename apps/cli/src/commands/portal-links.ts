import { portalAccesses, portalLinkLimits, type responses } from '@idsync/contracts';
import { type Command, Option } from 'commander';
import { pathOf } from '../admin-client.js';
import { type CliContext, Session } from '../session.js';
import { wholeNumber } from '../whole-number.js';

const { seconds } = portalLinkLimits;

const help = `
The holder of the link sees these webhooks in a browser, without an API key. It is printed once.

Example:
  $ idsync webhooks portal whk_… --access read --expires-in 900`;

interface PortalOptions {
  access: string;
  bodies: boolean;
  expiresIn?: number;
}

/** Adds the commands for links to the subscriber portal. */
export function addPortalCommands(webhooks: Command, io: CliContext): void {
  webhooks
    .command('portal')
    .description('create a short-lived link with which a subscriber examines its webhooks')
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
    .action(async (ids: string[], { access, bodies, expiresIn }: PortalOptions, command: Command) => {
      const session = await Session.of(command, io);
      const body = { webhook_ids: ids, access, bodies, ...(expiresIn !== undefined && { expires_in: expiresIn }) };
      session.printOne(
        await session.client.post<responses.PortalLink>(pathOf('tenants', session.tenant, 'portal-links'), body),
      );
      session.note('the link can be used by its holder until it expires');
    });

  webhooks
    .command('revoke-portal')
    .description('revoke all portal links of a webhook')
    .argument('<webhook>', 'id of the webhook')
    .addHelpText('after', '\nExample:\n  $ idsync webhooks revoke-portal whk_…')
    .action(async (id: string, _options: object, command: Command) => {
      const session = await Session.of(command, io);
      await session.client.delete(pathOf('tenants', session.tenant, 'webhooks', id, 'portal-links'));
      session.note(`the portal links of ${id} are revoked`);
    });
}
