import type { LifecycleEvent } from '@idsync/client';
import type { responses } from '@idsync/contracts';
import { personName, shownChange } from '../cells.js';
import type { CliCommand } from '../cli-command.js';
import { UsageError } from '../cli-error.js';
import { explained } from '../event-stream.js';
import { shownConnectorNames } from '../find-connector.js';
import { confirm, wholeNumber } from '../input.js';
import { printOperation } from '../operation-outcome.js';
import type { Session } from '../session.js';
import { addIdentityList } from './lists.js';

const identityHelp = 'id of the identity; the id of a merged identity resolves to the one that has its records';

/** The table's fields of users, accounts and machine identities; no kind has all of them. */
type LinkedRecord = Partial<
  Pick<responses.Account, 'id' | 'external_id' | 'identifier' | 'display_name' | 'first_name' | 'last_name'>
> & {
  status: string;
};

interface ReasonOption {
  reason?: string;
}

interface EraseOptions extends ReasonOption {
  yes?: boolean;
  allowReturn?: boolean;
}

export function addIdentityCommands(program: CliCommand): void {
  const identities = program.add('identities', 'list, show, explain, merge, split and erase identities');

  addIdentityList(identities);

  identities
    .add('show', 'show an identity, its attributes and its linked records', 'idn_… --at 2026-01-31T12:00:00Z')
    .argument('<identity>', identityHelp)
    .option('--at <date-time>', 'show the state at this time')
    .prints(
      (session, id: string, { at }: { at?: string }) =>
        session.client.call('GET /identities/{identityId}', id, { at }) as Promise<responses.Identity>,
      printIdentity,
    );

  addHistoryCommand(identities);

  identities
    .add('explain', 'show the source of each field and why, and why each record belongs to the identity', 'idn_…')
    .argument('<identity>', identityHelp)
    .prints(explain, printExplanation);

  identities
    .add('merge', 'merge identities into one')
    .argument('<into>', 'the identity that remains')
    .argument('<from...>', 'the identities to merge; their ids resolve to the remaining identity')
    .addHelpText('after', '\nRevert it with "idsync operations revert".')
    .example('idn_1… idn_2…')
    .operation()
    .printsOperation((session, into: string, from: string[], { reason }: ReasonOption) =>
      session.client.call('POST /identities/{identityId}/merge', into, { from_ids: from, reason }),
    );

  identities
    .add('split', 'move records of an identity to a new identity')
    .argument('<identity>', 'the identity that keeps the other records')
    .argument('<record...>', 'ids of the users, accounts and machine identities to move')
    .addHelpText('after', '\nRevert it with "idsync operations revert".')
    .example('idn_… usr_… acc_…')
    .operation()
    .printsOperation((session, id: string, records: string[], { reason }: ReasonOption) =>
      session.client.call('POST /identities/{identityId}/split', id, { record_ids: records, reason }),
    );

  identities
    .add('erase <identity>', 'permanently remove all personal data of an identity')
    .option('--allow-return', 'create the person again when a source still lists them')
    .option('--yes', 'skip the confirmation')
    .addHelpText(
      'after',
      '\nThis cannot be reverted. The person is left out of later runs until "idsync suppressions lift".',
    )
    .example('idn_… --reason "request 17"')
    .operation()
    .does(async (session, id: string, { reason, yes, allowReturn }: EraseOptions) => {
      if (!yes) {
        const { display_name, records } = await explain(session, id);
        const machines = records.filter(({ kind }) => kind === 'machine_identity').length;
        const remaining = machines > 0 ? `, machine identities that remain: ${machines}` : '';
        const erased = records.length - machines;
        await confirm(session.io, `Permanently erase ${display_name ?? id} (records: ${erased}${remaining})?`);
      }
      const body = { reason, ...(allowReturn && { keep_out: false }) };
      printOperation(session, await session.client.call('POST /identities/{identityId}/erase', id, body));
    });
}

function explain(session: Session, id: string): Promise<responses.Explanation> {
  return session.client.call('GET /identities/{identityId}/explain', id);
}

async function printIdentity(session: Session, identity: responses.Identity): Promise<void> {
  const { attributes, users, accounts, machine_identities, ...rest } = identity;
  session.printOne(rest);
  const ids = attributes.map(({ source_id }) => source_id);
  const names = await shownConnectorNames(session, ids);
  session.printTable(attributes, [
    ['field', 'field_name'],
    ['value', 'field_value'],
    'priority',
    ['source', ({ source_id }) => names.get(source_id) ?? source_id],
  ]);
  const ofKind = (kind: string, records: LinkedRecord[]) => records.map((each) => ({ ...each, kind }));
  session.printTable(
    [...ofKind('user', users), ...ofKind('account', accounts), ...ofKind('machine identity', machine_identities)],
    ['id', 'kind', ['identifier', (each) => each.identifier ?? each.external_id], ['name', personName], 'status'],
  );
}

function printExplanation(session: Session, found: responses.Explanation): void {
  const { fields, records, ...rest } = found;
  session.printOne(rest);
  const source = (from: { connector?: string; connector_id: string; connector_deleted_at?: string }) =>
    `${from.connector ?? from.connector_id}${from.connector_deleted_at === undefined ? '' : ' (deleted)'}`;
  session.printTable(fields, [
    'field',
    ['value', ({ winner }) => winner.value || 'nothing'],
    ['source', ({ winner }) => source(winner)],
    [
      'overridden',
      ({ over }) => over.map((each) => `${each.value || 'nothing'} (${source(each)})${otherReason(each.because)}`),
    ],
    ['reason', 'because'],
  ]);
  const names = new Map(
    fields.flatMap(({ winner, over }) => [winner, ...over].map((each) => [each.connector_id, source(each)])),
  );
  session.printTable(records, [
    'id',
    'kind',
    ['source', ({ connector_id }) => names.get(connector_id) ?? connector_id],
    'external_id',
    'status',
    ['linked by', 'linked'],
    ['job or operation', 'by'],
  ]);
  const links = records.flatMap(({ id, evidence }) => {
    if (!evidence) return [];
    const { kind, rule, score, values = [], record_id, at, reason } = evidence;
    const how = [kind, rule, score !== undefined && `(score ${score})`].filter(Boolean).join(' ');
    const compared = values.map(({ value, other }) => `${value ?? '?'} = ${other ?? '?'}`);
    return [{ record: id, how, compared, record_id, at, reason }];
  });
  if (links.length === 0) return;
  session.printTable(links, [
    'record',
    ['evidence', 'how'],
    ['values', 'compared'],
    ['other record', 'record_id'],
    ['linked at', 'at'],
    'reason',
  ]);
}

/** The reason of the winner says that the others rank lower. */
function otherReason(because: string | undefined): string {
  return because === undefined || because.startsWith('ranked lower') ? '' : `: ${because}`;
}

const help = `
Needs the API key of the tenant, with the scope identities:read.

Examples:
  $ idsync identities history idn_…
  $ idsync identities history idn_… --since 2026-01-31T00:00:00Z --output csv`;

interface HistoryOptions {
  since?: string;
  limit: number;
}

/** Adds the command that lists what happened to an identity. */
function addHistoryCommand(identities: CliCommand): void {
  identities
    .add('history <identity>', 'list the changes of an identity and of everything linked to it, oldest first')
    .option('--since <time>', 'only changes at or after this time')
    .option('--limit <count>', 'maximum number of results', wholeNumber, 50)
    .addHelpText('after', help)
    .does(async (session, id: string, { since, limit }: HistoryOptions) => {
      if (!/^idn_\w+$/.test(id)) throw new UsageError(`"${id}" is not the id of an identity: it must begin with idn_`);
      const client = await session.tenantClient();
      const query = { limit: Math.min(Math.max(limit, 1), 200), ...(since !== undefined && { updated_since: since }) };
      const list = { data: [] as LifecycleEvent[], total: 0 };
      await explained(async () => {
        for await (const page of client.identities.history(id, query).pages()) {
          list.total = page.total;
          list.data.push(...page.data.slice(0, limit - list.data.length));
          if (list.data.length >= limit) break;
        }
      }, `no identity "${id}" in the tenant of this API key; "idsync identities list" shows the ids`);
      session.printList(list, [
        ['time', 'occurred_at'],
        ['event', 'event_type'],
        'id',
        ['subject', ({ details }) => details.subject_id ?? details.record_id ?? details.id],
        ['changes', ({ details: { changes } }) => (Array.isArray(changes) ? changes.map(shownChange) : undefined)],
        ['cause', ({ details }) => details.operation_id ?? details.job_id],
      ]);
    });
}

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
