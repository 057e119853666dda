import { readFileSync } from 'node:fs';
import { Option } from 'commander';
import { CliCommand } from './cli-command.js';
import { type CliContext, outputFormats } from './printer.js';

const more = `
Address, tenant and credentials are taken from the options, then the environment (IDSYNC_URL, IDSYNC_TENANT, ADMIN_TOKEN,
IDSYNC_API_KEY), then the current context ("idsync context add"), then .data/credentials.json, which "npm start" writes:
commands run in that directory need no option.

Exit codes:
  0  success
  1  failed, unreachable, or refused because of the state, such as a job that has already ended
  2  the command line, a file, a value or an id is wrong; nothing was changed
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

/** Builds the command line with these commands. `exit` receives the exit code of a command that did not throw. */
export async function createProgram(
  io: CliContext,
  exit: (code: number) => void,
  names: readonly string[] = Object.keys(commands),
): Promise<CliCommand> {
  const program = new CliCommand({ ...io, exit }, 'idsync')
    .description('Administers an idsync service through its operator API.')
    .version(version, '-V, --version', 'print the version of this program')
    .option('--url <address>', 'address of the gateway')
    .option(
      '--token <token>',
      'operator or service token; prefer ADMIN_TOKEN, because other users can see command lines',
    )
    .option('--tenant <id>', 'id or name of the tenant to work on')
    .option('--api-key <key>', 'API key of the tenant, for commands that read events; prefer IDSYNC_API_KEY')
    .option('--context <context>', 'installation to use, from "idsync context list"')
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
  // A function that adds several commands is called once.
  const adds = new Set(await Promise.all(names.map((name) => commands[name]?.())));
  for (const add of adds) add?.(program);
  return program;
}

type Add = (program: CliCommand) => void;

const config = async () => (await import('./commands/config.js')).addConfigCommands;
const login = async () => (await import('./commands/login.js')).addLoginCommands;

/** Functions that add commands to the program, in the order of the help. Loading all takes most of the time of a start. */
export const commands: Readonly<Record<string, () => Promise<Add>>> = {
  suppressions: async () => (await import('./commands/identities.js')).addSuppressionCommands,
  tenants: async () => (await import('./commands/tenants.js')).addTenantCommands,
  audit: async () => (await import('./commands/audit.js')).addAuditCommands,
  approvals: async () => (await import('./commands/operations.js')).addApprovalCommands,
  'service-tokens': async () => (await import('./commands/service-tokens.js')).addServiceTokenCommands,
  sessions: async () => (await import('./commands/service-tokens.js')).addSessionCommands,
  keys: async () => (await import('./commands/keys.js')).addKeyCommands,
  export: config,
  diff: config,
  apply: config,
  connectors: async () => (await import('./commands/connectors.js')).addConnectorCommands,
  jobs: async () => (await import('./commands/jobs.js')).addJobCommands,
  sync: async () => (await import('./commands/jobs.js')).addSyncCommand,
  cases: async () => (await import('./commands/cases.js')).addCaseCommands,
  find: async () => (await import('./commands/lists.js')).addFindCommand,
  identities: async () => (await import('./commands/identities.js')).addIdentityCommands,
  users: async () => (await import('./commands/lists.js')).addUserCommands,
  groups: async () => (await import('./commands/lists.js')).addGroupCommands,
  accounts: async () => (await import('./commands/lists.js')).addAccountCommands,
  machines: async () => (await import('./commands/lists.js')).addMachineCommands,
  findings: async () => (await import('./commands/findings.js')).addFindingCommands,
  rules: async () => (await import('./commands/settings.js')).addRuleCommands,
  lifecycle: async () => (await import('./commands/settings.js')).addLifecycleCommands,
  priorities: async () => (await import('./commands/settings.js')).addPriorityCommands,
  operations: async () => (await import('./commands/operations.js')).addOperationCommands,
  webhooks: async () => (await import('./commands/webhooks.js')).addWebhookCommands,
  deliveries: async () => (await import('./commands/deliveries.js')).addDeliveryCommands,
  replays: async () => (await import('./commands/deliveries.js')).addReplayCommands,
  events: async () => (await import('./commands/events.js')).addEventCommands,
  system: async () => (await import('./commands/system.js')).addSystemCommands,
  'dead-letters': async () => (await import('./commands/system.js')).addDeadLetterCommands,
  watch: async () => (await import('./commands/watch.js')).addWatchCommand,
  login,
  logout: login,
  whoami: login,
  context: async () => (await import('./commands/contexts.js')).addContextCommands,
  completion: async () => (await import('./commands/completion.js')).addCompletionCommand,
};

/** Options that are answered without any command. */
const needNone = new Set(['--version', '-V']);

/**
 * Returns the commands that the arguments may call: those that are one of the words, which may be the value of an option
 * too. If there is none, all of them, for the help and for suggestions, unless the version is requested.
 */
export function commandsIn(argumentsList: readonly string[]): string[] {
  const all = Object.keys(commands);
  const isCompletion = argumentsList[0] === 'completion';
  // The last word is the one to complete: `find` may become `findings`.
  const words = isCompletion ? argumentsList.slice(0, -1) : argumentsList;
  const named = all.filter((name) => words.includes(name));
  if (named.length === 0 && words.some((word) => needNone.has(word))) return [];
  return named.length <= Number(isCompletion) || words.includes('help') ? all : named;
}
