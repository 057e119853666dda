import { Argument } from 'commander';
import type { CliCommand } from '../cli-command.js';
import { completionScripts, completionsOf } from '../completion.js';
import { contextsPath, readContexts } from '../contexts.js';

const help = `
Examples:
  $ source <(idsync completion bash)                                     # in ~/.bashrc
  $ idsync completion zsh > "\${fpath[1]}/_idsync"                         # once
  $ idsync completion fish > ~/.config/fish/completions/idsync.fish      # once`;

export function addCompletionCommand(program: CliCommand): void {
  const { io } = program;
  program
    .add('completion', 'print a completion script for a shell')
    .addArgument(new Argument('<shell>', 'shell to complete in').choices(Object.keys(completionScripts)))
    .argument('[words...]', 'after --: print what completes the last of these words, as the script does')
    .addHelpText('after', help)
    .action((shell: keyof typeof completionScripts, words: string[]) => {
      const isScript = words.length === 0;
      const contexts = () => Object.keys(readContexts(contextsPath(io.env ?? process.env)).contexts);
      io.out.write(isScript ? completionScripts[shell] : completionsOf(program, words, contexts()));
    });
}
