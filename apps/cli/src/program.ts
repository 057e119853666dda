import { readFileSync } from 'node:fs';
import { Option } from 'commander';
import { CliCommand } from './cli-command.js';
import { commands } from './load-commands.js';
import { outputFormats } from './output.js';
import type { CliContext } from './session.js';

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
