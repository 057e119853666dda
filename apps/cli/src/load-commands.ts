import type { CliCommand } from './cli-command.js';

type Add = (program: CliCommand) => void;

const config = async () => (await import('./commands/config.js')).addConfigCommands;
const login = async () => (await import('./commands/login.js')).addLoginCommands;

/** Functions that add commands to the program, in the order of the help. Loading all takes most of the time of a start. */
export const commands: Readonly<Record<string, () => Promise<Add>>> = {
  suppressions: async () => (await import('./commands/suppressions.js')).addSuppressionCommands,
  tenants: async () => (await import('./commands/tenants.js')).addTenantCommands,
  audit: async () => (await import('./commands/audit.js')).addAuditCommands,
  approvals: async () => (await import('./commands/approvals.js')).addApprovalCommands,
  'service-tokens': async () => (await import('./commands/service-tokens.js')).addServiceTokenCommands,
  sessions: async () => (await import('./commands/sessions.js')).addSessionCommands,
  keys: async () => (await import('./commands/keys.js')).addKeyCommands,
  export: config,
  diff: config,
  apply: config,
  connectors: async () => (await import('./commands/connectors.js')).addConnectorCommands,
  jobs: async () => (await import('./commands/jobs.js')).addJobCommands,
  sync: async () => (await import('./commands/sync.js')).addSyncCommand,
  cases: async () => (await import('./commands/cases.js')).addCaseCommands,
  find: async () => (await import('./commands/lists.js')).addFindCommand,
  identities: async () => (await import('./commands/identities.js')).addIdentityCommands,
  users: async () => (await import('./commands/lists.js')).addUserCommands,
  groups: async () => (await import('./commands/lists.js')).addGroupCommands,
  accounts: async () => (await import('./commands/lists.js')).addAccountCommands,
  machines: async () => (await import('./commands/lists.js')).addMachineCommands,
  findings: async () => (await import('./commands/findings.js')).addFindingCommands,
  rules: async () => (await import('./commands/rules.js')).addRuleCommands,
  lifecycle: async () => (await import('./commands/lifecycle.js')).addLifecycleCommands,
  priorities: async () => (await import('./commands/priorities.js')).addPriorityCommands,
  operations: async () => (await import('./commands/operations.js')).addOperationCommands,
  webhooks: async () => (await import('./commands/webhooks.js')).addWebhookCommands,
  deliveries: async () => (await import('./commands/deliveries.js')).addDeliveryCommands,
  replays: async () => (await import('./commands/replays.js')).addReplayCommands,
  events: async () => (await import('./commands/events.js')).addEventCommands,
  system: async () => (await import('./commands/system.js')).addSystemCommands,
  'dead-letters': async () => (await import('./commands/dead-letters.js')).addDeadLetterCommands,
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
