import { parseXml, XmlElement } from '@rgrove/parse-xml';
import { SourceError } from '../connector.js';
import type { Explanation } from '../http/explanation.js';
import { type JsonObject, scalarText, valueAt } from '../json/json-value.js';

const maxDepth = 32;

/**
 * Converts a Query API response to JSON: `member` elements to lists, `entry` elements to objects. Throws for invalid
 * XML.
 */
export function iamXml(text: string): { name: string; value: unknown } {
  const { root } = parseXml(text);
  if (!root) throw new SourceError('the response is empty');
  return { name: root.name, value: toJson(root, 0) };
}

function toJson(element: XmlElement, depth: number): unknown {
  if (depth > maxDepth) throw new SourceError('the response is nested too deeply');
  const children = element.children.filter((child) => child instanceof XmlElement);
  const [first] = children;
  if (!first) return element.text;
  if (first.name === 'member') return children.map((child) => toJson(child, depth + 1));
  if (first.name === 'entry') {
    const entries = children.map((child) => toJson(child, depth + 1));
    return Object.fromEntries(
      entries.map((entry) => [scalarText(valueAt(entry, 'key')) ?? '', valueAt(entry, 'value')]),
    );
  }
  return Object.fromEntries(children.map((child) => [child.name, toJson(child, depth + 1)]));
}

/** Parses an error of the Query API. */
export function iamError(body: string): Explanation {
  let parsed: unknown;
  try {
    parsed = iamXml(body).value;
  } catch {
    return {};
  }
  const error = valueAt(parsed, 'Error') as JsonObject | undefined;
  const code = scalarText(valueAt(error, 'Code'));
  const text = scalarText(valueAt(error, 'Message'));
  return { ...(code && { code }), ...(text && { text }) };
}
