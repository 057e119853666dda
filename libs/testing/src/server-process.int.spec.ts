import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from '@jest/globals';
import { freePort } from './free-port.js';
import { until } from './until.js';

it('a server for one test ends when the process that started it is killed', async () => {
  const port = await freePort();
  const server = `require('node:http').createServer((_, response) => response.end()).listen(${port})`;
  const program = `
    import { ServerProcess } from '${new URL('../dist/server-process.js', import.meta.url)}';
    await new ServerProcess('', ${port}, process.execPath, ['-e', "${server}"]).up();
    process.stdout.write('up');
    setInterval(() => undefined, 1_000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program]);
  await once(child.stdout, 'data');
  const answers = () =>
    fetch(`http://127.0.0.1:${port}`).then(
      ({ ok }) => ok,
      () => false,
    );
  expect(await answers()).toBe(true);
  child.kill('SIGKILL');
  await until(async () => !(await answers()), 'the end of the server');
});
