import type { Command, Option } from 'commander';

export const shells = ['bash', 'zsh', 'fish'] as const;

export type Shell = (typeof shells)[number];

interface Word {
  text: string;
  description: string;
}

/** Where the values of an option or argument come from. */
type Source = 'files' | 'contexts' | 'nowhere' | readonly string[];

/** An option with a value. */
interface Valued {
  flags: string[];
  source: Source;
}

interface Node {
  /** The words of the command, each after a slash: `/jobs/list`. The program itself is empty. */
  path: string;
  /** Commands and values of arguments. */
  words: Word[];
  options: (Word & { short?: string | undefined })[];
  valued: Valued[];
  /** An argument is the name of a stored context. */
  takesContext: boolean;
  /** Nothing but options can follow. */
  isComplete: boolean;
}

/** Returns a completion script for a shell, with all commands and options of the program. */
export function completionScript(program: Command, shell: Shell): string {
  return scripts[shell](nodesOf(program, program.options.filter(isShown)));
}

/** Prints the names of the stored contexts, which idsync writes one a line. */
const contextNames = `sed -n 's/^    "\\([^"]*\\)": {$/\\1/p'`;

const scripts: Record<Shell, (nodes: Node[]) => string> = {
  bash: (nodes) => `# bash completion of idsync
_idsync_contexts() {
  ${contextNames} "\${XDG_CONFIG_HOME:-$HOME/.config}/idsync/contexts.json" 2>/dev/null
}
_idsync() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]} at= words= options= index
  for ((index = 1; index < COMP_CWORD; index++)); do
    case \${COMP_WORDS[index]} in
      ${valuedFlags(nodes)}) ((index++)); continue ;;
    esac
    case $at/\${COMP_WORDS[index]} in
      ${paths(nodes)}) at=$at/\${COMP_WORDS[index]} ;;
    esac
  done
  if ((index > COMP_CWORD)); then
    case "$at $previous" in
${valueCases(nodes, (pattern, source) => `      ${pattern}) ${bashValues(source)} ;;`)}
    esac
    COMPREPLY=($(compgen -W "$words" -- "$current"))
    return
  fi
  case $at in
${nodes.map((node) => `    ${quote(node.path)}) options=${quote(texts(node.options))} words=${bashWords(node)} ;;`).join('\n')}
  esac
  [[ $current == -* ]] && words=$options
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -F _idsync idsync
`,
  zsh: (nodes) => `#compdef idsync
# zsh completion of idsync
_idsync_contexts() {
  ${contextNames} "\${XDG_CONFIG_HOME:-$HOME/.config}/idsync/contexts.json" 2>/dev/null
}
_idsync() {
  local at=
  local -a found flags
  integer index
  for ((index = 2; index < CURRENT; index++)); do
    case $words[index] in
      (${valuedFlags(nodes)}) ((index++)); continue ;;
    esac
    case $at/$words[index] in
      (${paths(nodes)}) at=$at/$words[index] ;;
    esac
  done
  if ((index > CURRENT)); then
    case "$at $words[CURRENT-1]" in
${valueCases(nodes, (pattern, source) => `      (${pattern}) ${zshValues(source)} ;;`)}
    esac
    return
  fi
  case $at in
${nodes.map((node) => `    (${quote(node.path)}) flags=(${zshWords(node.options)}) found=${zshFound(node)} ;;`).join('\n')}
  esac
  [[ $words[CURRENT] == -* ]] && found=($flags)
  _describe idsync found
}
if [ "$funcstack[1]" = _idsync ]; then _idsync "$@"; else compdef _idsync idsync; fi
`,
  fish: (nodes) => `# fish completion of idsync
function __idsync_contexts
    set -l config $XDG_CONFIG_HOME
    test -n "$config"; or set config $HOME/.config
    ${contextNames} $config/idsync/contexts.json 2>/dev/null
end
function __idsync_is_at
    set -l at ''
    set -l is_value 0
    for word in (commandline -opc)[2..-1]
        if test $is_value = 1
            set is_value 0
            continue
        end
        switch "$word"
            case ${flagsWithValue(nodes).map(quote).join(' ')}
                set is_value 1
        end
        switch "$at/$word"
            case ${nodes.flatMap(({ path }) => (path === '' ? [] : [quote(path)])).join(' ')}
                set at "$at/$word"
        end
    end
    test "$at" = "$argv[1]"
end
complete -c idsync -f
${nodes.flatMap(fishLines).join('\n')}
`,
};

function bashValues(source: Source): string {
  if (source === 'files') return 'COMPREPLY=($(compgen -f -- "$current")); return';
  return `words=${source === 'contexts' ? '$(_idsync_contexts)' : quote((source as readonly string[]).join(' '))}`;
}

function bashWords({ words, takesContext, isComplete }: Node): string {
  if (isComplete) return '$options';
  return takesContext ? '$(_idsync_contexts)' : quote(texts(words));
}

function zshValues(source: Source): string {
  if (source === 'files') return '_files';
  return `compadd -- ${source === 'contexts' ? '$(_idsync_contexts)' : (source as readonly string[]).join(' ')}`;
}

function zshFound({ words, takesContext, isComplete }: Node): string {
  if (isComplete) return '($flags)';
  return takesContext ? '($(_idsync_contexts))' : `(${zshWords(words)})`;
}

const zshWords = (words: readonly Word[]) =>
  words.map(({ text, description }) => quote(`${text}:${description}`)).join(' ');

function fishLines({ path, words, options, valued, takesContext }: Node): string[] {
  const start = `complete -c idsync -n ${quote(`__idsync_is_at '${path}'`)}`;
  const sourceOf = (flag: string) => valued.find(({ flags }) => flags.includes(flag))?.source;
  return [
    ...words.map(({ text, description }) => `${start} -a ${quote(text)} -d ${quote(description)}`),
    ...(takesContext ? [`${start} -a '(__idsync_contexts)'`] : []),
    ...options.map(({ text, short, description }) => {
      const names = `${short === undefined ? '' : `-s ${short.slice(1)} `}-l ${text.slice(2)}`;
      return `${start} ${names} ${fishValues(sourceOf(text))}-d ${quote(description)}`;
    }),
  ];
}

function fishValues(source: Source | undefined): string {
  if (source === undefined) return '';
  if (source === 'files') return '-rF ';
  if (source === 'nowhere') return '-x ';
  return `-xa ${source === 'contexts' ? `'(__idsync_contexts)'` : quote(source.join(' '))} `;
}

function nodesOf(command: Command, inherited: readonly Option[], path = ''): Node[] {
  const children = command.commands.map((child) => ({
    text: child.name(),
    description: sentence(child.description()),
  }));
  const { registeredArguments: given } = command;
  const values = given.flatMap(({ argChoices = [] }) => argChoices.map((text) => ({ text, description: text })));
  const options = [...new Set([...command.options.filter(isShown), ...inherited])];
  const node: Node = {
    path,
    words: [...children, ...values],
    options: [...options.map(wordOf), help],
    valued: options.filter(takesValue).map((option) => ({ flags: flagsOf(option), source: sourceOf(option) })),
    takesContext: given.some((argument) => argument.name() === contextName),
    isComplete: children.length === 0 && given.length === 0,
  };
  return [node, ...command.commands.flatMap((child) => nodesOf(child, inherited, `${path}/${child.name()}`))];
}

const help: Word = { text: '--help', description: 'display help for command' };

/** How arguments and values of options are named that are the name of a stored context. */
const contextName = 'context';

function sourceOf({ flags, argChoices }: Option): Source {
  if (argChoices) return argChoices;
  if (flags.includes('<path>')) return 'files';
  return flags.includes(`<${contextName}>`) ? 'contexts' : 'nowhere';
}

const takesValue = (option: Option) => option.required || option.optional;

const isShown = (option: Option) => option.long !== undefined && !option.hidden;

const flagsOf = ({ long, short }: Option) => [long, short].filter((flag) => flag !== undefined);

const wordOf = ({ long = '', short, description }: Option) => ({
  text: long,
  short: short ?? undefined,
  description: sentence(description),
});

const texts = (words: readonly Word[]) => words.map(({ text }) => text).join(' ');

const flagsWithValue = (nodes: readonly Node[]) => [
  ...new Set(nodes.flatMap(({ valued }) => valued.flatMap(({ flags }) => flags))),
];

const valuedFlags = (nodes: readonly Node[]) => flagsWithValue(nodes).join('|');

/** Lines for the options whose values are known, by their command. */
function valueCases(nodes: readonly Node[], line: (pattern: string, source: Source) => string): string {
  return nodes
    .flatMap(({ path, valued }) =>
      valued.flatMap(({ flags, source }) =>
        source === 'nowhere' ? [] : [line(flags.map((flag) => quote(`${path} ${flag}`)).join('|'), source)],
      ),
    )
    .join('\n');
}

const paths = (nodes: Node[]) =>
  nodes
    .filter(({ path }) => path !== '')
    .map(({ path }) => path)
    .join('|');

/** Up to the first semicolon, because completion lists are narrow. */
const sentence = (text: string) => text.replace(/;.*/s, '');

const quote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
