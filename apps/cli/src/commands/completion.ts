import { Argument, type Command } from 'commander';
import { completionScript, type Shell, shells } from '../completion.js';
import type { CliContext } from '../session.js';

const help = `
Examples:
  $ source <(idsync completion bash)                                     # in ~/.bashrc
  $ idsync completion zsh > "\${fpath[1]}/_idsync"                         # once
  $ idsync completion fish > ~/.config/fish/completions/idsync.fish      # once`;

export function addCompletionCommand(program: Command, io: CliContext): void {
  program
    .command('completion')
    .description('print a completion script for a shell')
    .addArgument(new Argument('<shell>', 'shell to complete in').choices(shells))
    .addHelpText('after', help)
    .action((shell: Shell) => {
      io.out.write(completionScript(program, shell));
    });
}
