// The limit for reads: bare Fastify handlers that run the statements of the gateway and pass the documents through.
// Arguments: database url, port, tenant (uuid).
import Fastify from 'fastify';
import pg from 'pg';
import { decodeId } from '../../libs/contracts/dist/index.js';
import { documentQuery, filterQuery, pageQuery } from '../../libs/database/dist/gateway/index.js';

const [, , url, port, tenant] = process.argv;
const json = 'application/json; charset=utf-8';
const pool = new pg.Pool({ connectionString: url, max: 10 });
const app = Fastify();

/** Returns the columns as texts. */
async function read(statement) {
  const { rows } = await pool.query({ ...statement, rowMode: 'array', types: { getTypeParser: () => (text) => text } });
  return rows;
}

app.get('/v1/identities', async ({ query: { limit, offset = '0', status, department } }, reply) => {
  const page = { limit: Number(limit), offset: Number(offset), status, department, hasPositions: false };
  let items;
  let total;
  if (department === undefined) {
    const rows = await read(pageQuery(tenant, 'identity', page));
    items = rows.map(([document]) => document).join(',');
    total = rows[0]?.[1] ?? 0;
  } else {
    const [row] = await read(filterQuery(tenant, 'identity', page, 0));
    [items, , , total] = row;
  }
  return reply.type(json).send(`{"data":[${items}],"total":${total},"limit":${limit},"offset":${offset}}`);
});

app.get('/v1/identities/:id', async ({ params }, reply) => {
  const [[document]] = await read(documentQuery(tenant, 'identity', decodeId('identity', params.id)));
  return reply.type(json).send(document);
});

await app.listen({ port: Number(port), host: '127.0.0.1' });
process.stdout.write('ready\n');
