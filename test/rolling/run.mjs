// A program: one run of `RollingGateways` with its one argument as options in JSON; prints the results as JSON.
import { RollingGateways } from './rolling-gateways.mjs';

const { rate, signal, ...options } = JSON.parse(process.argv[2]);
const rolling = await RollingGateways.start(options);
process.once('SIGTERM', () => void rolling.stop().finally(() => process.exit(1)));
try {
  const report = await rolling.underLoad(rate, () => rolling.replaceInTurn(signal));
  const { triggers, done, ...result } = report;
  process.stdout.write(JSON.stringify({ ...result, triggers: triggers.length, ends: done }));
} finally {
  await rolling.stop();
}
