import type { CliCommand } from '../cli-command.js';

const endHelp = `
The operator can sign in again. To prevent it, revoke the service token, or remove the role at the identity provider.

Example:
  $ idsync sessions end ses_…`;

export function addSessionCommands(program: CliCommand): void {
  const sessions = program.add('sessions', 'list and end sessions of operators');

  sessions.add('list', 'list sessions of operators, the last used first', '').does(async (session) => {
    session.printList(await session.installation.all('GET /sessions', {}), [
      'id',
      ['name', ({ actor }) => actor.name],
      ['role', ({ actor }) => actor.role],
      ['signed in with', ({ actor }) => actor.kind],
      ['since', 'created_at'],
      'last_used_at',
      ['ends without use', 'idle_expires_at'],
      ['ends', 'expires_at'],
    ]);
  });

  sessions
    .command('end')
    .description('end a session immediately')
    .argument('<session>', 'id of the session, from "idsync sessions list"')
    .addHelpText('after', endHelp)
    .does(async (session, id: string) => {
      await session.installation.call('DELETE /sessions/{sessionId}', id);
      session.note(`ended ${id}`);
    });
}
