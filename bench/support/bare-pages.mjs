// The limit for a list: a bare Fastify handler that runs the same prepared SQL and passes the bytes through.
// Arguments: database url, port, tenant (uuid). Query parameters as for the list.
import Fastify from 'fastify';
import pg from 'pg';
import { pageQuery } from '../../libs/database/dist/gateway/documents.js';

const [, , url, port, tenant] = process.argv;
const pool = new pg.Pool({ connectionString: url, max: 10 });
const app = Fastify();
app.get('/', async (request, reply) => {
  const { limit, offset, status } = request.query;
  const { rows } = await pool.query(
    pageQuery(tenant, 'identity', { limit: Number(limit), offset: Number(offset), status }),
  );
  const [row] = rows;
  return reply
    .type('application/json; charset=utf-8')
    .send(`{"data":[${row.items}],"total":${row.total},"limit":${limit},"offset":${offset}}`);
});
await app.listen({ port: Number(port), host: '127.0.0.1' });
process.stdout.write('ready\n');
