import type { CliCommand } from '../cli-command.js';

export function addSuppressionCommands(program: CliCommand): void {
  const suppressions = program.add('suppressions', 'erased people who are left out of runs');

  suppressions.add('list', 'list the suppressions, the newest first', '').does(async (session) => {
    const list = await session.client.all('GET /suppressions', {});
    session.printList(list, ['id', ['identity', 'identity_id'], ['operation', 'operation_id'], 'created_at']);
  });

  suppressions
    .add('lift <suppression>', 'lift a suppression; the next full run creates the person again if a source lists them')
    .example('sup_…')
    .does(async (session, id: string) => {
      await session.client.call('DELETE /suppressions/{suppressionId}', id);
      session.note(`lifted ${id}`);
    });
}
