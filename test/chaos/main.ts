import { type Options, readOptions, usage } from './options.js';
import { runChaos } from './run-chaos.js';
import { Tenants } from './tenants.js';
import { World } from './world.js';

const say = (line: string) => void process.stdout.write(`${line}\n`);
const options = readArguments();
if (options === 'help') say(usage);
else process.exitCode = await run(options);

function readArguments() {
  try {
    return readOptions(process.argv.slice(2));
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n${usage}`);
    process.exit(2);
  }
}

/** Resolves with the exit code once everything is removed. */
async function run(options: Options): Promise<number> {
  const interruption = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => interruption.abort(new Error(`interrupted by ${signal}`)));
  }
  const world = new World(interruption.signal);
  const tenants = new Tenants(world, options.seed);
  let failed = false;
  try {
    await runChaos(world, tenants, options, say);
  } catch (error) {
    failed = true;
    say(`FAILED: ${interruption.signal.aborted ? String(error) : (error as Error).stack}`);
    const { minutes, seed, faults, named, citus } = options;
    say(
      `again: npm run test:chaos -- --minutes ${minutes} --seed ${seed}${named ? ` --faults ${faults.join(',')}` : ''}${citus ? ' --citus' : ''}`,
    );
  }
  await tenants.close();
  const kept = await world.remove({ keep: failed && !interruption.signal.aborted });
  if (kept) say(`logs, sources and data are kept in ${kept}`);
  return failed ? 1 : 0;
}
