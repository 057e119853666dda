import type { Command } from 'commander';
import { pathOf } from '../admin-client.js';
import type { Replay } from '../admin-replies.js';
import { Session, type Surroundings } from '../session.js';
import { wholeNumber } from '../whole-number.js';

export function addReplayCommands(program: Command, io: Surroundings): void {
  const replays = program.command('replays').description('see what is sent again, and stop it');

  replays
    .command('list')
    .description('list the replays of the last 30 days, the newest first')
    .option('--limit <count>', 'at most this many', wholeNumber, 50)
    .option('--cursor <cursor>', 'go on where another list has ended')
    .addHelpText('after', '\nExample:\n  $ idsync replays list --limit 10')
    .action(async ({ limit, cursor }: { limit: number; cursor?: string }, command: Command) => {
      const session = Session.of(command, io);
      const path = pathOf('tenants', session.tenant, 'replays');
      const list = await session.client.getUpTo<Replay>(path, limit, { cursor });
      session.printPage(list, ['id', 'kind', 'webhook', 'status', '%', 'to send', 'by', 'created'], (each) => [
        each.replay_id,
        each.kind,
        each.webhook_id,
        each.status,
        each.progress_pct,
        each.made_due,
        each.requested_by,
        each.created_at,
      ]);
    });

  replays
    .command('show')
    .description('show a replay and how far it has come')
    .argument('<replay>', 'its id')
    .addHelpText('after', '\nExample:\n  $ idsync replays show rpl_…')
    .action(async (id: string, _options: object, command: Command) => {
      const session = Session.of(command, io);
      session.printOne(await session.client.get<Replay>(pathOf('tenants', session.tenant, 'replays', id)));
    });

  replays
    .command('cancel')
    .description('cancel a replay; what it has made due is sent')
    .argument('<replay>', 'its id')
    .addHelpText('after', '\nExample:\n  $ idsync replays cancel rpl_…')
    .action(async (id: string, _options: object, command: Command) => {
      const session = Session.of(command, io);
      const path = pathOf('tenants', session.tenant, 'replays', id, 'cancel');
      session.printOne(await session.client.post<Replay>(path, undefined));
    });
}
