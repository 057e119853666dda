import type { responses } from '@idsync/contracts';
import type { Command } from 'commander';
import { pathOf } from '../admin-client.js';
import { type CliContext, Session } from '../session.js';

const endHelp = `
The operator can sign in again. To prevent it, revoke the service token, or remove the role at the identity provider.

Example:
  $ idsync sessions end ses_…`;

export function addSessionCommands(program: Command, io: CliContext): void {
  const sessions = program.command('sessions').description('list and end sessions of operators');

  sessions
    .command('list')
    .description('list sessions of operators, the last used first')
    .addHelpText('after', '\nExample:\n  $ idsync sessions list')
    .action(async (_options: object, command: Command) => {
      const session = await Session.of(command, io);
      const list = await session.client.getAll<responses.ListedSession>('sessions');
      session.printList(
        list,
        ['id', 'name', 'role', 'signed in with', 'since', 'last used', 'ends without use', 'ends'],
        (each) => [
          each.id,
          each.actor.name,
          each.actor.role,
          each.actor.kind,
          each.created_at,
          each.last_used_at,
          each.idle_expires_at,
          each.expires_at,
        ],
      );
    });

  sessions
    .command('end')
    .description('end a session immediately')
    .argument('<session>', 'id of the session, from "idsync sessions list"')
    .addHelpText('after', endHelp)
    .action(async (id: string, _options: object, command: Command) => {
      const session = await Session.of(command, io);
      await session.client.delete(pathOf('sessions', id));
      session.note(`ended ${id}`);
    });
}
