/**
 * The baseline: a bare Koa route that does one prepared Postgres look-up by primary key.
 * Parent -> here: environment DATABASE_URL. Here -> parent: {url}.
 */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import Koa from 'koa';
import { Pool } from 'pg';

const pool = new Pool({ connectionString: process.env['DATABASE_URL'], max: 12 });
const app = new Koa();
app.use(async (ctx) => {
  const { rows } = await pool.query({
    name: 'by-id',
    text: 'select * from api_keys where id = $1',
    values: [ctx.path.slice(1)],
  });
  const [row] = rows as { id: string; name: string }[];
  ctx.body = { id: row?.id, name: row?.name };
});
const server = app.listen(0, '127.0.0.1');
await once(server, 'listening');
process.on('disconnect', () => process.exit(0));
process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
