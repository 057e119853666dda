// `npm run check:prose`: finds words and sentence forms that the project does not use, in documents and in the comments, test
// titles and error messages of code. Terms: docs/glossary.md.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

const files = ['*.md', '*.ts', '*.tsx', '*.mjs', '*.yml', '*.yaml', ':!test/data', ':!*/generated/*'];
const forms = [
  [/(?:^|[.;:!?] )(?:What|Who|Whoever|Whatever|Whose)\b(?![^.]*\?)/, 'a noun as the subject of the sentence'],
  [/\b(?:nobody|somebody|everybody|whoever|whom)\b/i, 'the person or service'],
  [/\b(?:tell|tells|telling|told)\b/i, 'report, return, notify, record or show'],
  [/\b(?:any more|no more|for ever|anew|alike)\b/i, 'no longer, permanently, again or the same way'],
  [/\b(?:at the (?:most|latest)|be it)\b/i, 'at most, within or by'],
  [/\bof (?:its|their) own\b/i, 'its own … or a dedicated …'],
  [/\b(?:farewell|goodbye)\b/i, 'shut down or stop'],
  [/\bannounc(?:e|es|ed|ing) (?:\w+ )?again\b/i, 'republish'],
  [/\bh(?:eld|old|olds|olding) back\b/i, 'quarantine or deletion safeguard'],
  [/\bt(?:ake|akes|aking|aken|ook) back\b/i, 'revert or undo'],
  [/\bpatien(?:t|ce)\b/i, 'time limit or timeout'],
  [/\bwhose word counts\b/i, 'source precedence'],
];
/** Names in test data may be anything. */
const proseOfCode = /(?:\/\/ |^ *\/?\*+ |^ *# |\b(?:it|test|describe)(?:\.each\(.+\))?\(['"`]|Error\(['"`])(.*)/;

const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--', ...files]);
for (const file of listed
  .toString()
  .split('\0')
  .filter((file) => file !== 'tools/check-prose.mjs' && existsSync(file))) {
  let isExample = false;
  for (const [index, line] of readFileSync(file, 'utf8').split('\n').entries()) {
    if (line.trimStart().startsWith('```')) isExample = !isExample;
    const prose = file.endsWith('.md') ? !isExample && line.replace(/`[^`]*`/g, '') : proseOfCode.exec(line)?.[1];
    const [, instead] = forms.find(([form]) => prose && form.test(prose)) ?? [];
    if (!instead) continue;
    process.stderr.write(`${file}:${index + 1}: write ${instead}: ${line.trim()}\n`);
    process.exitCode = 1;
  }
}
