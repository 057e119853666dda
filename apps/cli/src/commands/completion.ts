import { Argument } from 'commander';
import type { CliCommand } from '../cli-command.js';
import { completionScript, type Shell, shells } from '../completion.js';

const help = `
Examples:
  $ source <(idsync completion bash)                                     # in ~/.bashrc
  $ idsync completion zsh > "\${fpath[1]}/_idsync"                         # once
  $ idsync completion fish > ~/.config/fish/completions/idsync.fish      # once`;

export function addCompletionCommand(program: CliCommand): void {
  program
    .add('completion', 'print a completion script for a shell')
    .addArgument(new Argument('<shell>', 'shell to complete in').choices(shells))
    .addHelpText('after', help)
    .action((shell: Shell) => {
      program.io.out.write(completionScript(program, shell));
    });
}
