import type { responses } from '@idsync/contracts';
import type { Command } from 'commander';
import { pathOf } from '../admin-client.js';
import { type CliContext, Session } from '../session.js';
import { wholeNumber } from '../whole-number.js';

export function addReplayCommands(program: Command, io: CliContext): void {
  const replays = program.command('replays').description('show and cancel replays of webhook deliveries');

  replays
    .command('list')
    .description('list the replays of the last 30 days, newest first')
    .option('--limit <count>', 'maximum number of results', wholeNumber, 50)
    .option('--cursor <cursor>', 'continue after the results of an earlier list')
    .addHelpText('after', '\nExample:\n  $ idsync replays list --limit 10')
    .action(async ({ limit, cursor }: { limit: number; cursor?: string }, command: Command) => {
      const session = await Session.of(command, io);
      const path = pathOf('tenants', session.tenant, 'replays');
      const list = await session.client.getUpTo<responses.Replay>(path, limit, { cursor });
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
    .description('show a replay and its progress')
    .argument('<replay>', 'id of the replay')
    .addHelpText('after', '\nExample:\n  $ idsync replays show rpl_…')
    .action(async (id: string, _options: object, command: Command) => {
      const session = await Session.of(command, io);
      session.printOne(await session.client.get<responses.Replay>(pathOf('tenants', session.tenant, 'replays', id)));
    });

  replays
    .command('cancel')
    .description('cancel a replay; deliveries that are already due are still sent')
    .argument('<replay>', 'id of the replay')
    .addHelpText('after', '\nExample:\n  $ idsync replays cancel rpl_…')
    .action(async (id: string, _options: object, command: Command) => {
      const session = await Session.of(command, io);
      const path = pathOf('tenants', session.tenant, 'replays', id, 'cancel');
      session.printOne(await session.client.post<responses.Replay>(path, undefined));
    });
}
