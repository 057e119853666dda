import { openApiDocument } from '@idsync/contracts';
import { describe, expect, it } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { exampleOf } from './example-of.js';
import { highlight, prose } from './html.js';
import type { OpenApiDocument } from './openapi-document.js';
import { renderReference } from './render-reference.js';

const document = openApiDocument('0.1.0') as unknown as OpenApiDocument;
const page = renderReference(document);
const operations = [document.paths, document.webhooks].flatMap((paths) =>
  Object.values(paths).flatMap((methods) => Object.values(methods)),
);
const all = (pattern: RegExp) => [...page.matchAll(pattern)].map(([, value = '']) => value);

describe('the API reference', () => {
  it('has a section and a link in the sidebar for every operation, event and schema', () => {
    const ids = all(/<article class="op[^"]*" id="([^"]+)"/g);
    const schemas = Object.keys(document.components.schemas).map((name) => `schema-${name}`);
    expect(ids.toSorted()).toEqual([...operations.map(({ operationId }) => operationId), ...schemas].sort());
    const linked = new Set(all(/<li data-search="[^"]*"><a href="#([^"]+)"/g));
    expect(ids.filter((id) => !linked.has(id))).toEqual([]);
  });

  it('has unique ids, and every link inside the page leads to one', () => {
    const ids = all(/ id="([^"]+)"/g);
    expect(new Set(ids).size).toBe(ids.length);
    expect([...new Set(all(/href="#([^"]+)"/g))].filter((target) => !ids.includes(target))).toEqual([]);
  });

  it('has no inline style, script or handler, and no resource of another host', () => {
    expect(page).not.toMatch(/<style|<script>| style=| on\w+="|javascript:/);
    expect(all(/<(?:script|link|img)[^>]* (?:src|href)="([^"]+)"/g)).toEqual([
      ...['data:,', '/docs/reference.css', '/docs/reference.js'],
    ]);
  });

  it('shows TypeScript for public operations and curl for all', () => {
    const sent = Object.values(document.paths).flatMap((methods) => Object.values(methods));
    const forClients = sent.filter(({ operationId }) => !operationId.startsWith('admin'));
    expect(all(/<pre[^>]* data-(language)="curl"/g)).toHaveLength(sent.length);
    expect(all(/aria-(label)="TypeScript request"/g)).toHaveLength(forClients.length);
  });

  it('escapes markup in texts of the document', () => {
    expect(prose('a <b> & `<i>`')).toBe('a &lt;b&gt; &amp; <code>&lt;i&gt;</code>');
    expect(highlight('{"<b>": "</code>", \'<i>\': 1} <')).toBe(
      '{<span class="k">&quot;&lt;b&gt;&quot;</span>: <span class="s">&quot;&lt;/code&gt;&quot;</span>, <span class="s">&#39;&lt;i&gt;&#39;</span>: <span class="n">1</span>} &lt;',
    );
  });
});

describe('the example of a request body', () => {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addSchema({ $id: 'https://idsync.test/openapi', components: document.components });
  const bodies = operations.flatMap(({ operationId, requestBody }) => {
    const schema = requestBody?.content['application/json']?.schema;
    return schema && !operationId.startsWith('receive') ? [{ operationId, schema }] : [];
  });

  it.each(bodies)('of $operationId is valid', ({ schema }) => {
    const example = exampleOf(schema, document.components);
    const validate = ajv.compile(schema);
    expect({ example, isValid: validate(example), errors: validate.errors }).toEqual({
      ...{ example, isValid: true, errors: null },
    });
  });
});
