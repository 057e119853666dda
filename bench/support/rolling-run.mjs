// A program: one run of `RollingGateways`, as its one argument says in JSON; tells in JSON how it went.
import { RollingGateways } from './rolling-gateways.mjs';

const { rate, signal, rounds, ...options } = JSON.parse(process.argv[2]);
const rolling = await RollingGateways.start(options);
process.once('SIGTERM', () => void rolling.stop().finally(() => process.exit(1)));
try {
  const report = await rolling.underLoad(rate, () => rolling.replaceInTurn(signal, rounds));
  const { triggers, done, ...told } = report;
  process.stdout.write(JSON.stringify({ ...told, triggers: triggers.length, ends: done }));
} finally {
  await rolling.stop();
}
