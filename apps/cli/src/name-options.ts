import type { Command } from 'commander';

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
export function nameOptions(message: string, command: Command): string {
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
