import type { Answer, OneTenant } from '@idsync/client/operator';
import type { CliCommand } from '../cli-command.js';
import { printOperation } from '../operation-outcome.js';
import type { Session } from '../session.js';

type Path = 'operator-policy' | 'finding-policy' | 'lifecycle-policy' | 'matching-rules';
export type Policy<Of extends Path> = Answer<OneTenant, `GET /${Of}`>;

interface Settings<Of extends Path> {
  /** The resource of the settings, below the tenant. */
  path: Of;
  /** Descriptions of the commands. */
  show: string;
  set: string;
  /** Help of `set` after its options. */
  help: string;
  /** Name of the file in the example of `show`, and what it contains. */
  file: string;
  content: string;
  print?: (session: Session, policy: Policy<Of>) => void;
}

/** Adds the commands that show settings and replace them by a file. */
export function addSettings<Of extends Path>(
  parent: CliCommand,
  { path, show, set, help, file: name, content, print = (session, policy) => session.printOne(policy) }: Settings<Of>,
): void {
  const shown = (session: Session, policy: object) => session.show(policy, () => print(session, policy as Policy<Of>));
  parent.add('show', show, `--json > ${name}`).does(async (session) => {
    shown(session, await session.client.call(`GET /${path}` as `GET /${Path}`, {}));
  });

  parent
    .add('set', set)
    .requiredOption('--file <path>', `JSON file with ${content}; - reads standard input`)
    .addHelpText('after', help)
    .does(async (session, { file }: { file: string }) => {
      const changed = await session.client.call(`PUT /${path}` as `PUT /${Path}`, {}, session.readBody(file));
      if ('operation_id' in changed) printOperation(session, changed);
      else shown(session, changed);
    });
}
