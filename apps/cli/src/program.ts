import { readFileSync } from 'node:fs';
import { Command, Option } from 'commander';
import { addApprovalCommands } from './commands/approvals.js';
import { addAuditCommands } from './commands/audit.js';
import { addCaseCommands } from './commands/cases.js';
import { addCompletionCommand } from './commands/completion.js';
import { addConfigCommands } from './commands/config.js';
import { addConnectorCommands } from './commands/connectors.js';
import { addContextCommands } from './commands/contexts.js';
import { addDeliveryCommands } from './commands/deliveries.js';
import { addEventCommands } from './commands/events.js';
import { addFindingCommands } from './commands/findings.js';
import { addIdentityCommands } from './commands/identities.js';
import { addJobCommands } from './commands/jobs.js';
import { addKeyCommands } from './commands/keys.js';
import { addLifecycleCommands } from './commands/lifecycle.js';
import { addAccountCommands, addFindCommand, addMachineCommands } from './commands/lists.js';
import { addLoginCommands } from './commands/login.js';
import { addOperationCommands } from './commands/operations.js';
import { addPriorityCommands } from './commands/priorities.js';
import { addReplayCommands } from './commands/replays.js';
import { addRuleCommands } from './commands/rules.js';
import { addServiceTokenCommands } from './commands/service-tokens.js';
import { addSuppressionCommands } from './commands/suppressions.js';
import { addSyncCommand } from './commands/sync.js';
import { addTenantCommands } from './commands/tenants.js';
import { addWatchCommand } from './commands/watch.js';
import { addWebhookCommands } from './commands/webhooks.js';
import { outputFormats } from './output.js';
import type { CliContext } from './session.js';

const more = `
Address, tenant and credentials are taken from the options, then the environment (IDSYNC_URL, IDSYNC_TENANT, ADMIN_TOKEN,
IDSYNC_API_KEY), then the current context ("idsync context add"), then .data/credentials.json, which "npm start" writes:
commands run in that directory need no option.

Exit codes:
  0  success
  1  failed, refused or unreachable
  2  the command line, a file or an id is wrong; nothing was changed
  3  a sync completed, but some records could not be read or applied
  4  accepted, but not done yet
  130  interrupted

Examples:
  $ idsync tenants list
  $ idsync keys create reporting --scopes identities:read
  $ idsync connectors create --file hr.json
  $ idsync sync HR --watch
  $ idsync cases list
  $ idsync find ann lee
  $ idsync findings list --state open
  $ idsync identities explain idn_…
  $ idsync deliveries list --status dead
  $ idsync events tail
  $ idsync audit list --resource job_…
  $ idsync --url https://idsync.example.com --tenant ten_… jobs list --output csv
`;

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

/** Builds the command line. `exit` receives the exit code of a command that did not throw. */
export function createProgram(io: CliContext, exit: (code: number) => void): Command {
  const program = new Command('idsync')
    .description('Administers an idsync service through its operator API.')
    .version(version, '-V, --version', 'print the version of this program')
    .option('--url <address>', 'address of the gateway')
    .option(
      '--token <token>',
      'operator or service token; prefer ADMIN_TOKEN, because other users can see command lines',
    )
    .option('--tenant <id>', 'id or name of the tenant to work on')
    .option('--api-key <key>', 'API key of the tenant, for commands that read events; prefer IDSYNC_API_KEY')
    .option('--context <name>', 'installation to use, from "idsync context list"')
    .addOption(
      new Option('-o, --output <format>', 'how results are printed: for people, or complete for programs').choices(
        outputFormats,
      ),
    )
    .option('--json', 'the same as --output json')
    .addHelpText('after', more)
    .exitOverride()
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({ writeOut: (text) => io.out.write(text), writeErr: (text) => io.err.write(text) })
    .showHelpAfterError('(add --help for usage)');
  addSuppressionCommands(program, io);
  addTenantCommands(program, io);
  addAuditCommands(program, io, exit);
  addApprovalCommands(program, io);
  addServiceTokenCommands(program, io);
  addKeyCommands(program, io);
  addConfigCommands(program, io, exit);
  addConnectorCommands(program, io, exit);
  addJobCommands(program, io, exit);
  addSyncCommand(program, io, exit);
  addCaseCommands(program, io, exit);
  addFindCommand(program, io);
  addIdentityCommands(program, io, exit);
  addAccountCommands(program, io);
  addMachineCommands(program, io);
  addFindingCommands(program, io, exit);
  addRuleCommands(program, io, exit);
  addLifecycleCommands(program, io, exit);
  addPriorityCommands(program, io, exit);
  addOperationCommands(program, io, exit);
  addWebhookCommands(program, io, exit);
  addDeliveryCommands(program, io, exit);
  addReplayCommands(program, io);
  addEventCommands(program, io, exit);
  addWatchCommand(program, io, exit);
  addLoginCommands(program, io);
  addContextCommands(program, io);
  addCompletionCommand(program, io);
  return program;
}
