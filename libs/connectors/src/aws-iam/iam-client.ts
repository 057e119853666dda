import type { AwsIamConfig } from '@idsync/contracts';
import { parseXml, XmlElement } from '@rgrove/parse-xml';
import { SourceError } from '../connector.js';
import { ApiClient, type Refusal } from '../http/api-client.js';
import type { Explanation } from '../http/explanation.js';
import type { HttpTransport } from '../http/http-transport.js';
import type { WaitBudget } from '../http/waiting.js';
import { isObject, type JsonObject, scalarText, valueAt } from '../json/json-value.js';
import { type AwsCredentials, sigv4 } from './sigv4.js';

export interface About {
  signal: AbortSignal;
  budget: WaitBudget;
}

/** Calls an IAM action and returns its result. Throws SourceError, or StatusError with the IAM error code. */
export type CallIam = (
  action: string,
  parameters: Record<string, string | undefined>,
  about: About,
) => Promise<JsonObject>;

const throttlingCodes =
  /^(Throttling|ThrottlingException|ThrottledException|RequestThrottled(Exception)?|RequestLimitExceeded|TooManyRequestsException|SlowDown)$/;

export function iamClient(
  transport: HttpTransport,
  { url, region }: AwsIamConfig,
  credentials: AwsCredentials,
): CallIam {
  const client = new ApiClient(transport, {
    baseUrl: url,
    auth: sigv4(credentials, { region, service: 'iam' }),
    headers: { accept: 'text/xml' },
    throttled: isThrottled,
    explain: iamError,
  });
  return async (action, parameters, { signal, budget }) => {
    const given = Object.entries(parameters).filter((pair): pair is [string, string] => pair[1] !== undefined);
    const form = { Action: action, Version: '2010-05-08', ...Object.fromEntries(given) };
    const { body } = await client.page(signal, budget).post('/', { form, as: 'text' });
    return resultOf(action, String(body));
  };
}

/** IAM throttles with 400. */
function isThrottled({ status, body }: Refusal): number | undefined {
  if (status < 400) return undefined;
  return throttlingCodes.test(iamError(body.toString('utf8')).code ?? '') ? 0 : undefined;
}

function resultOf(action: string, text: string): JsonObject {
  let answer: ReturnType<typeof iamXml>;
  try {
    answer = iamXml(text);
  } catch {
    throw new SourceError(`${action} of IAM did not return XML`);
  }
  const result = valueAt(answer.value, `${action}Result`);
  if (answer.name !== `${action}Response` || !isObject(result)) {
    throw new SourceError(`${action} of IAM returned a response of another type`);
  }
  return result;
}

/** Parses a page of an IAM list, which reports whether there are more items. */
export function iamPage(action: string, result: JsonObject, list: string): { items: unknown[]; marker?: string } {
  const items = valueAt(result, list);
  // An empty list is an empty element.
  const isEmpty = typeof items === 'string' && items.trim() === '';
  if (!isEmpty && !Array.isArray(items)) throw new SourceError(`${action} of IAM answered without ${list}`);
  const truncated = scalarText(valueAt(result, 'IsTruncated'));
  const marker = scalarText(valueAt(result, 'Marker'));
  if (truncated !== 'true' && truncated !== 'false') {
    throw new SourceError(`${action} of IAM answered without IsTruncated, so the list may be incomplete`, 'incomplete');
  }
  if (truncated === 'true' && !marker)
    throw new SourceError(`${action} of IAM reported more items without a marker`, 'incomplete');
  return { items: Array.isArray(items) ? items : [], ...(truncated === 'true' && marker && { marker }) };
}

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
  return { code, text };
}
