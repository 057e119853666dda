import { escapeText, prose, slug } from './html.js';
import type { OpenApiDocument } from './openapi-document.js';
import { badge, operationView, panel, type Route } from './operation-view.js';
import { clientSetup } from './samples.js';
import { fieldsView } from './schema-view.js';

/** Renders the API reference as one page. It needs no inline style or script, so the strictest CSP can apply. */
export function renderReference(document: OpenApiDocument): string {
  const routes = routesOf(document);
  const groups = document['x-tagGroups'].map(({ name, tags }) => ({
    name,
    topics: tags.map((tag) => ({
      tag,
      title: tag.replace(/^Operator: /, '').replace(/^./, (first) => first.toUpperCase()),
      description: document.tags.find((each) => each.name === tag)?.description ?? '',
      routes: routes.filter(({ operation }) => operation.tags.includes(tag)),
    })),
  }));
  const { title, version, description } = document.info;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeText(title)} API reference</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs/reference.css">
<script src="/docs/reference.js" defer></script>
</head>
<body>
<a class="skip" href="#content">Skip to content</a>
<header class="top">
<button type="button" id="menu" aria-expanded="false" aria-controls="sidebar">Menu</button>
<a class="brand" href="#introduction">${escapeText(title)} <span>API ${escapeText(version)}</span></a>
<a class="file" href="/openapi.json">openapi.json</a>
</header>
<div class="frame">
<nav id="sidebar" aria-label="Operations">
<div class="search"><label for="search">Search</label><input id="search" type="search" placeholder="Search (press /)" autocomplete="off" spellcheck="false"></div>
<p id="found" class="found" role="status"></p>
<ul class="plain"><li><a href="#introduction">Introduction</a></li><li><a href="#authentication">Authentication</a></li><li><a href="#lists">Lists</a></li><li><a href="#errors">Errors</a></li></ul>
${groups.map(navigationView).join('')}
<section class="group"><h2>Schemas</h2>${schemaLinks(document)}</section>
</nav>
<main id="content" tabindex="-1">
${introduction(title, description)}
${groups.map((group) => groupView(group, document)).join('')}
${schemasView(document)}
</main>
</div>
</body>
</html>
`;
}

interface Topic {
  tag: string;
  title: string;
  description: string;
  routes: Route[];
}

interface Group {
  name: string;
  topics: Topic[];
}

function routesOf(document: OpenApiDocument): Route[] {
  const flat = (paths: OpenApiDocument['paths'], isReceived: boolean) =>
    Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ method, path, operation, isReceived })),
    );
  return [...flat(document.paths, false), ...flat(document.webhooks, true)];
}

function navigationView({ name, topics }: Group): string {
  const shown = topics.map(({ tag, title, routes }) => {
    const items = routes.map(({ method, path, operation, isReceived }) => {
      const words = [
        path,
        operation.operationId,
        method,
        tag,
        ...(operation.parameters ?? []).map((each) => each.name),
      ];
      const search = escapeText(`${operation.summary} ${words.join(' ')}`.toLowerCase());
      return `<li data-search="${search}"><a href="#${escapeText(operation.operationId)}"><span class="t">${prose(shorten(operation.summary))}</span>${isReceived ? '' : badge(method)}</a></li>`;
    });
    return `<details class="topic"><summary>${escapeText(title)}</summary><ul>${items.join('')}</ul></details>`;
  });
  return `<section class="group"><h2>${escapeText(name)}</h2>${shown.join('')}</section>`;
}

/** The first clause of a summary, because the sidebar is narrow. */
function shorten(summary: string): string {
  return summary.replace(/[;,:].*/s, '');
}

function schemaLinks({ components }: OpenApiDocument): string {
  const items = Object.keys(components.schemas)
    .sort()
    .map(
      (name) =>
        `<li data-search="schema ${escapeText(name.toLowerCase())}"><a href="#schema-${escapeText(name)}"><span class="t">${escapeText(name)}</span></a></li>`,
    );
  return `<details class="topic"><summary>All schemas</summary><ul>${items.join('')}</ul></details>`;
}

function introduction(title: string, description: string): string {
  return `<section class="intro" id="introduction">
<div class="text">
<h1>${escapeText(title)} API reference</h1>
<p class="lead">${prose(description)}</p>
<p>All requests and responses are JSON in UTF-8 over HTTPS. Times are in ISO 8601 in UTC. Ignore response fields and event types that you do not know: both may be added within <code>/v1</code>.</p>
<h2 id="authentication">Authentication</h2>
<p>Send the API key of your tenant as <code>X-API-Key</code>. An operator issues keys, with scopes that limit what a key may do. Operators send the operator token as <code>Authorization: Bearer</code>.</p>
<h2 id="lists">Lists</h2>
<p>Lists have at most 200 items per page. Read them with <code>cursor</code>: send it empty for the first page, then the <code>next_cursor</code> of each response. With <code>offset</code>, a page may miss items while others change.</p>
<p>To follow changes, poll <a href="#listEvents">the event feed</a> or receive <a href="#createWebhook">webhooks</a>. Both have the same events in the same order.</p>
<p>An unknown query parameter is ignored. With the header <code>Prefer: handling=strict</code>, it is an error, so that a misspelt filter does not return everything.</p>
<h2 id="errors">Errors</h2>
<p>An error has a status of 400 or above and the body <code>{"error": "…"}</code>. Quote the <code>X-Request-Id</code> of the response when you report a problem. After 429 and 503, wait for the seconds in <code>Retry-After</code>.</p>
</div>
<div class="samples">${panel('TypeScript client', clientSetup, 'TypeScript')}${panel('Error', '{\n  "error": "not found"\n}', 'json')}</div>
</section>`;
}

function groupView({ name, topics }: Group, { components }: OpenApiDocument): string {
  return topics
    .map(
      ({ tag, title, description, routes }) => `<section class="chapter" id="topic-${slug(tag)}">
<header><p class="eyebrow">${escapeText(name)}</p><h2>${escapeText(title)}</h2><p>${prose(description)}</p></header>
${routes.map((route) => operationView(route, components)).join('')}</section>
`,
    )
    .join('');
}

function schemasView({ components }: OpenApiDocument): string {
  const shown = Object.entries(components.schemas)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(
      ([name, schema]) =>
        `<article class="op schema" id="schema-${escapeText(name)}"><div class="text"><h3><a href="#schema-${escapeText(name)}">${escapeText(name)}</a></h3>${schema.description ? `<p>${prose(schema.description)}</p>` : ''}${fieldsView(schema)}</div></article>`,
    );
  return `<section class="chapter" id="schemas"><header><h2>Schemas</h2><p>Objects that several operations return.</p></header>${shown.join('')}</section>`;
}
