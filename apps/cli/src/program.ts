import { Command } from 'commander';
import { addCaseCommands } from './commands/cases.js';
import { addConnectorCommands } from './commands/connectors.js';
import { addDeliveryCommands } from './commands/deliveries.js';
import { addIdentityCommands } from './commands/identities.js';
import { addJobCommands } from './commands/jobs.js';
import { addKeyCommands } from './commands/keys.js';
import { addLifecycleCommands } from './commands/lifecycle.js';
import { addOperationCommands } from './commands/operations.js';
import { addPriorityCommands } from './commands/priorities.js';
import { addReplayCommands } from './commands/replays.js';
import { addRuleCommands } from './commands/rules.js';
import { addSyncCommand } from './commands/sync.js';
import { addTenantCommands } from './commands/tenants.js';
import { addWebhookCommands } from './commands/webhooks.js';
import type { CliContext } from './session.js';

const more = `
Address, token and tenant are taken from the options, then the environment (IDSYNC_URL, ADMIN_TOKEN, IDSYNC_TENANT),
then .data/credentials.json, which "npm start" writes: commands run in that directory need no option.

Examples:
  $ idsync tenants list
  $ idsync keys create reporting --scopes identities:read
  $ idsync connectors create --file hr.json
  $ idsync sync HR --watch
  $ idsync cases list
  $ idsync identities explain idn_…
  $ idsync deliveries list --status dead
  $ idsync --url https://idsync.example.com --tenant ten_… jobs list --json
`;

/** Builds the command line. `exit` receives the exit code of a command that did not throw. */
export function createProgram(io: CliContext, exit: (code: number) => void): Command {
  const program = new Command('idsync')
    .description('Administers an idsync service through its operator API.')
    .option('--url <address>', 'address of the gateway')
    .option('--token <token>', 'operator token; prefer ADMIN_TOKEN, because other users can see command lines')
    .option('--tenant <id>', 'id of the tenant to work on')
    .option('--json', 'print responses as JSON')
    .addHelpText('after', more)
    .exitOverride()
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({ writeOut: (text) => io.out.write(text), writeErr: (text) => io.err.write(text) })
    .showHelpAfterError('(add --help for usage)');
  addTenantCommands(program, io);
  addKeyCommands(program, io);
  addConnectorCommands(program, io, exit);
  addJobCommands(program, io, exit);
  addSyncCommand(program, io, exit);
  addCaseCommands(program, io, exit);
  addIdentityCommands(program, io, exit);
  addRuleCommands(program, io, exit);
  addLifecycleCommands(program, io, exit);
  addPriorityCommands(program, io, exit);
  addOperationCommands(program, io, exit);
  addWebhookCommands(program, io, exit);
  addDeliveryCommands(program, io, exit);
  addReplayCommands(program, io);
  return program;
}
