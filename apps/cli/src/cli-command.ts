import type { responses } from '@idsync/contracts';
import { Command, Option } from 'commander';
import { wholeNumber } from './input.js';
import { operationExitCodes, printOperation } from './operation-outcome.js';
import type { CliContext } from './printer.js';
import { Session } from './session.js';

/** Descriptions of arguments by name; others are ids. */
const namedArguments: Readonly<Record<string, string>> = {
  connector: 'id or name of the connector',
  name: 'the new display name',
};

/** A command of idsync. Its actions get a session. */
export class CliCommand extends Command {
  constructor(
    readonly io: CliContext,
    name?: string,
  ) {
    super(name);
  }

  override createCommand(name?: string): CliCommand {
    return new CliCommand(this.io, name);
  }

  /** Adds a command whose usage is its name and its arguments, with the arguments of an example. */
  add(usage: string, description: string, example?: string): CliCommand {
    const [name = '', ...given] = usage.split(' ');
    const command = this.command(name).description(description);
    for (const argument of given) {
      const what = argument.replaceAll(/[<>[\].]/g, '').replaceAll('-', ' ');
      command.argument(argument, namedArguments[what] ?? `id of the ${what}`);
    }
    return example === undefined ? command : command.example(example);
  }

  /** Adds an example with these arguments to the help. */
  example(given: string): this {
    return this.addHelpText('after', `\nExample:\n  $ ${`${this.fullName()} ${given}`.trim()}`);
  }

  /** Adds an option with one of these values. */
  choice(flags: string, description: string, values: readonly string[], preset?: string): this {
    return this.addOption(new Option(flags, description).choices(values).default(preset));
  }

  /** Adds the options of a list with offset pagination. */
  paged(): this {
    return this.limited().option('--offset <count>', 'number of results to skip', wholeNumber, 0);
  }

  /** Adds the options of a list with cursor pagination. */
  cursored(): this {
    return this.limited().option('--cursor <cursor>', 'continue after the results of an earlier list');
  }

  /** Adds the option and the help of a command that prints an operation. */
  operation(): this {
    return this.option('--reason <text>', 'reason, stored with the operation').addHelpText('after', operationExitCodes);
  }

  /** Runs the command with its session, its arguments and its options. */
  does<Given extends unknown[]>(run: (session: Session, ...given: Given) => void | Promise<void>): this {
    return this.action(async (...given: unknown[]) => {
      await run(await Session.of(this, this.io), ...(given as Given));
    });
  }

  /** Runs the command, and prints the resource that it returns: as it is for programs, and for people by `forPeople`. */
  prints<Given extends unknown[], Resource extends object>(
    run: (session: Session, ...given: Given) => Promise<Resource>,
    forPeople = (session: Session, resource: Resource): void | Promise<void> => session.printOne(resource),
  ): this {
    return this.does<Given>(async (session, ...given) => {
      const resource = await run(session, ...given);
      await session.show(resource, () => forPeople(session, resource));
    });
  }

  /** Runs the command, and prints the operation that it returns. */
  printsOperation<Given extends unknown[]>(
    run: (session: Session, ...given: Given) => Promise<responses.Operation>,
  ): this {
    return this.does<Given>(async (session, ...given) => printOperation(session, await run(session, ...given)));
  }

  private limited(): this {
    return this.option('--limit <count>', 'maximum number of results', wholeNumber, 50);
  }

  private fullName(): string {
    return this.parent instanceof CliCommand ? `${this.parent.fullName()} ${this.name()}` : this.name();
  }
}
