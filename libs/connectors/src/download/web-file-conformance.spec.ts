import { createHash } from 'node:crypto';
import { jsonlConfig } from '@idsync/contracts';
import { conforms } from '../../test/conformance/conforms.js';
import { quick } from '../../test/conformance/readings.js';
import type { Person } from '../../test/conformance/source-under-test.js';
import { loopback, testServer } from '../../test/http-server.js';
import { jsonlConnector } from '../jsonl/jsonl-connector.js';
import { webFile } from './web-file.js';

/** JSON lines at a URL, with an ETag derived from the content. */
const server = testServer();
const people = new Map<string, Person>();
let odd = '';
const lines = () => `${[...people.values()].map((person) => JSON.stringify(person)).join('\n')}\n${odd}`;
const fill = (filled: readonly Person[], line = '') => {
  odd = line;
  people.clear();
  for (const person of filled) people.set(person.id, person);
  return open();
};
const open = () => {
  const fields = { user_principal_name: 'login', display_name: 'name', hire_date: 'hired' };
  const config = jsonlConfig.parse({
    url: `${server.origin}/a.jsonl`,
    external_id: 'id',
    fields,
    auth: { type: 'bearer' },
  });
  const limits = { ...quick, fileBytes: 10_000_000 };
  return jsonlConnector(
    'user',
    config,
    webFile(config, { secrets: { token: 't0ken' }, allowedCidrs: loopback, limits }),
  );
};
conforms({
  name: 'jsonl at a URL',
  open,
  fill: (filled) => void fill(filled),
  emptySource: 'refused',
  secrets: ['t0ken'],
  discovers: ['id', 'login', 'name'],
  readsOne: { unknownId: 'nobody' },
  changes: {
    reports: 'only_no_change',
    put: (person) => void people.set(person.id, person),
    remove: (id) => void people.delete(id),
    expire: () => void people.delete('id0'),
  },
  bad: {
    withoutId: (filled) => fill(filled, '{"name":"Nobody"}\n'),
    ofWrongType: (filled) => fill(filled, '{"id":"odd","hired":"soon"}\n'),
    tooLarge: (filled) => fill(filled, `{"id":"large","name":"${'x'.repeat(20_000)}"}\n`),
  },
  reached: {
    over: 'http',
    server,
    answer({ headers }) {
      if (headers.authorization !== 'Bearer t0ken') return { status: 401 };
      const version = `"${createHash('sha1').update(lines()).digest('hex')}"`;
      const validators = { etag: version };
      return headers['if-none-match'] === version
        ? { status: 304, headers: validators }
        : { body: lines(), headers: validators };
    },
    listOf: () => undefined,
    answerSize: { unsupported: 'the file is sent in one response' },
    renewal: { unsupported: 'its token does not expire' },
    invalidResponses: { unsupported: 'a file is not a list of responses' },
  },
});
