import { type Command, CommanderError } from 'commander';
import { BadValueError, CliError } from './cli-error.js';
import type { CliContext } from './printer.js';
import { commandsIn, createProgram } from './program.js';
import { printable } from './table.js';

const usageExitCode = 2;

/** Runs one command line and returns its exit code. */
export async function run(argumentsList: string[], io: CliContext): Promise<number> {
  let exitCode = 0;
  const exit = (code: number) => {
    exitCode = code;
  };
  const program = await createProgram(io, exit, commandsIn(argumentsList));
  let running: Command = program;
  program.hook('preAction', (_program, command) => {
    running = command;
  });
  try {
    await program.parseAsync(argumentsList, { from: 'user' });
    return exitCode;
  } catch (error) {
    // Commander has already printed its help or its error.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : usageExitCode;
    const text = textOf(error as Error, running);
    for (const line of text.split('\n')) io.err.write(`idsync: ${printable(line)}\n`);
    return error instanceof CliError ? error.exitCode : 1;
  }
}

function textOf(error: Error, command: Command): string {
  if (error instanceof BadValueError) return nameOptions(error.message, command);
  return error instanceof CliError ? error.message : String(error.stack);
}

/** Fields of requests that options and arguments with another name set. */
const otherNames: Readonly<Record<string, string>> = {
  q: 'text',
  employee_number: 'number',
  user_principal_name: 'upn',
  connector_id: 'connector',
  manager_id: 'manager',
  owned_by: 'owner',
  identity_id: 'identity',
  job_id: 'job',
  webhook_id: 'webhook',
  event_type: 'event',
  request_id: 'request',
  updated_since: 'since',
  allowed_networks: 'networks',
  matched: 'unmatched',
  attributes: 'attribute',
};

/** A field begins the message, follows "with", or is recognized by its underscore. */
const fields = /^[\w.]+(?= (?:must|is)\b|:)|(?<=\bwith )\w+|(?<!["\w])[a-z]+(?:_[a-z]+)+\b/g;

/** Replaces the names of fields in an error of the service by the options and arguments of the command that set them. */
function nameOptions(message: string, command: Command): string {
  return message.replace(fields, (field) => settingOf(field, command) ?? field);
}

function settingOf(field: string, command: Command): string | undefined {
  const [name = '', ...rest] = field.replace(/^schedule\./, '').split('.');
  for (const candidate of [name, otherNames[name]]) {
    if (candidate === undefined) continue;
    const option = command.options.find((each) => each.attributeName() === camelCase(candidate));
    if (option) return [option.long, ...(name === 'attributes' ? rest : [])].join(' ');
    if (command.registeredArguments.some((argument) => argument.name() === candidate)) return `<${candidate}>`;
  }
  return undefined;
}

const camelCase = (name: string) => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
