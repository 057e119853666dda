// The limit for an import: its rows, written again by a client that has them prepared, with one insert per table and
// thousand identities, columns as arrays, into tables with the same columns and indexes.
import pg from 'pg';

/** The tables, and the query for their rows by identity. */
const tables = {
  identities: 'select r.*, b.batch from identities r join bare.batches b on b.id = r.id',
  source_records: 'select r.*, b.batch from source_records r join bare.batches b on b.id = r.identity_id',
  correlation_keys: 'select r.*, b.batch from correlation_keys r join bare.batches b on b.id = r.identity_id',
  events: 'select r.*, b.batch from events r join bare.batches b on b.id = r.identity_id',
  weak_keys: `select r.*, b.batch from weak_keys r
     join source_records s on s.id = r.record_id join bare.batches b on b.id = s.identity_id`,
};

/** Returns the seconds PostgreSQL takes to write the rows of the first `count` identities of a tenant. */
export async function bareImport(url, tenant, count) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query('create schema bare');
    await client.query(
      `create table bare.batches as select id, (row_number() over (order by created_at, id) - 1) / 1000 as batch
         from (select id, created_at from identities where tenant_id = '${tenant}' order by created_at, id limit ${count}) first`,
    );
    const writers = [];
    for (const [table, rows] of Object.entries(tables)) writers.push(await prepare(client, table, rows));
    let seconds = 0;
    for (let batch = 0; batch * 1_000 < count; batch += 1) {
      const ready = [];
      for (const { read, write } of writers) {
        const { rows } = await client.query({ text: read, values: [batch], rowMode: 'array' });
        ready.push({ ...write, values: rows[0] });
      }
      const began = performance.now();
      await client.query('begin');
      for (const statement of ready) await client.query(statement);
      await client.query('commit');
      seconds += (performance.now() - began) / 1_000;
    }
    await client.query('drop schema bare cascade');
    return seconds;
  } finally {
    await client.end();
  }
}

/**
 * Prepares a table's rows by batch; each column of a batch is read as the text of one array, the form in which it is
 * written.
 */
async function prepare(client, table, rows) {
  await client.query(`create table bare.${table} (like public.${table} including all)`);
  await client.query(`create table bare.given_${table} as ${rows}`);
  await client.query(`create index on bare.given_${table} (batch)`);
  const { rows: columns } = await client.query(
    `select quote_ident(attname) as name, format_type(atttypid, null) as type from pg_attribute
      where attrelid = 'bare.${table}'::regclass and attnum > 0 and not attisdropped order by attnum`,
  );
  const list = columns.map(({ name }) => name).join(', ');
  return {
    read: `select ${columns.map(({ name }) => `array_agg(${name})::text`).join(', ')} from bare.given_${table} where batch = $1`,
    write: {
      name: `bare-${table}`,
      text: `insert into bare.${table} (${list}) select * from unnest(${columns.map(({ type }, at) => `$${at + 1}::${type}[]`).join(', ')})`,
    },
  };
}
