import type { responses } from '@idsync/contracts';
import type { List } from '../admin-client.js';
import type { CliCommand } from '../cli-command.js';
import { UsageError } from '../cli-error.js';
import { findConnector } from '../find-connector.js';
import { printOperation } from '../operation-outcome.js';
import type { Session } from '../session.js';
import { idOfName } from '../what-is-there.js';

const deletedHelp = 'id or name of the deleted connector';
/** Values of `--records` with those of the API. */
const modes = { keep: 'keep', retire: 'retire', 'hand-over': 'hand_over' } as const;
const choices = '--records keep, --records retire, or --records hand-over --to <connector>';

interface DeleteOptions {
  records?: keyof typeof modes;
  to?: string;
}

/** Adds the commands that delete a connector and decide about its records. */
export function addDeletionCommands(connectors: CliCommand): void {
  connectors
    .add('delete <connector>', 'delete a connector, and keep, retire or hand over its records')
    .choice('--records <mode>', 'what becomes of its records; required if it has any', Object.keys(modes))
    .option('--to <connector>', 'with hand-over: id or name of the connector that takes the records')
    .addHelpText(
      'after',
      `
  keep       the records stay as they are; retire them or hand them over later
  retire     a job deletes the records, under the deletion safeguard
  hand-over  the records become those of another connector, by their ids or match keys

Example:
  $ idsync connectors delete HR --records hand-over --to "HR new"`,
    )
    .does(async (session, connector: string, { records, to }: DeleteOptions) => {
      const id = await findConnector(session, connector);
      const { live_records: live } = await session.client.call('GET /connectors/{connectorId}/deletion', id);
      if (records === undefined && live > 0) throw new UsageError(`${connector} has ${counted(live)}: pass ${choices}`);
      const mode = modes[records ?? 'keep'];
      if ((mode === 'hand_over') !== (to !== undefined))
        throw new UsageError('hand-over needs --to, and only hand-over');
      const query = { records: mode, ...(to !== undefined && { to: await findConnector(session, to) }) };
      await session.client.call('DELETE /connectors/{connectorId}', id, query);
      session.note(`deleted ${connector}, which had ${counted(live)}`);
      if (mode === 'retire') session.note(`a job deletes them: idsync jobs list --connector ${id}`);
      if (mode === 'hand_over') session.note('an operation hands them over: idsync operations list');
    });

  connectors.add('deleted', 'list deleted connectors and how many records they left', '').does(async (session) => {
    session.printList(await listDeleted(session), ['id', 'name', 'type', 'records', 'live_records', 'deleted_at']);
  });

  connectors
    .add('retire', 'start a job that deletes the records of a deleted connector, under its deletion safeguard')
    .argument('<connector>', deletedHelp)
    .example('HR')
    .does(async (session, connector: string) => {
      const id = await findDeleted(session, connector);
      session.printOne(await session.client.call('POST /deleted-connectors/{connectorId}/retire', id));
    });

  connectors
    .add('hand-over', 'give the records of a deleted connector to another connector')
    .argument('<connector>', deletedHelp)
    .requiredOption('--to <connector>', 'id or name of the connector that takes the records')
    .example('HR --to "HR new"')
    .operation()
    .does(async (session, connector: string, { to, reason }: { to: string; reason?: string }) => {
      const id = await findDeleted(session, connector);
      const body = { to: await findConnector(session, to), reason };
      printOperation(session, await session.client.call('POST /deleted-connectors/{connectorId}/hand-over', id, body));
    });
}

function counted(records: number): string {
  return `${records} live record${records === 1 ? '' : 's'}`;
}

function listDeleted(session: Session): Promise<List<responses.DeletedConnector>> {
  return session.client.all('GET /deleted-connectors', {});
}

/** Names of deleted connectors are not unique. */
async function findDeleted(session: Session, idOrName: string): Promise<string> {
  return idOrName.startsWith('con_') ? idOrName : idOfName('deleted connector', idOrName, await listDeleted(session));
}
