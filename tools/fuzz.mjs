// Sends generated requests to a gateway: npm run test:fuzz -- --requests 100000 --seed 7
import { spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';

const { values } = parseArgs({ options: { requests: { type: 'string' }, seed: { type: 'string' } } });
const whole = (name, usual, most) => {
  const value = Number(values[name] ?? usual);
  if (Number.isInteger(value) && value >= 1 && value <= most) return String(value);
  process.stderr.write(`--${name} must be an integer from 1 to ${most}, got ${values[name]}\n`);
  process.exit(2);
};
const env = {
  ...process.env,
  FUZZ_REQUESTS: whole('requests', 10_000, 100_000_000),
  FUZZ_SEED: whole('seed', randomInt(1, 100_000_000), 100_000_000),
};
process.exitCode = spawnSync('npm', ['test', '--', 'api-fuzz'], { env, stdio: 'inherit' }).status ?? 1;
