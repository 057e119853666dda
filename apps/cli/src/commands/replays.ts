import type { CursorQuery } from '../admin-client.js';
import type { CliCommand } from '../cli-command.js';

export function addReplayCommands(program: CliCommand): void {
  const replays = program.add('replays', 'show and cancel replays of webhook deliveries');

  replays
    .add('list', 'list the replays of the last 30 days, newest first', '--limit 10')
    .cursored()
    .does(async (session, query: CursorQuery) => {
      session.printPage(await session.client.upTo('GET /replays', query), [
        ['id', 'replay_id'],
        'kind',
        ['webhook', 'webhook_id'],
        'status',
        ['%', 'progress_pct'],
        ['to send', 'made_due'],
        ['by', 'requested_by'],
        'created_at',
      ]);
    });

  replays.add('show <replay>', 'show a replay and its progress', 'rpl_…').does(async (session, id: string) => {
    session.printOne(await session.client.call('GET /replays/{replayId}', id));
  });

  replays
    .add('cancel <replay>', 'cancel a replay; deliveries that are already due are still sent', 'rpl_…')
    .does(async (session, id: string) => {
      session.printOne(await session.client.call('POST /replays/{replayId}/cancel', id));
    });
}
