import type { responses } from '@idsync/contracts';
import type { CliCommand } from '../cli-command.js';
import { printOperation } from '../operation-outcome.js';
import type { Session } from '../session.js';

interface Settings<Policy> {
  /** The resource of the settings, below the tenant. */
  path: string;
  /** Descriptions of the commands. */
  show: string;
  set: string;
  /** Help of `set` after its options. */
  help: string;
  /** Name of the file in the example of `show`, and what it contains. */
  file: string;
  content: string;
  print?: (session: Session, policy: Policy) => void;
  /** Changes are an operation of the directory. */
  isOperation?: true;
}

/** Adds the commands that show settings and replace them by a file. */
export function addSettings<Policy extends object>(
  parent: CliCommand,
  {
    path,
    show,
    set,
    help,
    file: name,
    content,
    print = (session, policy) => session.printOne(policy),
    isOperation,
  }: Settings<Policy>,
): void {
  const shown = (session: Session, policy: Policy) => session.show(policy, () => print(session, policy));
  parent.add('show', show, `--json > ${name}`).does(async (session) => {
    shown(session, await session.client.get<Policy>(session.path(path)));
  });

  parent
    .add('set', set)
    .requiredOption('--file <path>', `JSON file with ${content}; - reads standard input`)
    .addHelpText('after', help)
    .does(async (session, { file }: { file: string }) => {
      const changed = await session.client.put<Policy & responses.Operation>(
        session.path(path),
        session.readBody(file),
      );
      if (isOperation) printOperation(session, changed);
      else shown(session, changed);
    });
}
