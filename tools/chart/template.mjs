// Text of templates. Documents contain only numbers of their code, so that the serializer neither quotes nor escapes it.
import { isScalar, Scalar, stringify } from 'yaml';

const codes = [];
const head = 'Written by `npm run chart` from k8s/base and k8s/components, whose comments have the reasons.';

/** Conditions of objects and of items of lists: `code`, and `also` if `code` is that of the whole component. */
export const conditions = new Map();

/** A value that is written under a condition. */
export class Part {
  constructor(code, child) {
    this.code = code;
    this.child = child;
  }
}

/** Returns an expression, which can be part of a text. */
export function value(expression) {
  return numbered(() => `{{ ${expression} }}`);
}

/** Returns a mapping or list of the values. */
export function block(expression) {
  return numbered((indent) => `{{- toYaml ${expression} | nindent ${indent.length + 2} }}`);
}

/** Returns an item, or with `null` an entry of a mapping, that becomes a line of code. */
export function line(code) {
  return numbered((indent) => `${indent}{{- ${code} }}`);
}

/** Returns an entry of a mapping, with `null`, that becomes all entries of a mapping of the values. */
export function entries(expression) {
  return numbered((indent) =>
    [`with ${expression}`, `toYaml . | nindent ${indent.length}`, 'end']
      .map((code) => `${indent}{{- ${code} }}`)
      .join('\n'),
  );
}

/** Escapes the templates of External Secrets and Prometheus. */
export function escaped(text) {
  if (!text.includes('{{')) return text;
  // A plain scalar that begins with a brace would be a mapping.
  const quoted = new Scalar(text.replaceAll('{{', () => value('"{{"')));
  quoted.type = Scalar.QUOTE_DOUBLE;
  return quoted;
}

/** Returns the text of a file, whose objects are of one component or of none. */
export function templateOf(objects) {
  const { component, code } = conditions.get(objects[0]) ?? {};
  const documents = objects.map((object) => {
    const condition = conditions.get(object);
    return when(component ? condition.also : condition?.code, `---\n${textOf(object)}`);
  });
  return `{{- /* ${head} */}}\n${when(component && code, documents.join(''))}`;
}

function numbered(code) {
  return `⟦${codes.push(code) - 1}⟧`;
}

function when(condition, text) {
  return condition ? `{{- if ${condition} }}\n${text}{{- end }}\n` : text;
}

function textOf(object) {
  const text = stringify(withConditions(object), { lineWidth: 0, aliasDuplicateObjects: false });
  const lines = text.split('\n').map((written) => {
    const content = written.trimStart();
    const indent = ' '.repeat(written.length - content.length);
    const code = (number) => codes[number](indent);
    const [, only] = /^(?:- )?⟦(\d+)⟧(?:: null)?$/.exec(content) ?? [];
    return only ? code(only) : indent + content.replace(/⟦(\d+)⟧/g, (_mark, number) => code(number));
  });
  return lines.join('\n');
}

/** Returns a copy with lines of code around what is written under a condition. */
function withConditions(node) {
  if (node === null || typeof node !== 'object' || isScalar(node)) return node;
  if (Array.isArray(node))
    return node.flatMap((item) => {
      const { code } = conditions.get(item) ?? {};
      const child = withConditions(item);
      return code ? [line(`if ${code}`), child, line('end')] : [child];
    });
  const pairs = Object.entries(node).flatMap(([key, child]) => {
    if (!(child instanceof Part)) return [[key, withConditions(child)]];
    return [
      [line(`if ${child.code}`), null],
      [key, withConditions(child.child)],
      [line('end'), null],
    ];
  });
  return Object.fromEntries(pairs);
}
