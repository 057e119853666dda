import { escapeText, highlight, prose, slug } from './html.js';
import {
  type Content,
  type OpenApiDocument,
  type Operation,
  type Response,
  refName,
  type Schema,
} from './openapi-document.js';
import { type Sample, samplesOf } from './samples.js';
import { fieldsView, parametersView } from './schema-view.js';

type Components = OpenApiDocument['components'];

export interface Route {
  method: string;
  path: string;
  operation: Operation;
  /** Requests that idsync sends to subscribers; all others are sent to idsync. */
  isReceived: boolean;
}

const access: Readonly<Record<string, string>> = {
  apiKey: 'API key of the tenant in <code>X-API-Key</code>',
  operator: 'operator token as <code>Authorization: Bearer</code>',
};

const parameterTitles = [
  ['path', 'Path parameters'],
  ['query', 'Query parameters'],
  ['header', 'Headers'],
] as const;

/** Shows one operation: its description and fields, and beside them its samples. */
export function operationView(route: Route, components: Components): string {
  const { method, path, operation, isReceived } = route;
  const id = escapeText(operation.operationId);
  const body = operation.requestBody?.content['application/json'];
  const description = operation.description === undefined ? '' : `<p>${prose(operation.description)}</p>`;
  const title = prose(operation.summary);
  return `<article class="op" id="${id}" aria-labelledby="${id}-title">
<div class="text">
<h3 id="${id}-title"><a href="#${id}">${title}</a></h3>
<p class="route">${badge(method)} <code>${isReceived ? 'your callback_url' : routeView(path)}</code></p>
${description}${accessView(operation, isReceived)}
${parameterTitles.map(([place, heading]) => section(heading, parametersIn(operation, place))).join('')}
${body ? section('Body', namedView(body.schema, components)) : ''}
${section(isReceived ? 'Your response' : 'Responses', responsesView(operation, components, isReceived))}
</div>
<div class="samples">${samplesView(route, components)}</div>
</article>
`;
}

/** Shows a method as a coloured word. */
export function badge(method: string): string {
  return `<span class="m ${escapeText(method)}">${escapeText(method.toUpperCase())}</span>`;
}

/** Lets a long path break before its slashes. */
function routeView(path: string): string {
  return escapeText(path).replaceAll('/', '<wbr>/');
}

function section(heading: string, content: string): string {
  return content === '' ? '' : `<h4>${heading}</h4>${content}`;
}

function accessView({ security = [] }: Operation, isReceived: boolean): string {
  if (isReceived) return '';
  const names = security.flatMap((each) => Object.keys(each)).map((name) => access[name] ?? escapeText(name));
  return `<p class="access">Access: ${names.length > 0 ? names.join(' or ') : 'none needed'}</p>`;
}

function parametersIn({ parameters = [] }: Operation, place: string): string {
  // `Prefer` is a parameter of every public operation; the introduction explains it.
  const found = parameters.filter((parameter) => parameter.in === place && parameter.name !== 'Prefer');
  return found.length > 0 ? parametersView(found) : '';
}

function responsesView({ responses }: Operation, components: Components, isReceived: boolean): string {
  const all = Object.entries(responses).map(([status, response]) => ({
    status,
    response: '$ref' in response ? components.responses[refName(response.$ref)] : response,
  }));
  const isError = (status: string) => !isReceived && Number(status) >= 400;
  const good = all.filter(({ status }) => !isError(status));
  const errors = all.filter(({ status }) => isError(status));
  const rows = errors.map(
    ({ status, response }) => `<li><code>${status}</code> ${prose(response?.description ?? '')}</li>`,
  );
  const list =
    rows.length > 0
      ? `<details class="more"><summary>${rows.length} errors</summary><ul class="errors">${rows.join('')}</ul></details>`
      : '';
  return good.map(({ status, response }) => goodView(status, response, components)).join('') + list;
}

function goodView(status: string, response: Response | undefined, components: Components): string {
  const schema = response?.content?.['application/json']?.schema;
  const fields = schema ? namedView(schema, components) : '';
  return `<p class="status"><code>${escapeText(status)}</code> ${prose(response?.description ?? '')}</p>${fields}`;
}

/** Shows the fields of a named schema on request, because its own section describes them too. */
function namedView(schema: Schema, components: Components): string {
  if (schema.$ref === undefined) return fieldsView(schema);
  const name = refName(schema.$ref);
  const fields = fieldsView(components.schemas[name] ?? {});
  return `<details class="more"><summary>${escapeText(name)}</summary>${fields}</details>`;
}

function samplesView({ method, path, operation, isReceived }: Route, components: Components): string {
  const panels = isReceived ? [] : [requestView(operation.operationId, samplesOf(method, path, operation, components))];
  const body = operation.requestBody?.content['application/json'];
  if (isReceived && body?.example !== undefined) panels.push(panel('Body', jsonView(body), 'json'));
  const [status, response] = Object.entries(operation.responses)[0] ?? [];
  const content = response && 'content' in response ? response.content?.['application/json'] : undefined;
  if (!isReceived && content?.example !== undefined)
    panels.push(panel(`Response ${status}`, jsonView(content), 'json'));
  return panels.join('');
}

function jsonView({ example }: Content): string {
  return JSON.stringify(example, null, 2);
}

function requestView(id: string, samples: readonly Sample[]): string {
  const tabs = samples.map(
    ({ language }) => `<button type="button" class="tab" data-language="${language}">${language}</button>`,
  );
  const blocks = samples.map(({ language, code }) => block(code, `${language} request`, language));
  return `<div class="panel" data-id="${slug(id)}"><div class="bar"><div class="tabs">${tabs.join('')}</div></div>${blocks.join('')}</div>`;
}

/** Shows code under a title. */
export function panel(title: string, code: string, language: string): string {
  return `<div class="panel"><div class="bar"><span>${escapeText(title)}</span></div>${block(code, title, language)}</div>`;
}

/** A block that scrolls can be focused, so that the keyboard scrolls it. */
function block(code: string, label: string, language: string): string {
  return `<pre tabindex="0" role="group" aria-label="${escapeText(label)}" data-language="${escapeText(language)}"><code>${highlight(code)}</code></pre>`;
}
