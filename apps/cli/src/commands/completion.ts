import { Argument, type Command, type Option } from 'commander';
import type { CliCommand } from '../cli-command.js';
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

/** Printed in place of words where a file completes the line. */
const files = ':files';

/** Each function calls the program with the words of the line, which prints what completes the last one. */
const completionScripts = {
  bash: `# bash completion of idsync
_idsync() {
  local IFS=$'\\n' word=\${COMP_WORDS[COMP_CWORD]}
  COMPREPLY=($(idsync completion bash -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | cut -f1))
  [[ $COMPREPLY == ${files} ]] && COMPREPLY=($(compgen -f -- "$word"))
}
complete -F _idsync idsync
`,
  zsh: `#compdef idsync
# zsh completion of idsync
_idsync() {
  local -a found=(\${(f)"$(idsync completion zsh -- "\${(@)words[2,CURRENT]}" 2>/dev/null)"})
  if [[ $found == ${files} ]]; then
    _files
  else
    found=("\${(@)found//$'\\t'/:}")
    _describe idsync found
  fi
}
if [ "$funcstack[1]" = _idsync ]; then _idsync "$@"; else compdef _idsync idsync; fi
`,
  fish: `# fish completion of idsync
function __idsync_complete
    set -l words (commandline -opc) (commandline -ct)
    set -l found (idsync completion fish -- $words[2..-1] 2>/dev/null)
    if test "$found" = ${files}
        __fish_complete_path $words[-1]
    else
        printf '%s\\n' $found
    end
end
complete -c idsync -f -a '(__idsync_complete)'
`,
};

interface Word {
  text: string;
  description?: string;
}

/** Returns what completes the last of the words after the name of the program: a line for each, with its description. */
function completionsOf(program: Command, words: readonly string[], contexts: readonly string[]): string {
  const current = words.at(-1) ?? '';
  let command = program;
  let valued: Option | undefined;
  for (const word of words.slice(0, -1)) {
    const isValue = valued !== undefined;
    valued = isValue ? undefined : optionsOf(command, program).find((option) => takesValueAfter(option, word));
    if (!isValue && !valued) command = command.commands.find((child) => child.name() === word) ?? command;
  }
  if (valued?.flags.includes('<path>')) return `${files}\n`;
  const found = valued ? valuesOf(valued, contexts) : wordsOf(command, program, contexts, current.startsWith('-'));
  return found
    .filter(({ text }) => text.startsWith(current))
    .map(({ text, description }) => `${[text, description].filter(Boolean).join('\t')}\n`)
    .join('');
}

function wordsOf(command: Command, program: Command, contexts: readonly string[], isOption: boolean): Word[] {
  const { commands, registeredArguments: given } = command;
  // Nothing but options can follow a command that has neither.
  if (isOption || commands.length + given.length === 0) {
    return optionsOf(command, program).map(({ long, description }) => ({
      text: long ?? '',
      description: sentence(description),
    }));
  }
  const children = commands.map((child) => ({ text: child.name(), description: sentence(child.description()) }));
  return [...children, ...given.flatMap((argument) => valuesOf(argument, contexts))];
}

/** The options of a command, of the program, and its help. */
function optionsOf(command: Command, program: Command): Option[] {
  const help = program.createHelp();
  return [...new Set([...command.options, ...program.options, ...help.visibleOptions(command).slice(-1)])].filter(
    ({ long, hidden }) => long && !hidden,
  );
}

/** The choices of an option or argument, or the names of the stored contexts. */
function valuesOf(of: { argChoices?: string[]; name(): string }, contexts: readonly string[]): Word[] {
  return (of.argChoices ?? (of.name() === 'context' ? contexts : [])).map((text) => ({ text }));
}

const takesValueAfter = ({ required, optional, long, short }: Option, flag: string) =>
  (required || optional) && (flag === long || flag === short);

/** Up to the first semicolon, because completion lists are narrow. */
const sentence = (text: string) => text.replace(/;.*/s, '');
