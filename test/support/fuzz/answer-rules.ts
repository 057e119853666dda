import { errorTexts } from '@idsync/contracts';
import type { Operation } from '../documented-answers.js';
import { validatorOf } from '../documented-answers.js';
import { type FuzzRequest, paths } from './requests.js';

export interface FuzzAnswer {
  status: number;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: string;
}

/** Allowed statuses of requests to no documented operation: another method, or a longer path. */
const ofNoOperation = [400, 401, 403, 404, 408, 413, 429, 431, 503];
/** Texts of Node, V8 and PostgreSQL that must not appear in responses. */
const internals =
  /node_modules|\bat [\w.<>]+ \(|\/(?:dist|src)\/|\bTypeError\b|RangeError|\bundefined\b|\[object |QueryFailed|ECONN|row-level security|violates \w+|syntax error at|invalid input syntax|invalid byte sequence|unsupported Unicode|out of range for type|duplicate key value|relation "/;

/** Returns the fault of a response, or undefined. */
export function faultOf(request: FuzzRequest, sentPath: string, answer: FuzzAnswer): string | undefined {
  const { status, headers, body } = answer;
  const isScim = sentPath.startsWith('/scim/') && status !== 431;
  const operation = operationOf(request, sentPath);
  const response = operation?.responses[status];
  if (
    operation
      ? !response
      : status >= 300 && !ofNoOperation.includes(status) && !(isScim && [304, 405, 415, 501].includes(status))
  ) {
    return `${status} is not documented for ${request.method} ${operation ? request.route : 'on a path without an operation'}`;
  }
  if (headers['cache-control'] !== 'no-store') return 'the response lacks cache-control: no-store';
  if ([429, 503].includes(status) && !/^[1-9]\d*$/.test(String(headers['retry-after'])))
    return `${status} has no Retry-After`;
  if (request.method === 'HEAD' || status === 204 || status === 304) {
    return body === '' ? undefined : `${status} to ${request.method} has a body`;
  }
  if (response?.content && 'application/x-ndjson' in response.content) return faultOfLines(headers, body);
  if (response?.content && 'text/event-stream' in response.content) {
    return headers['content-type'] === 'text/event-stream'
      ? undefined
      : `the content type is ${headers['content-type']}`;
  }
  const type = `application/${isScim ? 'scim+' : ''}json; charset=utf-8`;
  if (headers['content-type'] !== type) return `the content type is ${headers['content-type']}, not ${type}`;
  return faultOfBody(status, body, isScim, Object.values(response?.content ?? {})[0]?.schema);
}

/** Returns the fault of a response of JSON lines, the last of which counts the others. */
function faultOfLines(headers: FuzzAnswer['headers'], body: string): string | undefined {
  if (headers['content-type'] !== 'application/x-ndjson') return `the content type is ${headers['content-type']}`;
  const kinds = body
    .trimEnd()
    .split('\n')
    .map((line) => (JSON.parse(line) as { kind?: string }).kind);
  if (kinds.includes(undefined)) return 'a line has no kind';
  return kinds.at(-1) === 'end' ? undefined : 'the last line is not the end';
}

function operationOf({ method, route }: FuzzRequest, sentPath: string): Operation | undefined {
  const parts = sentPath.split('?', 1)[0]?.split('/') ?? [];
  const wanted = route.split('/');
  const isRoute =
    parts.length === wanted.length && wanted.every((part, at) => part.startsWith('{') || part === parts[at]);
  return isRoute ? paths[route]?.[method === 'HEAD' ? 'get' : method.toLowerCase()] : undefined;
}

function faultOfBody(status: number, text: string, isScim: boolean, schema: object | undefined): string | undefined {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return 'the body is not JSON';
  }
  if (schema) {
    const validate = validatorOf(schema);
    if (!validate(body)) return `the body is not as documented: ${JSON.stringify(validate.errors?.slice(0, 3))}`;
  }
  if (status < 400) return undefined;
  const { error, detail, ...rest } = body as Record<string, unknown>;
  const message = isScim ? detail : error;
  if (typeof message !== 'string' || message === '') return 'the error has no text';
  if (!isScim && Object.keys(rest).length > 0)
    return `the error has more than its text: ${Object.keys(rest).join(', ')}`;
  if (internals.test(message)) return 'the error shows internals';
  const ofCaller: string[] = [errorTexts.unauthorized, errorTexts.operatorUnauthorized, 'missing or invalid token'];
  return status === 401 && !ofCaller.includes(message) ? 'the 401 has an unexpected text' : undefined;
}
