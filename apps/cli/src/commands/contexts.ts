import { resolve } from 'node:path';

import type { CliCommand } from '../cli-command.js';
import { UsageError } from '../cli-error.js';
import {
  type Context,
  checkedContextName,
  contextNamed,
  contextsPath,
  readContexts,
  writeContexts,
} from '../contexts.js';
import { Printer } from '../printer.js';
import { checkedSecret, checkedUrl, readCredentials, type SettingFlags } from '../settings.js';

const addHelp = `
Credentials are taken from --token and --api-key, or from ADMIN_TOKEN and IDSYNC_API_KEY, so that they need not stand in
the history of the shell. They are stored in $XDG_CONFIG_HOME/idsync/contexts.json (by default ~/.config), which only
you can read, and are sent only to the address of their context.

Examples:
  $ ADMIN_TOKEN=$(cat token) idsync context add production --url https://idsync.example.com --tenant ten_…
  $ idsync context add demo --credentials .data/credentials.json`;

interface AddFlags extends SettingFlags {
  credentials?: string;
}

/** Adds the commands for several installations. They read and write a local file only. */
export function addContextCommands(program: CliCommand): void {
  const contexts = program.add('context', 'switch between several installations of idsync');
  const { io } = program;
  const env = io.env ?? process.env;
  const path = contextsPath(env);

  contexts
    .add('add', 'store an installation, or replace it, and use it from now on')
    .argument('<name>', 'name of the context, such as production')
    .option('--credentials <path>', 'file with address, tenant and credentials, as "npm start" writes it')
    .addHelpText('after', addHelp)
    .action((name: string, _options: object, command: CliCommand) => {
      checkedContextName(name);
      const stored = readContexts(path);
      const context = contextFrom(command.optsWithGlobals<AddFlags>());
      writeContexts(path, { current: name, contexts: { ...stored.contexts, [name]: context } });
      io.err.write(`using ${name} (${context.url}) from now on\n`);
    });

  contexts
    .add('use', 'choose the context that commands use')
    .argument('[context]', 'name of the context')
    .option('--none', 'use none: commands take the environment or .data/credentials.json')
    .example('production')
    .action((name: string | undefined, { none }: { none?: boolean }) => {
      if ((name === undefined) !== (none === true)) throw new UsageError('pass the name of a context, or --none');
      const { contexts: stored } = readContexts(path);
      if (name === undefined) {
        writeContexts(path, { contexts: stored });
        io.err.write('using no context from now on\n');
        return;
      }
      const { url } = contextNamed({ contexts: stored }, name);
      writeContexts(path, { current: name, contexts: stored });
      io.err.write(`using ${name} (${url}) from now on\n`);
    });

  contexts
    .add('list', 'list the contexts, without their credentials', '')
    .action((_options: object, command: CliCommand) => {
      const { current, contexts: stored } = readContexts(path);
      const data = Object.entries(stored).map(([name, { url, tenant, token, api_key }]) => ({
        current: name === current,
        name,
        url,
        tenant,
        stored: [token && 'token', api_key && 'key'].filter((each) => each),
      }));
      const list = { data, total: data.length };
      const isCurrent = ({ current }: (typeof data)[number]) => (current ? 'yes' : undefined);
      new Printer(command, io).printList(list, ['name', ['current', isCurrent], 'url', 'tenant', 'stored']);
    });

  contexts
    .add('remove', 'delete a context and its credentials from this machine')
    .argument('<context>', 'name of the context')
    .example('staging')
    .action((name: string) => {
      const { current, contexts: stored } = readContexts(path);
      contextNamed({ contexts: stored }, name);
      const { [name]: _removed, ...rest } = stored;
      writeContexts(path, { ...(current !== undefined && current !== name && { current }), contexts: rest });
      io.err.write(`removed ${name}\n`);
    });

  function contextFrom({ credentials, ...flags }: AddFlags): Context {
    const file = credentials === undefined ? {} : readCredentials(resolve(io.cwd ?? '.', credentials));
    if (credentials !== undefined && !file.url) throw new UsageError(`${credentials} contains no address of idsync`);
    const url = flags.url || file.url || env.IDSYNC_URL;
    if (!url) throw new UsageError('pass the address of the installation with --url');
    const tenant = flags.tenant || file.tenant || env.IDSYNC_TENANT;
    const token = checkedSecret('the operator token', flags.token || file.token || env.ADMIN_TOKEN);
    const key = checkedSecret('the API key', flags.apiKey || file.api_key || env.IDSYNC_API_KEY);
    if (!token && !key) {
      throw new UsageError('pass credentials: --token or ADMIN_TOKEN, --api-key or IDSYNC_API_KEY, or --credentials');
    }
    return { url: checkedUrl(url), ...(tenant && { tenant }), ...(token && { token }), ...(key && { api_key: key }) };
  }
}
