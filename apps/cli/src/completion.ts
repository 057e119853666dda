import type { Command, Option } from 'commander';

export const shells = ['bash', 'zsh', 'fish'] as const;

export type Shell = (typeof shells)[number];

interface Word {
  text: string;
  description: string;
}

interface Node {
  /** The words of the command, each after a slash: `/jobs/list`. The program itself is empty. */
  path: string;
  words: Word[];
}

/** Options whose value is a file. */
const isFile = ({ flags }: Option) => flags.includes('<path>');

/** Returns a completion script for a shell, with all commands and options of the program. */
export function completionScript(program: Command, shell: Shell): string {
  const options = allOptions(program);
  const tree: Tree = {
    nodes: nodesOf(program, program.options.filter(isShown).map(wordOf)),
    files: options.filter(isFile).flatMap(flagsOf),
    choices: new Map(
      options.flatMap((option) => flagsOf(option).map((flag) => [flag, option.argChoices ?? []] as const)),
    ),
  };
  return scripts[shell](tree);
}

interface Tree {
  nodes: Node[];
  files: string[];
  /** Values by the flag of their option. */
  choices: ReadonlyMap<string, readonly string[]>;
}

const scripts: Record<Shell, (tree: Tree) => string> = {
  bash: ({ nodes, files, choices }) => `# bash completion of idsync
_idsync() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]} at= words= index
  case $previous in
    ${patterns(files)}) COMPREPLY=($(compgen -f -- "$current")); return ;;
${withChoices(choices, (flag, values) => `    ${flag}) COMPREPLY=($(compgen -W ${quote(values.join(' '))} -- "$current")); return ;;`)}
  esac
  for ((index = 1; index < COMP_CWORD; index++)); do
    case $at/\${COMP_WORDS[index]} in
      ${paths(nodes)}) at=$at/\${COMP_WORDS[index]} ;;
    esac
  done
  case $at in
${nodes.map(({ path, words }) => `    ${quote(path)}) words=${quote(words.map(({ text }) => text).join(' '))} ;;`).join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -F _idsync idsync
`,
  zsh: ({ nodes, files, choices }) => `#compdef idsync
# zsh completion of idsync
_idsync() {
  local at= word
  local -a found
  case $words[CURRENT-1] in
    (${patterns(files)}) _files; return ;;
${withChoices(choices, (flag, values) => `    (${flag}) compadd -- ${values.join(' ')}; return ;;`)}
  esac
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case $at/$word in
      (${paths(nodes)}) at=$at/$word ;;
    esac
  done
  case $at in
${nodes.map(({ path, words }) => `    (${quote(path)}) found=(${words.map(({ text, description }) => quote(`${text}:${description}`)).join(' ')}) ;;`).join('\n')}
  esac
  _describe idsync found
}
if [ "$funcstack[1]" = _idsync ]; then _idsync "$@"; else compdef _idsync idsync; fi
`,
  fish: ({ nodes, files, choices }) => `# fish completion of idsync
function __idsync_is_at
    set -l at ''
    for word in (commandline -opc)[2..-1]
        switch "$at/$word"
            case ${nodes.flatMap(({ path }) => (path === '' ? [] : [quote(path)])).join(' ')}
                set at "$at/$word"
        end
    end
    test "$at" = "$argv[1]"
end
complete -c idsync -f
${nodes.flatMap(({ path, words }) => words.map((word) => fishLine(path, word, files, choices))).join('\n')}
`,
};

function fishLine(path: string, { text, description }: Word, files: string[], choices: Tree['choices']): string {
  const start = `complete -c idsync -n ${quote(`__idsync_is_at '${path}'`)}`;
  const end = `-d ${quote(description)}`;
  if (!text.startsWith('--')) return `${start} -a ${quote(text)} ${end}`;
  const values = choices.get(text) ?? [];
  const value = values.length > 0 ? `-xa ${quote(values.join(' '))} ` : files.includes(text) ? '-rF ' : '';
  return `${start} -l ${text.slice(2)} ${value}${end}`;
}

function nodesOf(command: Command, inherited: Word[], path = ''): Node[] {
  const children = command.commands.map((child) => ({
    text: child.name(),
    description: sentence(child.description()),
  }));
  const values = command.registeredArguments.flatMap(({ argChoices = [] }) =>
    argChoices.map((text) => ({ text, description: text })),
  );
  const options = path === '' ? [] : command.options.filter(isShown).map(wordOf);
  const node = { path, words: [...children, ...values, ...options, ...inherited, help] };
  return [node, ...command.commands.flatMap((child) => nodesOf(child, inherited, `${path}/${child.name()}`))];
}

const help: Word = { text: '--help', description: 'display help for command' };

function allOptions(command: Command): Option[] {
  return [...command.options, ...command.commands.flatMap(allOptions)];
}

const isShown = ({ hidden, long }: Option) => !hidden && long !== undefined;

const wordOf = ({ long, description }: Option): Word => ({ text: long ?? '', description: sentence(description) });

const flagsOf = ({ short, long }: Option): string[] => [short, long].filter((flag) => flag !== undefined);

function withChoices(choices: Tree['choices'], line: (flag: string, values: readonly string[]) => string): string {
  return [...choices]
    .filter(([, values]) => values.length > 0)
    .map(([flag, values]) => line(flag, values))
    .join('\n');
}

const patterns = (flags: string[]) => [...new Set(flags)].join('|');

const paths = (nodes: Node[]) =>
  nodes
    .filter(({ path }) => path !== '')
    .map(({ path }) => path)
    .join('|');

/** Up to the first semicolon, because completion lists are narrow. */
const sentence = (text: string) => text.replace(/;.*/s, '');

const quote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
