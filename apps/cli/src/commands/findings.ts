import type { FindingPolicy, responses } from '@idsync/contracts';
import { type Command, Option } from 'commander';
import { pathOf } from '../admin-client.js';
import { findingKinds, findingStates } from '../fixed-values.js';
import { exitCodeOf, operationExitCodes, printOperation } from '../operation-outcome.js';
import { readBody } from '../read-body.js';
import { type CliContext, Session } from '../session.js';
import { wholeNumber } from '../whole-number.js';

const listHelp = `
A finding is open until its reason is gone (resolved) or an operator accepts it (accepted).

Example:
  $ idsync findings list --state open --kind leaver_with_account
  $ idsync findings list --subject idn_…`;

const acceptHelp = `
Example:
  $ idsync findings accept fnd_… --reason "mailbox kept for the handover" --until 2027-01-31T00:00:00Z
${operationExitCodes}`;

const policyExample = `
Example: accounts may wait three days for their person, and one source is read completely once a week:
  {"unmatched_account_hours":72,"connector_stale_hours":[{"connector_id":"con_…","hours":180}]}
  $ idsync findings policy set --file findings.json`;

interface ListOptions {
  kind?: string;
  state?: string;
  subject?: string;
  since?: string;
  limit: number;
  cursor?: string;
}

export function addFindingCommands(program: Command, io: CliContext, exit: (code: number) => void): void {
  const findings = program.command('findings').description('see and accept what needs the attention of an operator');

  findings
    .command('list')
    .description('list findings, newest first')
    .addOption(new Option('--kind <kind>', 'only this kind').choices(findingKinds))
    .addOption(new Option('--state <state>', 'only findings in this state').choices(findingStates))
    .option('--subject <id>', 'only about this record or connector, or concerning this identity')
    .option('--since <time>', 'only findings that were first opened at or after this time')
    .option('--limit <count>', 'maximum number of results', wholeNumber, 50)
    .option('--cursor <cursor>', 'continue after the results of an earlier list')
    .addHelpText('after', listHelp)
    .action(async ({ limit, ...filters }: ListOptions, command: Command) => {
      const session = await Session.of(command, io);
      const path = pathOf('tenants', session.tenant, 'findings');
      const list = await session.client.getUpTo<responses.Finding>(path, limit, { ...filters });
      session.printPage(list, ['id', 'kind', 'state', 'subject', 'name', 'identity', 'opened'], (each) => [
        each.id,
        each.kind,
        each.state === 'accepted' && each.accepted?.until ? `accepted until ${each.accepted.until}` : each.state,
        each.subject_id,
        each.name,
        each.identity_id,
        each.opened_at,
      ]);
    });

  findings
    .command('show')
    .description('show a finding and its evidence')
    .argument('<finding>', 'id of the finding')
    .addHelpText('after', '\nExample:\n  $ idsync findings show fnd_…')
    .action(async (id: string, _options: object, command: Command) => {
      const session = await Session.of(command, io);
      print(session, await session.client.get<responses.Finding>(pathOf('tenants', session.tenant, 'findings', id)));
    });

  findings
    .command('accept')
    .description('accept a finding, so that it is no longer open')
    .argument('<finding>', 'id of the finding')
    .requiredOption('--reason <text>', 'reason, stored with the finding')
    .option('--until <time>', 'when the finding is open again; permanently accepted if absent')
    .option('--by <name>', 'name of the operator')
    .addHelpText('after', acceptHelp)
    .action(async (id: string, options: { reason: string; until?: string; by?: string }, command: Command) => {
      const session = await Session.of(command, io);
      const path = pathOf('tenants', session.tenant, 'findings', id, 'accept');
      finish(session, await session.client.post<responses.Operation>(path, { ...options }));
    });

  findings
    .command('reopen')
    .description('withdraw the acceptance of a finding')
    .argument('<finding>', 'id of the finding')
    .option('--reason <text>', 'reason, stored with the operation')
    .addHelpText('after', `\nExample:\n  $ idsync findings reopen fnd_…\n${operationExitCodes}`)
    .action(async (id: string, { reason }: { reason?: string }, command: Command) => {
      const session = await Session.of(command, io);
      const path = pathOf('tenants', session.tenant, 'findings', id, 'reopen');
      finish(session, await session.client.post<responses.Operation>(path, { reason }));
    });

  addPolicyCommands(findings, io);

  function finish(session: Session, operation: responses.Operation): void {
    printOperation(session, operation);
    exit(exitCodeOf(operation.status));
  }
}

function addPolicyCommands(findings: Command, io: CliContext): void {
  const policy = findings.command('policy').description('see and change when something is a finding');
  const path = (session: Session) => pathOf('tenants', session.tenant, 'finding-policy');

  policy
    .command('show')
    .description('show the ages at which accounts and sources are findings')
    .addHelpText('after', '\nExample:\n  $ idsync findings policy show --json > findings.json')
    .action(async (_options: object, command: Command) => {
      const session = await Session.of(command, io);
      printPolicy(session, await session.client.get<FindingPolicy>(path(session)));
    });

  policy
    .command('set')
    .description('replace these settings; an absent one gets its default')
    .requiredOption('--file <path>', 'JSON file with the settings; - reads standard input')
    .addHelpText('after', policyExample)
    .action(async ({ file }: { file: string }, command: Command) => {
      const session = await Session.of(command, io);
      printPolicy(session, await session.client.put<FindingPolicy>(path(session), readBody(file, io.cwd)));
    });
}

function print(session: Session, finding: responses.Finding): void {
  if (session.isRaw) {
    session.printOne(finding);
    return;
  }
  const { evidence, accepted, ...rest } = finding;
  const parts = { accepted: accepted ?? {}, evidence };
  const shown = Object.entries(parts).flatMap(([part, values]) =>
    Object.entries(values).map(([name, value]) => [`${part} ${name}`, value]),
  );
  session.printOne({ ...rest, ...Object.fromEntries(shown) });
}

function printPolicy(session: Session, policy: FindingPolicy): void {
  if (session.isRaw) {
    session.printOne(policy);
    return;
  }
  const { connector_stale_hours: connectors, ...rest } = policy;
  session.printOne(rest);
  if (connectors.length === 0) return;
  const rows = connectors.map(({ connector_id, hours }) => [connector_id, hours]);
  session.printTable(['connector', 'stale hours'], rows);
}
