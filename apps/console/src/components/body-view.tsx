import { CodeBlock } from './code-block';
import { jsonOf } from './json-nodes';
import { JsonView } from './json-view';

/** A body as it was sent: a tree if it is JSON, else its text. Its exact bytes are copied. */
export function BodyView({ label, body }: { label: string; body: string }) {
  const value = jsonOf(body);
  return value ? <JsonView label={label} value={value} raw={body} /> : <CodeBlock label={label} text={body} />;
}
