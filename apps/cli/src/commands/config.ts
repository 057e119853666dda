import { isDeepStrictEqual } from 'node:util';

import type { CliCommand } from '../cli-command.js';
import { CliError } from '../cli-error.js';
import { type LoadedConfig, loadConfig } from '../config/load-config.js';
import { planConfig, type Step } from '../config/plan-config.js';
import { readConfig } from '../config/read-config.js';
import { confirm } from '../input.js';
import type { Session } from '../session.js';

const exportHelp = `
Connectors, webhooks, priorities, rules and settings, without ids and secrets. A secret is a placeholder such as
\${env:HR_PASSWORD}. Not included: API keys, tokens, quotas, headers of webhooks, and people.

Example:
  $ idsync export > tenant.yaml`;

const diffHelp = `
Exit codes: 0 no difference, 1 differences or failed, 2 the file is wrong.

Example:
  $ idsync diff -f tenant.yaml`;

const applyHelp = `
Prints the plan, asks for confirmation and performs it. Applying a file twice changes nothing. Sections and fields that
the file does not have stay as they are. Secrets are read from the environment for new connectors, for secrets that the
service does not have, and where a changed address requires them again. Records of a deleted connector are kept. Changes
of webhooks need an API key with webhooks:write.

Exit codes: 0 done, 4 some changes wait for a second operator, 1 failed, 2 the file is wrong.

Example:
  $ idsync apply -f tenant.yaml --dry-run
  $ HR_PASSWORD=… idsync apply -f tenant.yaml --yes`;

interface DiffOptions {
  file: string;
  prune?: true;
}

interface ApplyOptions extends DiffOptions {
  dryRun?: true;
  setSecrets?: true;
  yes?: true;
}

export function addConfigCommands(program: CliCommand): void {
  program
    .add('export', 'write the configuration of the tenant as YAML')
    .addHelpText('after', exportHelp)
    .does(async (session) => {
      const { config } = await loadConfig(session);
      if (session.isRaw) session.printOne(config);
      else session.print((await import('yaml')).stringify(config, { lineWidth: 120, aliasDuplicateObjects: false }));
    });

  withFile(program.add('diff', 'compare a file with the configuration of the tenant'))
    .addHelpText('after', diffHelp)
    .does(async (session, options: DiffOptions) => {
      const { steps } = await planned(session, options);
      printPlan(session, steps);
      session.exit(isEmpty(steps) ? 0 : 1);
    });

  withFile(program.add('apply', 'change the configuration of the tenant to that of a file'))
    .option('--dry-run', 'print the plan only')
    .option('--set-secrets', 'set all secrets that the file names, even if the service has them')
    .option('--yes', 'do not ask for confirmation')
    .addHelpText('after', applyHelp)
    .does(async (session, options: ApplyOptions) => {
      const { wanted, loaded, steps } = await planned(session, options);
      printPlan(session, steps);
      if (isEmpty(steps) || options.dryRun) return;
      const { ConfigApplier } = await import('../config/apply-config.js');
      const applier = new ConfigApplier(session, wanted, loaded);
      applier.check(steps);
      if (!options.yes) await confirm(session.io, 'Apply this plan?');
      await requireSame(session, loaded);
      session.exit(await performAll(session, applier, steps));
    });
}

function withFile(command: CliCommand): CliCommand {
  return command
    .requiredOption('-f, --file <path>', 'YAML file with the configuration; - reads standard input')
    .option('--prune', 'also delete connectors and webhooks that the file does not list');
}

async function planned(session: Session, { file, prune, setSecrets }: ApplyOptions) {
  const { normaliseConfig } = await import('../config/normalise-config.js');
  const wanted = normaliseConfig(readConfig(file, session.io.cwd));
  const loaded = await loadConfig(session);
  const secretsOf = (name: string) => loaded.secretNames.get(name) ?? [];
  return { wanted, loaded, steps: planConfig(loaded.config, wanted, { secretsOf, prune, setSecrets }) };
}

/** A plan is valid only for the state that it was computed from. */
async function requireSame(session: Session, planned: LoadedConfig): Promise<void> {
  const { config } = await loadConfig(session);
  if (!isDeepStrictEqual(config, planned.config))
    throw new CliError('the configuration has changed since the plan: nothing was applied; run the command again');
}

async function performAll(
  session: Session,
  applier: { apply(step: Step): Promise<{ waits: boolean; note?: string }> },
  steps: readonly Step[],
): Promise<number> {
  let code = 0;
  for (const step of steps.filter(({ change }) => change !== 'unchanged')) {
    const { waits, note } = await applier.apply(step);
    if (waits) code = 4;
    if (note !== undefined) session.io.err.write(`${[step.kind, step.name].filter(Boolean).join(' ')}: ${note}\n`);
  }
  return code;
}

function printPlan(session: Session, steps: readonly Step[]): void {
  session.printItems({ data: [...steps] }, ['change', 'kind', 'name', ['fields', ({ fields }) => fields.join(', ')]]);
  const count = (change: Step['change']) => steps.filter((step) => step.change === change).length;
  const counts = (['create', 'update', 'delete', 'unchanged'] as const).map((each) => `${count(each)} ${each}`);
  session.note(counts.join(', '));
}

const isEmpty = (steps: readonly Step[]) => steps.every(({ change }) => change === 'unchanged');
