// Writes the generated parts of docs/webhooks.md: the event catalogue and the example programs.
import { readFile, writeFile } from 'node:fs/promises';
import { describeEvents } from '../libs/contracts/dist/index.js';

const docs = new URL('../docs/', import.meta.url);
const program = async (language, file) =>
  `\`\`\`${language}\n${await readFile(new URL(`webhooks/${file}`, docs), 'utf8')}\`\`\`\n`;

const parts = {
  'verify.mjs': await program('js', 'verify.mjs'),
  'verify.py': await program('python', 'verify.py'),
  'receiver.mjs': await program('js', 'receiver.mjs'),
  events: describeEvents(),
};

const page = new URL('webhooks.md', docs);
const text = await readFile(page, 'utf8');
const written = text.replace(
  /(<!-- (\S+): generated -->\n)[\s\S]*?(<!-- end -->)/g,
  (_, start, name, end) => `${start}\n${parts[name]}\n${end}`,
);
await writeFile(page, written);
